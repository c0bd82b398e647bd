// The table of Bread Basket: the line, and the players with their hands.
(() => {
  "use strict";
  var Arena = window.Arena;
  var html = Arena.html;

  // The tricks taken just now.
  function tricks(context) {
    return (context.events || []).filter(event => event.kind === "taken").map(event => {
      var points = event.points === 1 ? "1 point" : String(event.points).replace("-", "−") + " points";
      var text = context.names[event.seat] + " takes a " + event.trick + " for " + points;
      return html("div", { "data-scores": event.seat }, html("p", { text }), Arena.cards.row(Object.assign({}, context, { act: null }), event.cards, { zone: "taken", seat: event.seat }, text));
    });
  }

  Arena.tables.define("bread-basket", (view, context) => html("div", { class: "table bread-basket" },
    Arena.tables.facts([
      ["Hand", view.hand_no + 1 + " of " + view.hands], ["Stock", view.stock],
      view.aside ? ["Chefs aside", view.aside] : null,
    ]),
    html("div", { role: "group", class: "table-middle line", "aria-label": "The line" },
      html("h3", { text: "The line" }),
      view.line.length
        ? Arena.cards.row(context, view.line, { zone: "line", numbered: view.line.length > 1 }, "The line, oldest card first")
        : html("p", { class: "no-cards", text: "empty" }),
      html("div", { class: "trick" }, tricks(context))),
    html("div", { class: "seats" }, view.held.map((count, seat) => {
      var marks = [];
      if (seat === view.dealer) marks.push("dealer");
      if (seat === view.turn && view.played.length) marks.push("has played " + Arena.cards.words("bread-basket", view.played[0]));
      return Arena.tables.seat(context, seat, { score: view.scores[seat], turn: seat === view.turn, marks },
        Arena.tables.hand(context, view, seat, count));
    }))));
})();
