// Keeps the parts of a page marked `data-live` (each with an id) up to date, while the page is visible.
// The page is fetched again; the server answers 304 as long as nothing has changed.
(() => {
  "use strict";
  var pause_ms = 1000 * Number(document.documentElement.dataset.pollsS);
  var tag = null;
  var timer = null;
  var failures = 0;
  var SLIDE_MS = 500, MARKED_MS = 6000;
  var marks = new Map(); // by the first link of a row: its class, and until when
  var still = window.matchMedia("(prefers-reduced-motion: reduce)");

  // Rows and cards of a part by what their first link leads to: the first element with it, and where it is.
  function places(part) {
    var found = new Map();
    part.querySelectorAll(":scope > tr, :scope > li").forEach(row => {
      var link = row.querySelector("th a, a");
      var key = link && link.getAttribute("href");
      if (key && !row.hidden && !found.has(key)) found.set(key, [row, row.getBoundingClientRect()]);
    });
    return found;
  }

  function order(rows, others) { return [...rows.keys()].filter(key => others.has(key)); }

  // Lets rows slide from where they were, and marks for some seconds those that have passed others.
  function slide(before, part) {
    var now = places(part), was = order(before, now);
    order(now, before).forEach((key, at) => {
      var row = now.get(key)[0], to = now.get(key)[1], from = before.get(key)[1], passed = was.indexOf(key) - at;
      if (passed) marks.set(key, [passed > 0 ? "went-up" : "went-down", Date.now() + MARKED_MS]);
      if (marks.has(key) && marks.get(key)[1] > Date.now()) row.classList.add(marks.get(key)[0]);
      var x = from.left - to.left, y = from.top - to.top;
      if (!(x || y) || still.matches || !row.animate) return;
      row.animate([{ transform: "translate(" + x + "px," + y + "px)" }, { transform: "none" }], { duration: SLIDE_MS, easing: "ease-in-out" });
    });
  }

  function update(text) {
    var fresh = new DOMParser().parseFromString(text, "text/html");
    document.querySelectorAll("[data-live]").forEach(old => {
      var found = fresh.getElementById(old.id);
      if (!found || found.innerHTML === old.innerHTML) return;
      if (found.dataset.form !== old.dataset.form) { location.reload(); return; }  // its heading has other columns
      var focused = old.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
      var before = places(old);
      old.replaceChildren.apply(old, found.childNodes);
      old.dispatchEvent(new CustomEvent("arena:updated", { bubbles: true }));
      if (focused !== null) {
        var again = [...old.querySelectorAll("a")].find(link => {
          return link.getAttribute("href") === focused;
        });
        if (again) again.focus({ preventScroll: true });
      }
      slide(before, old);
    });
  }

  function look() {
    timer = null;
    if (document.hidden) return;
    fetch(location.pathname + location.search, { headers: tag ? { "If-None-Match": tag } : {}, cache: "no-store" })
      .then(answer => {
        if (answer.status === 304) return null;
        if (!answer.ok) throw new Error(String(answer.status));
        tag = answer.headers.get("ETag");
        return answer.text();
      })
      .then(text => { failures = 0; if (text !== null) update(text); })
      .catch(() => { failures += 1; })
      .finally(schedule);
  }

  function schedule() {
    if (timer === null) timer = setTimeout(look, pause_ms * Math.min(8, 1 + failures));
  }

  document.addEventListener("visibilitychange", () => { if (!document.hidden) look(); });
  schedule();
})();
