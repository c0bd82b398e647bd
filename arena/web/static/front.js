// Plays the game of the first page again and again, on a small table; a button stops it.
document.addEventListener("DOMContentLoaded", () => { // the game has defined its cards
  "use strict";
  var Arena = window.Arena;
  var html = Arena.html;
  var STEP_MS = 1300;
  var END_MS = 5000; // how long the last table stays
  var host = document.getElementById("front-table");
  var data = JSON.parse(document.getElementById("front-game").textContent);
  var game = Arena.read_game(data);
  var still = window.matchMedia("(prefers-reduced-motion: reduce)");
  var first = game.steps.findIndex(step => step.view);
  if (first < 0) return;
  var timer = null;
  var plays = !still.matches;
  var middle = game.biggest ? game.biggest.at : Math.floor((first + game.last) / 2);
  var at = Math.max(first, plays ? middle - 4 : middle); // shortly before the biggest swing, or where it is
  var seen = true;
  var told = html("p", { class: "told" });
  var button = html("button", { type: "button", onclick: () => { plays = !plays; next(); } });
  var table = Arena.game_table(game, () => { window.location.href = document.querySelector("#front-title a").href; });

  function show(quick) {
    table.show(at, quick);
    told.textContent = data.steps[at].l;
    told.title = data.steps[at].l;
  }
  function next() {
    button.textContent = plays ? "Pause" : "Play";
    window.clearTimeout(timer);
    if (!plays || !seen || document.hidden) return;
    timer = window.setTimeout(() => {
      at = at < game.last ? at + 1 : first;
      show(at === first);
      next();
    }, at === game.last ? END_MS : STEP_MS);
  }

  host.replaceChildren(table.element, told);
  host.parentNode.querySelector(".lead-bar .button").before(button);
  document.addEventListener("visibilitychange", next);
  if (window.IntersectionObserver) {
    new IntersectionObserver(entries => { seen = entries[entries.length - 1].isIntersecting; next(); }).observe(host);
  }
  show(true);
  next();
});
