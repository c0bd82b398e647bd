// The table at a step: draws it, moves cards from where they were, and tells since when a card has been in its place.
(function () {
  "use strict";
  var Arena = window.Arena;
  var html = Arena.html;
  var MOVE_MS = 260;
  var MOST_KEPT = 720; // pixels of height that stay reserved
  var MOST_MOVED = 40;
  var MOST_MARKED = 6;
  var still = window.matchMedia("(prefers-reduced-motion: reduce)");

  var beside = window.matchMedia("(min-width: 68rem)"); // the table and the moves are side by side
  var TIGHTER = ["is-tight", "is-tighter"];

  // Draws a table smaller, step by step, as long as it ends below the bar at the bottom of the window.
  function fit(element) {
    TIGHTER.forEach(function (name) { element.classList.remove(name); });
    var bar = document.querySelector(".player-bar");
    if (!bar || !beside.matches || !element.lastElementChild) return;
    for (var at = 0; at < TIGHTER.length; at += 1) {
      var bottom = element.lastElementChild.getBoundingClientRect().bottom + window.scrollY;
      if (bottom <= window.innerHeight - bar.offsetHeight) return;
      element.classList.add(TIGHTER[at]);
    }
  }

  function zone(element) { return element.dataset.zone + "/" + (element.dataset.seat || ""); }

  // Cards by name: the places they are in, as [zone, rectangle, element].
  function places(root) {
    var found = {};
    root.querySelectorAll("[data-card]").forEach(function (element) {
      if (element.dataset.card === "") return;
      (found["=" + element.dataset.card] = found["=" + element.dataset.card] || []).push([zone(element), element.getBoundingClientRect(), element]);
    });
    return found;
  }

  // Pairs [where a card was or null, where it is] for every card that came to another zone.
  function moves(before, after) {
    var found = [];
    Object.keys(after).forEach(function (card) {
      var left = (before[card] || []).slice();
      var rest = after[card].filter(function (now) {
        var at = left.findIndex(function (old) { return old[0] === now[0]; });
        if (at < 0) return true;
        left.splice(at, 1);
        return false;
      });
      rest.forEach(function (now) { found.push([left.shift() || null, now]); });
    });
    return found;
  }

  function move(pair, root) {
    var old = pair[0];
    var now = pair[1];
    var stock = root.querySelector('[data-pile="stock"]');
    var from = old ? old[1] : stock && now[0].indexOf("hand/") === 0 ? stock.getBoundingClientRect() : null;
    var frames = from
      ? [{ transform: "translate(" + (from.left - now[1].left) + "px," + (from.top - now[1].top) + "px)", zIndex: 5 }, { transform: "none", zIndex: 5 }]
      : [{ opacity: 0 }, { opacity: 1 }];
    now[2].animate(frames, { duration: MOVE_MS, easing: "ease-out" });
  }

  function holds(step, card, place) {
    var view = step.view;
    if (!view) return false;
    var zone_value = view[place.zone];
    if (place.seat !== undefined) {
      if (place.zone === "hand") {
        zone_value = view.hands && view.hands[place.seat];
        if (!Array.isArray(zone_value)) zone_value = step.views ? step.views()[place.seat].hand : view.seat === place.seat ? view.hand : null;
      } else {
        var many = view[place.zone + "s"];
        zone_value = many ? many[place.seat] : zone_value;
      }
    }
    return zone_value !== undefined && zone_value !== null && JSON.stringify(zone_value).indexOf(JSON.stringify(card)) >= 0;
  }

  // The step since which a card has been in its place.
  function since(game, at, card, place) {
    var found = at;
    while (found > 0 && holds(game.steps[found - 1], card, place)) found -= 1;
    return found;
  }

  // {element, show(at, quick)}: `seek(step)` is called for a click on a card.
  Arena.game_table = function (game, seek) {
    var element = html("div", { class: "table-host" });
    var shown = null;
    var least = 0;
    var width = 0;
    window.addEventListener("resize", function () { fit(element); });
    return {
      element: element,
      show: function (at, quick) {
        var step = game.steps[at];
        var one_on = shown !== null && Math.abs(at - shown) === 1; // after a jump, almost everything has moved
        shown = at;
        var animated = !quick && !still.matches && element.animate;
        var before = element.firstChild && one_on && !quick ? places(element) : null;
        var focused = element.contains(document.activeElement) ? Object.assign({}, document.activeElement.dataset) : null;
        if (!step.view) {
          element.replaceChildren(html("p", { class: "empty", text: "Nothing had been sent yet." }));
          return;
        }
        element.replaceChildren(Arena.tables.draw(step.view, {
          game: game.game, names: game.names, eyes: game.eyes, views: step.views ? step.views() : null, events: step.events,
          act: function (card, place) {
            return { label: Arena.cards.words(game.game, card), press: function () { seek(since(game, at, card, place)); } };
          },
        }));
        if (game.eyes !== null && step.decision === null) {
          element.prepend(html("p", { class: "quiet small", text: "The table as " + game.names[game.eyes] + " saw it when it was asked last; what came then is told above." }));
        }
        if (width !== element.clientWidth) { // keeps what is below in its place
          width = element.clientWidth;
          least = 0;
        }
        element.style.minHeight = "";
        fit(element);
        least = Math.max(least, Math.min(element.offsetHeight, MOST_KEPT));
        element.style.minHeight = least + "px";
        if (before) {
          var moved = moves(before, places(element));
          if (moved.length <= MOST_MOVED) {
            moved.forEach(function (pair) {
              if (moved.length <= MOST_MARKED) pair[1][2].classList.add("is-new");
              if (animated) move(pair, element);
            });
          }
        }
        if (focused) {
          var again = Array.prototype.find.call(element.querySelectorAll("button"), function (button) {
            return button.dataset.card === focused.card && button.dataset.zone === focused.zone && button.dataset.seat === focused.seat;
          }) || element.querySelector("button");
          if (again) again.focus({ preventScroll: true });
        }
      },
    };
  };

  // What a seat had been sent when it was asked the last time: its view, and what it knows from the start.
  Arena.knowledge = function (game, seat, at) {
    var asked = at;
    while (asked > 0 && game.steps[asked].asked.indexOf(seat) < 0) asked -= 1;
    var lines = (game.known[seat] || []).concat(game.known_to_all || []);
    var parts = [];
    if (lines.length) parts.push(html("h3", { text: "From the start" }), html("ul", {}, lines.map(function (line) { return html("li", { text: line }); })));
    if (asked > 0) {
      var view = game.steps[asked - 1].views()[seat];
      parts.push(html("h3", { text: "What it saw at decision " + game.steps[asked].decision + ", when it was asked last" }),
        Arena.tables.draw(view, { game: game.game, names: game.names, eyes: seat, views: null, events: [], act: null }));
    } else {
      parts.push(html("p", { class: "quiet", text: game.names[seat] + " hadn't been asked yet." }));
    }
    return parts;
  };
})();
