// Keeps the parts of a page marked `data-live` (each with an id) up to date, while the page is visible.
// The page is fetched again; the server answers 304 as long as nothing has changed.
(function () {
  "use strict";
  var pause_ms = 1000 * Number(document.documentElement.dataset.pollsS);
  var tag = null;
  var timer = null;
  var failures = 0;

  function update(text) {
    var fresh = new DOMParser().parseFromString(text, "text/html");
    document.querySelectorAll("[data-live]").forEach(function (old) {
      var found = fresh.getElementById(old.id);
      if (!found || found.innerHTML === old.innerHTML) return;
      if (found.dataset.form !== old.dataset.form) { location.reload(); return; }  // its heading has other columns
      var focused = old.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
      old.replaceChildren.apply(old, found.childNodes);
      if (focused !== null) {
        var again = Array.prototype.find.call(old.querySelectorAll("a"), function (link) {
          return link.getAttribute("href") === focused;
        });
        if (again) again.focus();
      }
      old.dispatchEvent(new CustomEvent("arena:updated", { bubbles: true }));
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
