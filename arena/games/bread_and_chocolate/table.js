// The table of Bread and Chocolate: the three piles, and the players with their hands.
(() => {
  "use strict";
  var Arena = window.Arena;
  var html = Arena.html;

  function cards(count) { return count === 1 ? "1 card" : count + " cards"; }

  Arena.tables.define("bread-and-chocolate", (view, context) => {
    var top = Arena.cards.words("bread-and-chocolate", view.up).split(" of ")[0];
    return html("div", { class: "table bread-and-chocolate" },
      Arena.tables.facts([
        ["Hand", view.hand_no + 1 + " of " + view.hands], ["Turn", view.turns + 1],
        view.opening > 0 && view.turn !== null ? ["Opening", "spread, flip or pass"] : null,
        view.spread ? ["A spread lasts", "any " + top] : null,
      ]),
      html("div", { role: "group", class: "table-middle piles", "aria-label": "The piles" },
        Arena.cards.pile(context, view.stock, null, { zone: "stock" }, "Stock"),
        Arena.cards.pile(context, view.up_count, view.up, { zone: "up" }, "Up pile"),
        Arena.cards.pile(context, view.down_count, null, { zone: "down" }, "Down pile")),
      html("div", { class: "seats" }, view.held.map((count, seat) => {
        var mine = seat === view.turn;
        var turn = !mine ? false : view.discard > 0 ? "discards " + cards(view.discard) : view.opening > 0 ? "opens" : true;
        return Arena.tables.seat(context, seat, { score: view.scores[seat], turn, marks: seat === view.dealer ? ["dealer"] : [] },
          Arena.tables.hand(context, view, seat, count));
      })));
  });
})();
