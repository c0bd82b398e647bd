// The table of a game that has no drawing of its own: what is in the view, by key, as readable cards.
(() => {
  "use strict";
  var Arena = window.Arena;
  var html = Arena.html;
  var MOST = 200; // items of a list
  var DEEPEST = 4;
  var CARDS = /^(hand|hands|card|cards)$/;
  var OWN = /^(hand|card)$/; // keys that only a seat's own view has
  var HEAPS = /^(heaps|piles|pits|stones)$/;
  var POT = /^(pot|kitty|bank|stakes?)$/;
  var MOST_COINS = 12;
  var MOST_DOTS = 20;
  var MOST_TAPPED = 7; // things of a heap that are buttons
  var LONGEST_FACT = 24; // letters
  var SEVERAL = /^[a-z]+( [a-z]+){0,7}$/; // such as the moves that were made
  var FACTS = /^(phase|stage|state|status|kind|mode|trumps?|direction)$/;
  var BY_SEAT = /^(scores|points|totals|banked|held|hands|plates|counts)$/; // keys of lists with an item for each seat
  var NAMED = /^(columns|boards|tableaus|tricks)$/; // of large ones, which stay in the middle

  function words(key) {
    var text = String(key).replace(/[_-]+/g, " ");
    return text.charAt(0).toUpperCase() + text.slice(1);
  }

  function isPlain(value) { return value === null || typeof value !== "object"; }

  function text(value) {
    if (value === null || value === undefined || value === "") return "–";
    if (value === true) return "yes";
    if (value === false) return "no";
    return String(value);
  }

  function chips(values) {
    if (!values.length) return html("span", { class: "quiet", text: "none" });
    return html("ul", { class: "chips" }, values.slice(0, MOST).map(value => html("li", { text: text(value) })),
      values.length > MOST ? html("li", { class: "quiet", text: "and " + (values.length - MOST) + " more" }) : null);
  }

  function table(rows, names) {
    var keys = [];
    rows.forEach(row => { Object.keys(row).forEach(key => { if (!keys.includes(key)) keys.push(key); }); });
    return html("div", { class: "scroll" }, html("table", {},
      html("thead", {}, html("tr", {}, names ? html("th", { scope: "col", text: "" }) : null, keys.map(key => html("th", { scope: "col", text: words(key) })))),
      html("tbody", {}, rows.slice(0, MOST).map((row, at) => html("tr", {}, names ? html("th", { scope: "row", text: names[at] }) : null, keys.map(key => html("td", {}, shown(row[key], null, 2))))))));
  }

  function list(values, context, depth, key) {
    if (!BY_SEAT.test(key) && !NAMED.test(key)) context = null;
    if (values.every(isPlain)) {
      if (context && values.length === context.names.length) {
        return pairs(context.names, values);
      }
      return chips(values);
    }
    if (values.every(value => !isPlain(value) && !Array.isArray(value))) {
      return table(values, context && values.length === context.names.length ? context.names : null);
    }
    var names = context && values.length === context.names.length ? context.names : values.map((_, at) => String(at + 1));
    return html("dl", { class: "plain-view inner" }, values.slice(0, MOST).map((value, at) => html("div", {}, html("dt", { text: names[at] }), html("dd", {}, shown(value, null, depth + 1)))));
  }

  // Numbers by player, such as the scores.
  function pairs(names, values) {
    return html("dl", { class: "by-player" }, names.map((name, at) => html("div", {}, html("dt", { text: name }), html("dd", { text: text(values[at]) }))));
  }

  function shown(value, context, depth, key) {
    if (isPlain(value)) return html("span", { class: "plain-value", text: text(value) });
    if (depth > DEEPEST) return html("code", { text: JSON.stringify(value).slice(0, 500) });
    if (Array.isArray(value)) return list(value, context, depth, key);
    return entries(value, null, depth + 1);
  }

  function entries(view, context, depth) {
    var keys = Object.keys(view);
    if (!keys.length) return depth > 1 ? html("span", { class: "quiet", text: "nothing" }) : null;
    return html("dl", { class: "plain-view" + (depth > 1 ? " inner" : "") }, keys.map(key => {
      var value = view[key];
      if (context && (key === "turn" || key === "to_move" || key === "seat" || key === "dealer") && typeof value === "number" && context.names[value] !== undefined) value = context.names[value];
      return html("div", { class: "plain-card" }, html("dt", { text: words(key) }), html("dd", {}, shown(value, context, depth, key)));
    }));
  }

  // What a seat's view has beyond that of spectators; of a view alone, what is called a hand or a card.
  function beyond(view, own) {
    var more = {};
    Object.keys(own).forEach(key => {
      if (key !== "seat" && (own === view ? OWN.test(key) : JSON.stringify(own[key]) !== JSON.stringify(view[key]))) more[key] = own[key];
    });
    return more;
  }

  // Cards that are side by side; null if these aren't cards.
  function cards(context, key, value, seat, label) {
    var names = Array.isArray(value) ? value : [value];
    if (!CARDS.test(key) || !names.every(name => name !== null && isPlain(name))) return null;
    return Arena.cards.row(context, names.map(String), { zone: seat === null ? key : "hand", seat: seat === null ? undefined : seat }, label);
  }

  function held(context, view, own, seat) {
    var rest = {};
    if (context.eyes !== null && context.eyes !== seat && isPlain(view.card) && view.card !== undefined) return html("div", { class: "card-row" }, html("span", { class: "card-face", role: "img", "aria-label": "a card, face down" }, Arena.cards.picture(context.game, null)));
    var shown_cards = Object.keys(own).map(key => {
      var found = cards(context, key, own[key], seat, words(key) + " of " + context.names[seat]);
      if (!found) rest[key] = own[key];
      return found;
    });
    return [shown_cards, Object.keys(rest).length ? entries(rest, null, 1) : null];
  }

  // A word after the other, as tokens on the table.
  function tokens(key, value) {
    return typeof value === "string" && SEVERAL.test(value) && !FACTS.test(key) ? html("ol", { class: "tokens", "aria-label": words(key) }, value.split(" ").map(word => html("li", { text: word }))) : null;
  }

  // What can be won, as coins.
  function pot(key, value) {
    return POT.test(key) && typeof value === "number" && value > 0 ? html("p", { class: "pot" }, Array.from({ length: Math.min(value, MOST_COINS) }, () => html("i", {})), html("b", { text: words(key) + " " + value })) : null;
  }

  // Heaps of things, such as `[3, 4, 5]`; a click on one takes it with all above it, where that is a move.
  function heaps(context, key, values) {
    if (!HEAPS.test(key) || !Array.isArray(values) || !values.every(value => typeof value === "number" && value >= 0)) return null;
    return html("div", { role: "group", class: "heaps", "aria-label": words(key) }, values.map((value, at) => {
      var one_of = key.replace(/s$/, "");
      var name = words(one_of) + " " + at; // as its moves call it
      var dots = Array.from({ length: Math.min(value, MOST_DOTS) }, (_, low) => {
        var count = value - low;
        var action = context.act && value <= MOST_TAPPED ? context.act(count + " of " + name.toLowerCase(), { zone: "heap", field: one_of, at, count }) : null;
        return action && action.legal ? html("button", { type: "button", class: "heap-thing is-legal", "data-key": "heap " + at + " " + count, title: action.label, "aria-label": action.label, onclick: action.press, text: String(count) }) : html("i", { class: "heap-thing" });
      });
      return html("div", { class: "heap", role: "group", "aria-label": name + ": " + value }, html("span", { class: "heap-things" }, dots), html("b", { text: String(value) }), html("small", { text: name }));
    }));
  }

  Arena.tables.plain = (view, context) => {
    var turn = view.turn === undefined ? view.to_move : view.turn;
    var count = context.names.length;
    var public_part = {};
    var by_seat = {};
    Object.keys(view).forEach(key => {
      var value = view[key];
      if (key === "seat" || value === "" || value === turn && /^(turn|to_move)$/.test(key)) return;
      if (BY_SEAT.test(key) && Array.isArray(value) && value.length === count) by_seat[key] = value;
      else if (context.eyes === null || !OWN.test(key)) public_part[key] = value;
    });
    var seats = context.names.map((_, number) => {
      var own = context.views ? beyond(view, context.views[number]) : context.eyes === number ? beyond(view, view) : {};
      var facts = { turn: turn === number, marks: view.dealer === number ? ["dealer"] : [] };
      Object.keys(by_seat).forEach(key => {
        var value = by_seat[key][number];
        if (/^(scores|points|totals)$/.test(key) && isPlain(value)) facts.score = value;
        else if (isPlain(value)) facts.marks.push(key + " " + text(value));
        else own[key] = value;
      });
      return Arena.tables.seat(context, number, facts, held(context, view, own, number));
    });
    var facts = [];
    var middle = Object.keys(public_part).map(key => {
      var value = public_part[key];
      var found = heaps(context, key, value) || pot(key, value) || tokens(key, value) || cards(context, key, public_part[key], null, words(key));
      if (!found && isPlain(value) && text(value).length <= LONGEST_FACT) facts.push([words(key), typeof value === "number" && key === "dealer" ? context.names[value] : text(value)]);
      else if (!found) return null;
      delete public_part[key];
      return found;
    });
    return html("div", { class: "table plain" }, facts.length ? Arena.tables.facts(facts) : null,
      html("div", { role: "group", class: "table-middle", "aria-label": "The table" }, middle, entries(public_part, context, 1)),
      html("div", { class: "seats" }, seats));
  };
})();
