// Light or dark: as the system says, unless the reader has chosen; and times as the reader's clock shows them.
// Runs before the first paint.
(() => {
  "use strict";
  var root = document.documentElement;
  root.classList.add("script"); // shows what only scripts can do, such as searching
  function kept() {
    try { return localStorage.getItem("arena-theme"); } catch (error) { return null; } // storage may be switched off
  }
  function keep(theme) {
    try { localStorage.setItem("arena-theme", theme); } catch (error) { /* it holds for this page only */ }
  }
  var chosen = kept();
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  document.addEventListener("DOMContentLoaded", () => {
    var tab = document.querySelector(".tabs [aria-current]");
    if (tab) tab.closest("ul").scrollLeft = tab.offsetLeft - 16; // where the row of tabs is wider than the screen
    var button = document.querySelector("button.theme");
    if (!button) return;
    button.hidden = false;
    button.addEventListener("click", () => {
      var dark = root.dataset.theme ? root.dataset.theme === "dark"
        : window.matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = dark ? "light" : "dark";
      keep(root.dataset.theme);
    });
  });
  document.addEventListener("pointerover", event => {
    var time = event.target.closest && event.target.closest("time[datetime]");
    if (!time || time.title) return;
    time.title = new Date(time.dateTime).toLocaleString(undefined, { dateStyle: "full", timeStyle: "short" });
  });
})();
