// Keeps the parts of a page marked `data-live` (each with an id) up to date, while the page is visible.
// The page is fetched again; the server answers 304 as long as nothing has changed.
(function () {
  "use strict";
  var pause_ms = 1000 * Number(document.documentElement.dataset.pollsS);
  var tag = null;
  var timer = null;
  var failures = 0;
  var SLIDE_MS = 500;
  var still = window.matchMedia("(prefers-reduced-motion: reduce)");

  // Rows and cards of a part by what their first link leads to: the first element with it, and where it is.
  function places(part) {
    var found = new Map();
    part.querySelectorAll(":scope > tr, :scope > li").forEach(function (row) {
      var link = row.querySelector("th a, a");
      var key = link && link.getAttribute("href");
      if (key && !row.hidden && !found.has(key)) found.set(key, [row, row.getBoundingClientRect()]);
    });
    return found;
  }

  // Lets rows slide from where they were to where they are; nothing else is moved by it.
  function slide(before, part) {
    places(part).forEach(function (now, key) {
      var old = before.get(key);
      var x = old ? old[1].left - now[1].left : 0;
      var y = old ? old[1].top - now[1].top : 0;
      if (x || y) now[0].animate([{ transform: "translate(" + x + "px," + y + "px)" }, { transform: "none" }], { duration: SLIDE_MS, easing: "ease-in-out" });
    });
  }

  function update(text) {
    var fresh = new DOMParser().parseFromString(text, "text/html");
    document.querySelectorAll("[data-live]").forEach(function (old) {
      var found = fresh.getElementById(old.id);
      if (!found || found.innerHTML === old.innerHTML) return;
      if (found.dataset.form !== old.dataset.form) { location.reload(); return; }  // its heading has other columns
      var focused = old.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
      var before = still.matches || !old.animate ? null : places(old);
      old.replaceChildren.apply(old, found.childNodes);
      old.dispatchEvent(new CustomEvent("arena:updated", { bubbles: true }));
      if (focused !== null) {
        var again = Array.prototype.find.call(old.querySelectorAll("a"), function (link) {
          return link.getAttribute("href") === focused;
        });
        if (again) again.focus({ preventScroll: true });
      }
      if (before) slide(before, old);
    });
  }

  function look() {
    timer = null;
    if (document.hidden) return;
    fetch(location.pathname + location.search, { headers: tag ? { "If-None-Match": tag } : {}, cache: "no-store" })
      .then(function (answer) {
        if (answer.status === 304) return null;
        if (!answer.ok) throw new Error(String(answer.status));
        tag = answer.headers.get("ETag");
        return answer.text();
      })
      .then(function (text) { failures = 0; if (text !== null) update(text); })
      .catch(function () { failures += 1; })
      .finally(schedule);
  }

  function schedule() {
    if (timer === null) timer = setTimeout(look, pause_ms * Math.min(8, 1 + failures));
  }

  document.addEventListener("visibilitychange", function () { if (!document.hidden) look(); });
  schedule();
})();
