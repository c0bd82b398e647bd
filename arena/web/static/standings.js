// Marks, for some seconds, the bots whose place has changed since the standings were looked at last.
(function () {
  "use strict";
  var SHOWN_MS = 6000;
  var body = document.getElementById("standings");
  if (!body) return;
  var places = read();
  var marks = new Map(); // label -> { way, until }

  function read() {
    var found = new Map();
    body.querySelectorAll("tr").forEach(function (row) {
      found.set(row.dataset.label, Number(row.dataset.place));
    });
    return found;
  }

  function show() {
    var now = Date.now();
    body.querySelectorAll("tr").forEach(function (row) {
      var mark = marks.get(row.dataset.label);
      var way = mark && mark.until > now ? mark.way : "";
      row.classList.toggle("went-up", way === "up");
      row.classList.toggle("went-down", way === "down");
      row.querySelector(".moved").textContent = way === "up" ? "\u25b2" : way === "down" ? "\u25bc" : "";
    });
  }

  body.addEventListener("arena:updated", function () {
    var fresh = read();
    var until = Date.now() + SHOWN_MS;
    fresh.forEach(function (place, label) {
      var before = places.get(label);
      if (before !== undefined && before !== place) {
        marks.set(label, { way: place < before ? "up" : "down", until: until });
      }
    });
    places = fresh;
    show();
    setTimeout(show, SHOWN_MS + 50);
  });
})();
