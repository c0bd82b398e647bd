// The table of Sandwich: the market, offers, plates, the sandwiches before the taster, and the open cards.
(() => {
  "use strict";
  var Arena = window.Arena;
  var html = Arena.html;
  var phone = window.matchMedia("(max-width: 47.99rem)");
  var PHASES = { grab: "Market", serve: "Making sandwiches", taste: "Tasting", over: "The game is over" };
  var WAYS = { left: "left", right: "right", both: "both ways" };

  // A sandwich: its cards between two slices of bread; null: face down.
  function sandwich(context, names, place, label) {
    var inside = names === null
      ? html("span", { class: "sandwich-hidden", text: "face down" })
      : Arena.cards.row(context, names, place, label);
    return html("li", { class: "sandwich", role: names === null ? "img" : null, "aria-label": names === null ? "a sandwich, face down" : null }, inside);
  }

  // How many cards of the market lie side by side, so that its rows are of the same length.
  function across(count) { return Math.ceil(count / Math.ceil(count / (phone.matches ? 5 : 8))); }

  function market(view, context) {
    return html("div", { role: "group", class: "table-middle", "aria-label": "The market" },
      html("h3", { text: "The market" }),
      html("ul", { class: "card-row tiles big", "data-across": across(view.market.length), "aria-label": "The market" }, view.market.map((name, at) => html("li", {}, Arena.cards.card(context, name, { zone: "market", at }), html("span", { class: "card-at" }, Arena.tables.face(context.names[at]), context.names[at])))));
  }

  // For small cards: a click on one does nothing unless it is a move.
  function only_moves(context) {
    return Object.assign({}, context, { act: context.act && ((name, place) => { var action = context.act(name, place); return action && action.legal ? action : null; }) });
  }

  // Cards that are offered for each other, or those that have just changed hands.
  function trades(view, context, done) {
    var shown = done.length ? done : view.offers;
    var title = done.length ? "Traded" : view.offers.length ? "Offers" : "Trade round " + (view.trade_round + 1);
    context = only_moves(context);
    return html("div", { role: "group", class: "table-middle", "aria-label": title }, html("h3", { text: title }),
      shown.length ? html("ol", { class: "offers" + (shown.length < 4 ? " few" : "") }, shown.map(offer => html("li", { value: offer.number },
        html("span", { class: "offer-who", text: context.names[offer.seat] }), Arena.cards.card(context, offer.give, { zone: "offer", at: offer.number }),
        html("span", { class: "swap", "aria-label": done.length ? "traded for" : "for", role: "img", text: "⇄" }),
        Arena.cards.card(context, offer.want, { zone: "offer", at: offer.number }), html("span", { class: "offer-who", text: context.names[offer.to] }))))
        : html("p", { class: "no-cards", text: "Each player may offer another one a card for one of theirs." }));
  }

  function tasting(view, context) {
    return html("div", { role: "group", class: "table-middle", "aria-label": "Before " + context.names[view.taster] },
      html("h3", { text: "Before " + context.names[view.taster] }),
      html("ul", { class: "sandwiches" }, view.read_out.map((one, at) => sandwich(context, one, { zone: "read_out", at }, "Sandwich " + (at + 1)))));
  }

  // For whom the player in front makes sandwiches, which nobody sees yet.
  function kitchen(view, context) {
    var own = view.receivers ? view : context.views ? context.views[context.front] : {};
    if (!own.receivers) return null;
    return html("div", { role: "group", class: "table-middle", "aria-label": "The kitchen" }, html("h3", { text: context.names[context.front] + " makes sandwiches for" }),
      html("ul", { class: "sandwiches" }, own.receivers.map(seat => html("li", { class: "sandwich is-covered" }, html("span", { class: "sandwich-hidden", text: "?", "aria-hidden": "true" }), html("span", { class: "sandwich-by", text: context.names[seat] })))));
  }

  var MANY = 4, MANY_AT_END = 3, LONG = 8; // tasters, beyond which sandwiches have one line each, and a phone shows less of them
  var RANKS = ["1st", "2nd", "3rd"];

  // What the palates decided: a row for each taster, with the sandwiches before it, best first.
  function tasted(events, context) {
    var is_many = events.length > (context.over && phone.matches ? MANY_AT_END : MANY);
    var is_long = events.length > LONG;
    var most = Math.max(...events.map(event => event.sandwiches.length));
    context = only_moves(context);
    var mark = seat => context.stays && seat === context.front ? " is-you" : "";
    return html("div", { role: "group", class: "table-middle tasting" + (is_many ? " is-many" : "") + (is_long ? " is-long" : ""), tabindex: 0, "aria-label": "The tasting" }, html("table", {},
      html("thead", {}, html("tr", {}, html("th", { scope: "col", text: "Taster" }), Array.from({ length: most }, (_, at) => html("th", { scope: "col", text: RANKS[at] || at + 1 + "th" })))),
      html("tbody", {}, events.map(event => html("tr", { class: mark(event.taster) }, html("th", { scope: "row", title: context.names[event.taster] }, Arena.tables.face(context.names[event.taster]), html("span", { class: "taster", text: context.names[event.taster] })), event.sandwiches.map((one, at) => {
        var maker = context.names[event.makers[at]];
        var points = event.points[at];
        var cards = Arena.cards.row(context, one, { zone: "tasted", small: true }, "Sandwich of " + maker);
        return html("td", {}, html("div", { class: "tasted" + mark(event.makers[at]), "data-scores": points ? event.makers[at] : null, title: one.join(", ") }, cards,
          html("span", { class: "sandwich-by" }, Arena.tables.face(maker), html("span", { class: "maker", text: maker }), " ", html("b", { text: (points > 0 ? "+" : "") + points }))));
      }))))));
  }

  function middle(view, context) {
    if (view.market.length) return market(view, context);
    var done = context.composes ? [] : (context.events || []).filter(event => event.kind === "traded").flatMap(event => event.trades);
    if (view.phase === "answer" || done.length || (view.phase === "offer" && !context.composes)) return trades(view, context, done);
    if (view.read_out.length) return tasting(view, context);
    return view.phase === "serve" && !context.composes ? kitchen(view, context) : null;
  }

  Arena.tables.define("sandwich", (view, context) => {
    var news = context.composes ? [] : (context.events || []).filter(event => event.kind === "tasted").slice(-context.names.length);
    var order = view.phase === "grab" ? view.grab_order : [];
    return html("div", { class: "table sandwich-table" },
      Arena.tables.facts([
        ["Round", view.round_no + 1 + " of " + view.rounds], view.trade_round === null ? [PHASES[view.phase] || view.phase, view.market_turn === null ? "" : "turn " + (view.market_turn + 1)] : ["Trade round " + (view.trade_round + 1), view.phase + "s"],
        view.pile ? ["Piles", view.pile] : null, ["Serving", WAYS[view.direction] || view.direction],
      ]),
      news.length ? tasted(news, context) : null,
      middle(view, context),
      html("div", { class: "seats" }, view.hands.map((hand, seat) => {
        var marks = [];
        if (order.includes(seat)) marks.push("grabs " + (RANKS[order.indexOf(seat)] || order.indexOf(seat) + 1 + "th"));
        var plate = view.plates[seat] || [];
        return Arena.tables.seat(context, seat, { score: view.scores[seat], turn: view.taster === seat ? "tastes" : false, marks },
          seat === context.front && !context.over ? Arena.cards.family_tastes("sandwich", context.worth) : null,
          hand.length || !(plate.length || news.length) ? Arena.cards.row(context, hand, { zone: "hand", seat, sorted: true }, "Cards of " + context.names[seat]) : null,
          plate.length && !Arena.cards.folds(context, seat) ? html("ul", { class: "sandwiches", "aria-label": "Plate of " + context.names[seat] }, plate.map((one, at) => sandwich(context, one, { zone: "plate", seat, at }, "Sandwich " + (at + 1)))) : null);
      })));
  });
})();
