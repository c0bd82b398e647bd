// Shows the values of a match on charts of ratings, under the pointer or by the arrow keys.
(() => {
  "use strict";
  var SVG = "http://www.w3.org/2000/svg";

  function prepare(figure) {
    var part = figure.querySelector("[data-live]");
    var status = figure.querySelector("[role=status]");
    var words = status ? status.textContent : "";
    var data, chart, cursor, at = -1;

    function read() {
      data = JSON.parse(figure.querySelector(".course-data").textContent);
      chart = figure.querySelector(".course-chart");
      chart.setAttribute("tabindex", "0");
      cursor = document.createElementNS(SVG, "line");
      cursor.setAttribute("class", "course-cursor");
      cursor.setAttribute("y1", "0");
      cursor.setAttribute("y2", "100%");
      cursor.setAttribute("visibility", "hidden");
      chart.append(cursor);
      chart.addEventListener("pointermove", event => {
        var box = chart.getBoundingClientRect();
        var place = nearest((event.clientX - box.left) / box.width);
        show(place, false);
        mark(under(place, 1 - (event.clientY - box.top) / box.height));
      });
      chart.addEventListener("pointerleave", () => { if (document.activeElement !== chart) hide(); });
      chart.addEventListener("blur", hide);
      chart.addEventListener("focus", () => { if (at < 0) show(data.matches.length - 1, true); });
      chart.addEventListener("keydown", event => {
        var last = data.matches.length - 1, to = at < 0 ? last : at;
        if (event.key === "ArrowLeft") to -= 1;
        else if (event.key === "ArrowRight") to += 1;
        else if (event.key === "Home") to = 0;
        else if (event.key === "End") to = last;
        else if (event.key === "Escape") { hide(); return; }
        else return;
        event.preventDefault();
        show(Math.max(0, Math.min(last, to)), true);
      });
    }

    function nearest(part_of_width) {
      var wanted = part_of_width * data.matches[data.matches.length - 1], best = 0;
      data.matches.forEach((match, i) => {
        if (Math.abs(match - wanted) < Math.abs(data.matches[best] - wanted)) best = i;
      });
      return best;
    }

    // The line at a match that is nearest to a part of the height, from the bottom; -1 if none is near.
    function under(place, part_of_height) {
      var wanted = data.low + part_of_height * (data.high - data.low), best = -1, least = (data.high - data.low) / 12;
      data.lines.forEach((line, i) => {
        var off = typeof line.mu[place] === "number" ? Math.abs(line.mu[place] - wanted) : Infinity;
        if (off < least) { least = off; best = i; }
      });
      return best;
    }

    function mark(number) {
      figure.querySelectorAll("[data-line]").forEach(one => { one.classList.toggle("is-on", one.getAttribute("data-line") === String(number)); });
    }

    function text(line, place) {
      var mu = line.mu[place];
      if (mu === null || mu === undefined) return "–";
      var sigma = data.lines.length === 1 && line.sigma ? line.sigma[place] : null;
      return mu.toFixed(data.decimals) + (sigma ? " ± " + (2 * sigma).toFixed(data.decimals) : "");
    }

    function fill(place) {
      data.lines.forEach((line, i) => {
        var value = figure.querySelector('[data-value="' + (i + 1) + '"]');
        if (value) value.textContent = text(line, place);
      });
    }

    function show(place, aloud) {
      if (place === at) return;
      at = place;
      var x = 100 * data.matches[place] / data.matches[data.matches.length - 1] + "%";
      cursor.setAttribute("x1", x);
      cursor.setAttribute("x2", x);
      cursor.setAttribute("visibility", "visible");
      fill(place);
      var matches = data.matches[place], after = "After " + matches + (matches === 1 ? " match" : " matches");
      status.textContent = aloud ? after + ": " + data.lines.map(line => {
        return line.label + " " + text(line, place);
      }).join(", ") : after;
    }

    function hide() {
      at = -1;
      mark(-1);
      cursor.setAttribute("visibility", "hidden");
      fill(data.matches.length - 1);
      status.textContent = words;
    }

    figure.addEventListener("mouseover", event => {
      var item = event.target.closest("li[data-line]");
      if (item) mark(item.getAttribute("data-line"));
    });
    document.addEventListener("arena:updated", event => { if (event.target === part) { at = -1; read(); } });
    read();
  }

  document.querySelectorAll("[data-course]").forEach(prepare);
})();
