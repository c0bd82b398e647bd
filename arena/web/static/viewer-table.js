// The table at a step: draws it, moves cards from where they were, and tells since when a card has been in its place.
(() => {
  "use strict";
  var Arena = window.Arena;
  var html = Arena.html;
  var MOVE_MS = 260;
  var SCORE_MS = 600;
  var BADGE = 26; // pixels
  var MOST_KEPT = 720; // pixels of height that stay reserved
  var MOST_MOVED = 40;
  var MOST_MARKED = 6;
  var still = window.matchMedia("(prefers-reduced-motion: reduce)");

  // Draws the table smaller until it ends above the bar at the bottom of the window.
  function fit(element) {
    var bar = document.querySelector(".player-bar");
    if (bar) Arena.tables.fit(element, () => Arena.tables.screen() - bar.offsetHeight - 8);
  }

  function middle(element) {
    var box = element.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
  }

  // Measures what scored in a step; what it returns marks it, and lets the points fly from there to their seats, or only
  // shows them.
  function score(game, at, element, flies) {
    var before = at ? game.steps[at - 1].scores : null;
    var now = game.steps[at].scores;
    if (!before || !now) return () => {};
    var flights = [];
    now.forEach((points, seat) => {
      var gain = points - before[seat];
      var target = element.querySelector('.seat[data-seat="' + seat + '"] .seat-head');
      if (!gain || !target) return;
      var sources = element.querySelectorAll('[data-scores="' + seat + '"]');
      var badge = html("span", { class: "seat-gain" + (gain < 0 ? " is-loss" : ""), text: Arena.signed(gain) });
      var from = flies && middle(sources[0] || element.querySelector(".table-middle") || element);
      var to = flies && target.getBoundingClientRect(); // the badge lies in its corner
      flights.push({ badge, target, sources, way: flies && "translate(" + (from[0] - to.right + BADGE / 2) + "px," + (from[1] - to.top - BADGE / 2) + "px)" });
    });
    return () => {
      flights.forEach(one => {
        one.target.append(one.badge);
        one.sources.forEach(source => { source.classList.add("is-scoring"); });
        if (flies) one.badge.animate([{ transform: one.way + " scale(0.6)", opacity: 0 }, { transform: one.way + " scale(1.8)", opacity: 1, offset: 0.35 }, { transform: "none", opacity: 1 }], { duration: 2 * SCORE_MS, easing: "ease-in-out" });
      });
      if (flies && flights.length) setTimeout(() => { flights.forEach(one => { one.sources.forEach(source => { source.classList.remove("is-scoring"); }); }); }, SCORE_MS);
    };
  }

  function zone(element) { return element.dataset.zone + "/" + (element.dataset.seat || ""); }

  // Cards by name: the places they are in, as [zone, rectangle, element].
  function places(root) {
    var found = {};
    root.querySelectorAll("[data-card]").forEach(element => {
      if (element.dataset.card === "") return;
      (found["=" + element.dataset.card] = found["=" + element.dataset.card] || []).push([zone(element), element.getBoundingClientRect(), element]);
    });
    return found;
  }

  // Pairs [where a card was or null, where it is] for every card that came to another zone.
  function moves(before, after) {
    var found = [];
    Object.keys(after).forEach(card => {
      var left = (before[card] || []).slice();
      var rest = after[card].filter(now => {
        var at = left.findIndex(old => old[0] === now[0]);
        if (at < 0) return true;
        left.splice(at, 1);
        return false;
      });
      rest.forEach(now => { found.push([left.shift() || null, now]); });
    });
    return found;
  }

  // `stock`: where cards come from that weren't on the table before, or null.
  function move(pair, stock) {
    var old = pair[0];
    var now = pair[1];
    var from = old ? old[1] : now[0].indexOf("hand/") === 0 ? stock : null;
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
    return zone_value !== undefined && zone_value !== null && JSON.stringify(zone_value).includes(JSON.stringify(card));
  }

  // The step since which a card has been in its place.
  function since(game, at, card, place) {
    var found = at;
    while (found > 0 && holds(game.steps[found - 1], card, place)) found -= 1;
    return found;
  }

  // The strings and numbers of a move, but for its type.
  function parts_of(move) {
    return Object.keys(move).filter(key => key !== "type").map(key => move[key]).flat(Infinity);
  }

  // Draws a better move: marks its cards where they lie, and puts their ghosts into the middle with its words.
  function ghost(table, better) {
    var hand = table.querySelector('.seat[data-seat="' + better.seat + '"]');
    var marked = [];
    parts_of(better.move).forEach(part => {
      var within = typeof part === "number" ? table : hand;
      var wanted = typeof part === "number" ? '[data-zone="line"][data-at="' + part + '"]' : '[data-card="' + CSS.escape(String(part)) + '"]';
      var found = within && [...within.querySelectorAll(wanted)].find(card => !marked.includes(card));
      if (found) marked.push(found);
    });
    marked.forEach(card => { card.classList.add("is-better"); });
    var ghosts = marked.map(card => html("span", { class: "card-face is-ghost", "aria-hidden": "true" }, card.querySelector(".card-picture").cloneNode(true)));
    (table.querySelector(".table-middle") || table).append(html("p", { class: "ghost" }, ghosts, html("span", { text: better.words })));
  }

  // {element, show(at, quick)}: `seek(step)` is called for a click on a card.
  Arena.game_table = (game, seek) => {
    var element = html("div", { class: "table-host" });
    var shown = null;
    var least = 0;
    var width = 0;
    var chosen = null; // the seat that the reader wants in front
    var last = null; // the arguments of the last `show`
    window.addEventListener("resize", () => { fit(element); });
    var drawing = {
      element,
      // Makes it fit anew, when what is below has changed.
      fit: () => { element.style.minHeight = ""; least = 0; fit(element); },
      show: (at, quick) => { drawing.draw(at, quick)(); },
      // Makes the table of a step; what it returns shows it, makes it fit, and marks what is new.
      draw: (at, quick) => {
        var step = game.steps[at];
        last = [at, quick];
        if (!step.view) {
          return () => {
            shown = at;
            element.replaceChildren(html("p", { class: "empty", text: "Nothing had been sent yet." }));
          };
        }
        var front = chosen === null ? game.fronts[at] : chosen;
        var fresh = [Arena.tables.draw(step.view, {
          game: game.game, names: game.names, sides: game.sides, eyes: game.eyes, views: step.views ? step.views() : null, events: step.events, says: game.says && game.says(at), over: at === game.last,
          front, worth: game.worth[front],
          open: game.eyes === null ? seat => seat === chosen : null,
          choose: game.eyes === null ? seat => { chosen = chosen === seat ? null : seat; drawing.show(...last); } : null,
          act: (card, place) => ({
            label: Arena.cards.words(game.game, card),
            press: () => { seek(since(game, last[0], card, place)); }
          }),
        })];
        (game.ghosts[at] || []).forEach(better => { ghost(fresh[0], better); });
        if (game.eyes !== null && step.decision === null) {
          fresh.unshift(html("p", { class: "quiet small", text: "The table as " + game.names[game.eyes] + " saw it when it was asked last; what came then is told above." }));
        }
        return () => {
          var forward = shown === at - 1;
          var one_on = shown !== null && Math.abs(at - shown) === 1; // after a jump, almost everything has moved
          shown = at;
          var animated = !quick && !still.matches && element.animate;
          var before = element.firstChild && one_on && !quick ? places(element) : null;
          var focused = element.contains(document.activeElement) ? Object.assign({}, document.activeElement.dataset) : null;
          Arena.tables.merge(element, fresh);
          fit(element); // before anything else is measured: it says how small the table is laid out
          if (width !== element.clientWidth) { // keeps what is below in its place
            width = element.clientWidth;
            least = 0;
            element.style.minHeight = "";
          }
          var high = Math.ceil(element.lastChild.getBoundingClientRect().bottom - element.getBoundingClientRect().top);
          var marks_score = quick ? null : score(game, at, element, animated && forward);
          var moved = before ? moves(before, places(element)) : [];
          var stock = moved.length && element.querySelector('[data-pile="stock"]');
          stock = stock ? stock.getBoundingClientRect() : null;
          // From here on, nothing is measured: so browsers lay the table out once.
          if (high > least) element.style.minHeight = (least = Math.min(high, MOST_KEPT)) + "px";
          if (marks_score) marks_score();
          mark(moved, stock, animated);
          if (focused && !element.contains(document.activeElement)) {
            var again = [...element.querySelectorAll("button")].find(button => button.dataset.card === focused.card && button.dataset.zone === focused.zone && button.dataset.seat === focused.seat) || element.querySelector("button");
            if (again) again.focus({ preventScroll: true });
          }
        };
      },
    };
    function mark(moved, stock, animated) {
      if (moved.length > MOST_MOVED) return;
      moved.forEach(pair => {
        if (moved.length <= MOST_MARKED) pair[1][2].classList.add("is-new");
        if (animated) move(pair, stock);
      });
    }
    return drawing;
  };

  // What a seat had been sent when it was asked the last time: its view, and what it knows from the start.
  Arena.knowledge = (game, seat, at) => {
    var asked = at;
    while (asked > 0 && !game.steps[asked].asked.includes(seat)) asked -= 1;
    var told = document.querySelectorAll('[data-knows="' + seat + '"] > ul, [data-knows="all"] > ul');
    var parts = told.length ? [html("h3", { text: "From the start" }), Arena.cards.tastes(game.game, game.worth[seat]), [...told].map(list => list.cloneNode(true))].flat() : [];
    if (asked > 0) {
      var view = game.steps[asked - 1].views()[seat];
      parts.push(html("h3", { text: "What it saw at decision " + game.steps[asked].decision + ", when it was asked last" }),
        Arena.tables.draw(view, { game: game.game, names: game.names, eyes: seat, views: null, events: [], act: null, front: seat, worth: game.worth[seat] }));
    } else {
      parts.push(html("p", { class: "quiet", text: game.names[seat] + " hadn't been asked yet." }));
    }
    return parts;
  };
})();
