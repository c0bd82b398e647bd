// The channel: plays the game of the page, shows its end, and continues with the next one after some seconds, unless the
// reader stops it. Where motion is reduced, nothing plays or continues by itself.
document.addEventListener("DOMContentLoaded", () => {
  "use strict";
  var Arena = window.Arena;
  var html = Arena.html;
  var WAIT_S = 8;
  var LONGEST_S = 90; // a game is played faster rather than longer
  var FASTEST = 4; // steps in a second: beyond it, nothing moves
  var MOST_SEEN = 50;
  var SEEN = "arena-channel-seen";
  var viewer = document.getElementById("viewer");
  var result = document.getElementById("result");
  var next = document.getElementById("next-game");
  var games = [...document.querySelectorAll("#channel [data-game]")];
  var still = window.matchMedia("(prefers-reduced-motion: reduce)");
  var shown = games.find(link => link.hasAttribute("aria-current"));
  var left = 0;
  var timer = null;

  function seen() { return Arena.kept(SEEN, "sessionStorage") || []; }
  function remember(names) { Arena.keep(SEEN, names.slice(-MOST_SEEN), "sessionStorage"); }

  // What comes next is the first game that this window hasn't shown yet: the games change while others are played.
  function choose() {
    var before = seen().filter(name => !shown || name !== shown.dataset.game);
    var fresh = games.find(link => link !== shown && !before.includes(link.dataset.game));
    if (!fresh) before = [];
    remember(before.concat(shown ? [shown.dataset.game] : []));
    if (fresh) document.querySelectorAll("#next-game, [rel=next]").forEach(link => { link.href = fresh.href; });
  }

  var stay = html("button", { type: "button", onclick: stop, text: "Stay here" });
  var words = next ? next.textContent : "";

  function stop() {
    clearInterval(timer);
    timer = null;
    if (next) next.textContent = words;
    stay.remove();
  }
  function tick() {
    if (document.hidden) return;
    left -= 1;
    if (left > 0) next.textContent = words + " in " + left + " s";
    else { stop(); location.href = next.href; }
  }
  function count_down() {
    left = WAIT_S + 1;
    next.after(stay);
    tick();
    timer = setInterval(tick, 1000);
  }

  viewer.addEventListener("arena:shown", event => {
    stop();
    if (!event.detail.ended) return;
    result.open = true; // the game has been watched to its end
    if (next && !still.matches) count_down();
  });
  if (next) choose();
  if (!still.matches) Arena.play_game(LONGEST_S, FASTEST);
});
