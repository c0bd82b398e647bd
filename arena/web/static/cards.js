// Cards, piles, seats and tables, for everything that shows a game. A game adds its own in `cards.js` and `table.js`
// of its package; docs/adding-a-game.md describes this interface.
//
//   Arena.cards.define(game, {text, short, face, shape, order, group})   the cards of a game; `short`: as the site writes them;
//                                                          `group`: those of a hand that is over lie in a row each
//   Arena.cards.card(context, name, place)                 a card as an element; name null: face down
//   Arena.cards.row(context, names, place, label)          cards side by side, as a list
//   Arena.cards.backs(context, count, place, label)        cards face down
//   Arena.cards.pile(context, count, name, place, label)   a pile: its top card, or a back, and how many there are
//   Arena.tables.define(game, draw)                        draw(view, context) returns the table as an element
//   Arena.tables.draw(view, context)                       draws it, plainly if the game has no drawing: the players in
//                                                          `.seats` around, the one of `context.front` at the bottom
//   Arena.tables.fit(table, limit)                         draws it smaller until it ends above `limit()`, in pixels of the page
//   Arena.tables.seat(context, seat, facts, ...parts)      the place of one player
//
// A context: {game, names, eyes, views, events, act, front, choose, open, stays, composes}. `stays`: the seat in front is always
// the same; `composes`: clicks compose a move. `front`: the seat at the bottom, or null. `choose(seat)`:
// what a click on another player does, if anything; `open(seat)`: whether its cards are large and can be clicked; `over`: the game is. `says`: what players have just done, in words by seat. `worth`: what cards are worth to the seat in front, by name. `names`: of the players, by seat. `eyes`: the seat whose view is drawn, or
// null. `views`: the views of all seats by seat on an open table, else null. `events`: what has just happened, in
// wire format. `act(name, place)`: what a click on a card
// does, {label, press, pressed, disabled, legal, gain, number}, or null; `legal`: it is a move, which is marked; `gain`: of the
// move; `number`: its place among those chosen. What scores has the attribute `data-scores` with the seat.
// A place says where a card is: {zone, seat, at}; `seat` and `at` (the index in the zone) may be left out.
(() => {
  "use strict";
  var SVG = "http://www.w3.org/2000/svg";
  var Arena = (window.Arena = window.Arena || {});

  function add(element, attributes, children) {
    Object.keys(attributes || {}).forEach(name => {
      var value = attributes[name];
      if (value === null || value === undefined || value === false) return;
      if (name === "text") element.textContent = value;
      else if (name === "onclick") element.addEventListener("click", value);
      else element.setAttribute(name, value === true ? "" : value);
    });
    children.flat(Infinity).forEach(child => {
      if (child !== null && child !== undefined) element.append(child);
    });
    return element;
  }

  // An element: attributes by name, `text` for its text; children are elements or texts, null is left out.
  Arena.html = (tag, attributes, ...children) => add(document.createElement(tag), attributes, children);
  Arena.svg = (tag, attributes, ...children) => add(document.createElementNS(SVG, tag), attributes, children);

  var html = Arena.html;
  var svg = Arena.svg;

  // A sentence, in which the names of players lie between marks, with these in bold type.
  Arena.named = text => text.split("\x1f").map((part, at) => at % 2 ? html("b", { text: part }) : part);

  Arena.minus = value => String(value).replace("-", "−");
  Arena.signed = number => (number < 0 ? "" : "+") + Arena.minus(number);
  // What the browser keeps of a page, for this window only if `storage` is "sessionStorage"; null if it keeps nothing.
  Arena.kept = (key, storage) => {
    try { return JSON.parse(window[storage || "localStorage"].getItem(key)); } catch (error) { return null; } // storage may be switched off
  };
  Arena.keep = (key, value, storage) => {
    try { window[storage || "localStorage"].setItem(key, JSON.stringify(value)); } catch (error) { /* it holds for this page only */ }
  };
  Arena.plain = text => text.replace(/\x1f/g, "");

  // --- Cards ---

  var sets = Object.create(null);
  var drawn = Object.create(null);
  var PLAIN = {
    text: name => String(name),
    shape: "portrait",
    face: name => {
      var text = String(name);
      var shown = text.length > 6 ? text.slice(0, 5) + "…" : text;
      return [svg("text", { x: 5, y: 14, "font-size": Math.min(13, 40 / shown.length), class: "card-index", text: shown }), svg("text", { x: 30, y: 52, "text-anchor": "middle", "font-size": Math.min(26, 78 / shown.length), class: "card-index", text: shown })];
    },
  };

  function setOf(game) { return sets[game] || PLAIN; }

  var phone = window.matchMedia("(max-width: 47.99rem)");
  var beside = window.matchMedia("(min-width: 68rem)"); // the table and the moves are side by side
  var PHONE = 640, TABLET = 780; // pixels in which the table and what is above and below it have room
  var MANY_SEATS = 8; // players whose cards have no room on a phone
  // Whether the cards of a player aren't drawn.
  function folds(context, seat) {
    return phone.matches && context.names.length > MANY_SEATS && seat !== context.front && !(context.open && context.open(seat));
  }

  var FEW = { tile: [0, 11, 5, 3, 2], portrait: [0, 24, 11, 5, 4] }; // cards of another player on a phone, by players side by side
  var IN_ROWS = 3; // so many other players with cards of a pack have a row each on a phone
  var FEW_LARGE = 5; // fewer tiles in a row are larger
  var LONG = 10; // letters of a word that is written smaller, so that it doesn't break
  function isLong(text) { return text.split(/[ -]/).some(word => word.length >= LONG); }

  function paper(inside) {
    return [svg("rect", { x: 0.75, y: 0.75, width: 58.5, height: 82.5, rx: 6, class: inside })];
  }

  function back() {
    var lines = [];
    for (var at = -72; at <= 60; at += 8) {
      lines.push("M" + at + " 84l72-84M" + (60 - at) + " 84l-72-84");
    }
    var clip = "M9 5h42a4 4 0 0 1 4 4v66a4 4 0 0 1-4 4H9a4 4 0 0 1-4-4V9a4 4 0 0 1 4-4z";
    return svg("svg", { viewBox: "0 0 60 84", "aria-hidden": "true", class: "card-picture" },
      paper("card-paper"),
      svg("path", { d: clip, class: "card-back" }),
      svg("svg", { x: 5, y: 5, width: 50, height: 74, viewBox: "5 5 50 74" },
        svg("path", { d: lines.join(""), class: "card-back-lines" })),
      svg("path", { d: "M17 47v-7a4 4 0 0 1-1-8h28a4 4 0 0 1-1 8v7a3 3 0 0 1-3 3H20a3 3 0 0 1-3-3z", class: "card-back-loaf" }));
  }

  // The picture of a card, without a name: screen readers get it from what holds the picture.
  function picture(game, name) {
    var key = game + "\n" + (name === null ? "" : "=" + name);
    if (!drawn[key]) {
      var set = setOf(game);
      if (name === null) drawn[key] = back();
      else if (set.shape === "tile") {
        drawn[key] = svg("svg", { viewBox: "0 0 48 48", "aria-hidden": "true", class: "card-picture" }, set.face(name));
      } else {
        drawn[key] = svg("svg", { viewBox: "0 0 60 84", "aria-hidden": "true", class: "card-picture" }, paper("card-paper"), set.face(name));
      }
    }
    return drawn[key].cloneNode(true);
  }

  function words(game, name) { return name === null ? "a card, face down" : setOf(game).text(name); }
  function short(game, name) { return (setOf(game).short || setOf(game).text)(name); }

  function signed(number) { return Arena.signed(number.toFixed(1).replace("-0.0", "0.0")); }
  function quality(worth) { return worth >= 0.3 ? " is-good" : worth <= -0.3 ? " is-bad" : ""; }

  // The cards that a player likes best and least.
  function tastes(game, worth) {
    var families = setOf(game).families;
    if (!families || !worth) return null;
    var names = Object.keys(worth).sort((a, b) => worth[b] - worth[a]);
    return html("div", { class: "tastes" }, [["Best", names.slice(0, 5)], ["Worst", names.slice(-5).reverse()]].map(few => html("div", { class: "taste-row" }, html("b", { text: few[0] }), few[1].map(name => html("span", { class: "taste", title: words(game, name) }, picture(game, name), html("small", { class: quality(worth[name]), text: signed(worth[name]) }), html("span", { class: "visually-hidden", text: " " + words(game, name) }))))));
  }
  function family_tastes(game, worth) {
    var families = setOf(game).families;
    if (!families || !worth) return null;
    var means = Object.keys(families).map(family => [family, families[family].reduce((sum, name) => sum + worth[name], 0) / families[family].length]);
    return html("ul", { class: "taste-row", "aria-label": "Tastes" }, means.map(one => html("li", { class: "taste", title: one[0] + " " + signed(one[1]) },
      picture(game, families[one[0]][0]), html("small", { class: quality(one[1]), text: signed(one[1]), "aria-hidden": "true" }),
      html("span", { class: "visually-hidden", text: one[0] + " " + signed(one[1]) }))));
  }

  function card(context, name, place) {
    var set = setOf(context.game);
    var tile = name !== null && set.shape === "tile";
    var isLarge = typeof place.seat !== "number" || place.seat === context.front || Boolean(context.open && context.open(place.seat));
    var isNear = isLarge || !context.open;
    if (!isNear && context.composes && name !== null) context.act(name, place); // the form has it, once these cards are large
    var action = context.act && name !== null && isNear ? context.act(name, place) : null;
    var called = words(context.game, name), text = called;
    var parts = [picture(context.game, name)];
    if (tile && isLarge && !place.small) parts.push(html("span", { class: "card-name" + (isLong(called) ? " is-long" : ""), text: called, "aria-hidden": "true" }));
    var worth = context.worth && isLarge && !place.small && name !== null ? context.worth[name] : undefined;
    if (worth !== undefined) {
      parts.push(html("span", { class: "card-worth" + quality(worth), "aria-hidden": "true", text: signed(worth) }));
      text += ", " + signed(worth);
    }
    if (action && action.gain) parts.push(html("span", { class: "card-gain" + (action.gain.charAt(0) === "-" ? " is-loss" : ""), "aria-hidden": "true", text: Arena.minus(action.gain) }));
    if (action && action.number) parts.push(html("span", { class: "card-number", "aria-hidden": "true", text: String(action.number) }));
    var common = {
      class: "card-face" + (action && action.legal ? " is-legal" : "") + (tile ? " tile" : "") + (tile && set.kind ? " kind-" + set.kind(name) : ""),
      "data-card": name === null ? "" : name, "data-zone": place.zone, "data-seat": place.seat, "data-at": place.at,
      title: name === null ? null : text,
    };
    if (!action) return html("span", Object.assign(common, { role: "img", "aria-label": text }), parts);
    // A name of its own and no `aria-label`, which would have to repeat what is printed on the card.
    parts.push(html("span", { class: "visually-hidden", text: action.label || text }));
    return html("button", Object.assign(common, {
      type: "button", "aria-pressed": action.pressed === undefined ? null : String(action.pressed),
      disabled: Boolean(action.disabled), onclick: action.press,
    }), parts);
  }

  function row(context, names, place, label) {
    var set = setOf(context.game);
    if (place.zone === "hand" && folds(context, place.seat)) return html("p", { class: "card-row is-folded", text: String(names.length) });
    if (!names.length) return html("p", { class: "no-cards", "aria-label": (label ? label + ": " : "") + "no cards", text: "no cards" });
    var order = names.map((_, at) => at);
    if (place.sorted && set.order) {
      order.sort((a, b) => set.order(names[a]) - set.order(names[b]) || a - b);
    }
    var tiles = set.shape === "tile";
    var cards = order.map(at => html("li", {}, card(context, names[at], { zone: place.zone, seat: place.seat, at, small: place.small }),
      place.numbered ? html("span", { class: "card-at", text: String(at) }) : null));
    var row_of = (some, name) => html("ul", { class: "card-row" + (tiles ? some.length > 7 ? " tiles rows-of-" + Math.ceil(some.length / 2) : " tiles" + (some.length < 7 ? " one-row" : "") + (some.length < FEW_LARGE ? " few" : "") : "") + (place.small ? " small" : ""), "aria-label": name }, some);
    // Small cards are the first few, and how many more there are.
    var others = context.names.length - (context.stays || (!tiles && typeof context.front === "number") ? 1 : 0);
    var side_by_side = !tiles && others === IN_ROWS ? 1 : others === 4 ? 2 : Math.min(others, others < 7 ? 3 : 4);
    var few = FEW[tiles ? "tile" : "portrait"][side_by_side] || 0;
    if ((tiles || !context.over) && phone.matches && place.zone === "hand" && place.seat !== context.front && names.length > few + 1 && !(context.open && context.open(place.seat))) {
      cards[few - 1].className = "is-last";
      cards = cards.slice(0, few).concat(html("li", { class: "more-cards", text: "+" + (names.length - few) }));
    }
    // Cards of a long row overlap. Where they have to be told apart by a finger, a narrow screen has several rows.
    if (context.over && set.group && place.zone === "hand" && !phone.matches) {
      var groups = [...new Set(order.map(at => set.group(names[at])))];
      return html("div", { class: "card-rows", role: "group", "aria-label": label }, groups.map(group => row_of(cards.filter((_, place) => set.group(names[order[place]]) === group), null)));
    }
    var is_own = place.zone === "hand" && place.seat === context.front && !context.over && !tiles && names.length > 8;
    var room = Infinity; // cards in a row
    if (is_own) room = context.stays ? phone.matches ? 7 : 10 : phone.matches ? 18 : 14;
    else if (phone.matches && place.zone === "line") room = 7;
    else if (phone.matches && place.zone === "hand" && context.over && !tiles && context.names.length < 3) room = 14;
    var rows = place.small ? 1 : Math.min(phone.matches ? 3 : 2, Math.ceil(names.length / room));
    if (rows < 2) return row_of(cards, label);
    var many = Math.ceil(cards.length / rows), parts = [];
    while (place.zone === "hand" && cards.length % many) cards.push(html("li", { class: "no-card", "aria-hidden": "true" })); // all rows overlap alike
    for (var from = 0; from < cards.length; from += many) parts.push(row_of(cards.slice(from, from + many), null));
    return html("div", { class: "card-rows", role: "group", "aria-label": label }, parts);
  }

  function backs(context, count, place, label) {
    var text = (label ? label + ": " : "") + (count === 1 ? "1 card, face down" : count + " cards, face down");
    if (!count) return html("p", { class: "no-cards", "aria-label": (label ? label + ": " : "") + "no cards", text: "no cards" });
    var shown = [];
    for (var at = 0; at < Math.min(count, 10); at += 1) {
      shown.push(html("span", { class: "card-face", "data-card": "", "data-zone": place.zone, "data-seat": place.seat }, picture(context.game, null)));
    }
    return html("div", { class: "card-row fan", role: "img", "aria-label": text }, shown, html("span", { class: "card-count", text: "× " + count, "aria-hidden": "true" }));
  }

  function pile(context, count, name, place, label) {
    var what = name === null ? "face down" : words(context.game, name) + " on top";
    var cards = count === 1 ? "1 card" : count + " cards";
    var top = count === 0 ? html("span", { class: "card-face card-gap", role: "img", "aria-label": label + ": empty" })
      : name === null ? html("span", { class: "card-face", role: "img", "aria-label": label + ": " + cards + ", face down", "data-card": "", "data-zone": place.zone }, picture(context.game, null))
      : card(context, name, place);
    return html("div", { class: "pile" + (count > 1 ? " deep" : ""), role: "group", "aria-label": label + ", " + cards + ", " + what, "data-pile": place.zone },
      top, html("span", { class: "pile-name", text: label }), html("span", { class: "pile-count", text: count === 0 ? "empty" : cards }));
  }

  Arena.cards = {
    define: (game, set) => { sets[game] = Object.assign({}, PLAIN, set); },
    picture, words, tastes, family_tastes, short, card, row, backs, pile, folds,
  };

  // --- Tables ---

  var tables = Object.create(null);

  // Who plays together with a seat, in words; `context.sides`: by seat, null without partners.
  function partners(context, number) {
    var sides = context.sides || [];
    var names = context.names.filter((_, seat) => seat !== number && sides[number] !== null && sides[seat] === sides[number]);
    return sides.length && names.length ? "with " + names.join(", ") : "";
  }

  // The numbers of a bot's colour and shape, by its name: as `face_of` of `results.reports.charts`.
  Arena.looks = name => {
    var hash = Array.from(name.replace(/^.*\/|@.*$| [0-9]+$/g, "")).reduce((hash, letter) => (hash * 1411 + letter.codePointAt(0)) % 8191, 7);
    return { colour: hash % 10 + 1, shape: Math.floor(hash / 10) % 4 + 1 };
  };

  // The numbers of colours for lines of one chart: those of the faces, or the next that no line before has.
  Arena.line_colours = names => names.reduce((taken, name) => {
    var own = Arena.looks(name).colour, step = 0;
    while (step < 10 && taken.includes((own - 1 + step) % 10 + 1)) step += 1;
    return taken.concat((own - 1 + step) % 10 + 1);
  }, []);

  // `Arena.you`: the name of the person who plays here, whose face no bot has.
  function face(name) {
    var looks = name === Arena.you ? { colour: 7 } : Arena.looks(name);
    return svg("svg", { class: "seat-face face" + looks.colour, "aria-hidden": "true" }, svg("use", { href: looks.shape ? "#icon-bot" + looks.shape : "#icon-you" }));
  }

  // `facts`: {score, turn, marks, cards}; `marks` are short texts beside the name.
  function seat(context, number, facts, ...parts) {
    var marks = (facts.marks || []).map(text => html("span", { class: "badge", text }));
    if (facts.turn) marks.unshift(html("span", { class: "badge running", text: facts.turn === true ? "to move" : facts.turn }));
    return html("div", { role: "group", class: "seat" + (facts.turn ? " has-turn" : "") + (context.eyes === number ? " is-eyes" : ""), "aria-label": context.names[number], "data-seat": number },
      html("header", { class: "seat-head" },
        face(context.names[number]),
        html("strong", { class: "seat-name", title: context.names[number] }, context.names[number].split(/( [0-9]+)$/).filter(Boolean).map(part => html("span", { text: part }))),
        html("span", { class: "seat-partners", text: partners(context, number) }), html("span", { class: "seat-marks" }, marks),
        facts.score === undefined ? null : html("span", { class: "seat-score", "data-score": facts.score }, html("b", { text: Arena.minus(facts.score) }), html("span", { text: facts.score === 1 ? " point" : " points" }))),
      parts, context.says && context.says[number] ? html("p", { class: "seat-says", "aria-hidden": "true", text: context.says[number] }) : null);
  }

  var OPEN_CARDS = ".is-folded, [data-card]:not([data-card=''])";

  // Puts the players around the table, and the one in front below it.
  function arrange(table, context) {
    var seats = table.querySelector(".seats");
    if (!seats || seats.parentNode !== table) return table;
    var facts = table.querySelector(".table-facts");
    var find = number => seats.querySelector('.seat[data-seat="' + number + '"]');
    var own = typeof context.front === "number" ? find(context.front) : null;
    var has_cards = table.querySelector(".card-picture");
    seats.classList.add("others");
    if (facts) facts.after(seats);
    else table.prepend(seats);
    seats.querySelectorAll(".seat").forEach(seat => { seat.classList.toggle("is-bare", !seat.querySelector(OPEN_CARDS)); });
    seats.classList.toggle("is-bare", !seats.querySelector(OPEN_CARDS));
    seats.classList.toggle("of-hands", seats.children.length > 2 && Boolean(seats.querySelector(".card-row:not(.tiles)")));
    if (own && !context.over && (has_cards || context.eyes !== null)) { // without cards, nothing changes places
      table.append(html("div", { class: "front" }, own));
    }
    lead(table, context);
    seats.dataset.count = String(Math.min(12, seats.children.length));
    seats.classList.toggle("in-rows", seats.matches(".of-hands") && (context.over || (seats.children.length === IN_ROWS && Boolean(seats.querySelector(OPEN_CARDS)))));
    seats.classList.toggle("crowd", !seats.matches(".in-rows") && (seats.children.length === 3 || seats.children.length > 4));
    seats.classList.toggle("many", context.names.length > MANY_SEATS);
    [...seats.querySelectorAll(".seat")].forEach(seat => {
      var number = Number(seat.dataset.seat);
      if (context.open && context.open(number)) seat.classList.add("is-open");
      if (!context.choose || !seat.querySelector(OPEN_CARDS)) return;
      seat.append(html("button", { type: "button", class: "seat-choose", "aria-pressed": String(Boolean(context.open && context.open(number))), "aria-label": "Cards of " + context.names[number], onclick: () => { context.choose(number); } }));
    });
    return table;
  }

  // Whoever has most points wears a crown, and so does the winner.
  function lead(table, context) {
    var scores = [...table.querySelectorAll(".seat-score[data-score]")];
    var points = scores.map(one => Number(one.dataset.score));
    var most = Math.max(...points);
    if (most === Math.min(...points)) return;
    scores.forEach((one, at) => {
      if (points[at] < most) return;
      one.prepend(crown(), html("span", { class: "visually-hidden", text: context.over ? "wins with " : "leads with " }));
      if (context.over) one.closest(".seat").classList.add("has-won");
    });
  }
  function crown() { return svg("svg", { viewBox: "0 0 24 16", class: "crown", "aria-hidden": "true" }, svg("path", { d: "M2 15L1 3l6 5 5-7 5 7 6-5-1 12z" })); }

  var TIGHTER = ["is-close", "is-tight", "is-tighter", "is-tightest", "is-packed"];
  var ROOM = 120; // pixels that a level saves, as long as that isn't known
  var PADDING = 24; // pixels above and below what lies in the middle
  var MANY = 60; // cards in the middle that have no room unless they are small
  var fitted = Object.create(null); // by the parts of a table: {level, saved and refused: pixels}
  window.addEventListener("resize", () => { fitted = Object.create(null); });
  // What was measured before the letters came is forgotten.
  if (document.fonts) document.fonts.addEventListener("loadingdone", () => {
    document.querySelectorAll(".table-host").forEach(host => { host.classList.remove(...TIGHTER); });
    window.dispatchEvent(new Event("resize"));
  });

  // The height that the middle of a table has and doesn't need, in pixels.
  function spare(table) {
    var middle = table.querySelector(":scope > .table-middle:not(.tasting)");
    if (!middle || !middle.firstChild) return 0;
    var inside = document.createRange();
    inside.selectNodeContents(middle);
    return middle.clientHeight - inside.getBoundingClientRect().height - PADDING;
  }

  // The height of the window, or the part of it that a table and what is around it may take, in pixels.
  function screen() { return beside.matches ? window.innerHeight : Math.min(window.innerHeight, phone.matches ? PHONE : TABLET); }

  // From table to table of the same parts it stays as small as it had to be, until there is much room again: it doesn't
  // jump, and browsers lay it out once.
  function fit(host, limit) {
    var table = host.querySelector(".table");
    if (!table || !table.firstElementChild) return;
    var cards = table.querySelectorAll(".card-picture").length;
    var parts = [...table.children].map(part => part.className).join("/");
    var crowd = table.querySelectorAll(".seats > *").length > MANY_SEATS ? (phone.matches ? TIGHTER.length : table.querySelector(".seat.is-open") ? TIGHTER.length - 2 : 2) : 0;
    var many = table.querySelectorAll(".table-middle:not(.tasting) .card-picture").length > MANY;
    var known = fitted[parts] || (fitted[parts] = { level: many ? TIGHTER.length - 2 : Math.max(crowd, TIGHTER.filter(name => host.classList.contains(name)).length) });
    var end = level => {
      known.level = level;
      TIGHTER.forEach((name, at) => { host.classList.toggle(name, at < level); });
      return table.getBoundingClientRect().bottom + window.scrollY;
    };
    var most = limit();
    var room = Math.floor(most - table.getBoundingClientRect().top - window.scrollY) + "px";
    if (host.style.getPropertyValue("--room") !== room) host.style.setProperty("--room", room); // or all is laid out again
    var bottom = end(known.level);
    var free = known.level && !many ? spare(table) : 0, level_before = known.level;
    var looser = known.level && !many && (!(cards >= known.cards) || (free >= (known.saved || ROOM) && !(free <= known.refused)));
    known.cards = cards;
    if (looser) host.classList.remove("is-filled"); // how much it needs is seen if it isn't filled up
    if (looser) bottom = end(known.level);
    while (looser && known.level && bottom <= most - (known.saved || ROOM)) {
      known.saved = 0;
      bottom = end(known.level - 1);
    }
    while (bottom > most && known.level < TIGHTER.length) {
      var before = bottom;
      bottom = end(known.level + 1);
      known.saved = before - bottom;
    }
    if (looser) known.refused = known.level < level_before ? 0 : Math.max(free, known.refused || 0); // so much wasn't enough
    host.classList.add("is-filled");
  }

  // What an element shows: one that shows something else is replaced, with what a click on it does.
  function sign(node) {
    if (node.nodeType !== 1) return "";
    var of = node.nodeName === "LI" && node.firstElementChild && !node.hasAttribute("data-card") ? node.firstElementChild : node;
    return [node.nodeName, of.getAttribute("data-card"), of.getAttribute("data-zone"), of.getAttribute("data-seat"), node.nodeName === "BUTTON" && !of.hasAttribute("data-card") ? node.getAttribute("aria-label") : ""].join("\n");
  }
  function alike(old, fresh) { return old.nodeType === 1 && fresh.nodeType === 1 && sign(old) === sign(fresh); }

  // Gives an element the children of a new table and keeps those that are the same, so that little is laid out again.
  // `by_turn`: what a click on a button does depends on how it looks, so that one that looks different is replaced.
  function merge_children(parent, fresh, by_turn) {
    var old = [...parent.childNodes];
    var first = 0, ends = 0;
    while (first < old.length && first < fresh.length && alike(old[first], fresh[first])) first += 1;
    while (ends < old.length - first && ends < fresh.length - first && alike(old[old.length - 1 - ends], fresh[fresh.length - 1 - ends])) ends += 1;
    var until = old.length - ends;
    fresh.forEach((node, at) => {
      var back = fresh.length - at;
      if (at < first) merge(old[at], node, by_turn);
      else if (back <= ends) merge(old[old.length - back], node, by_turn);
      else parent.insertBefore(node, until < old.length ? old[until] : null);
    });
    for (var at = first; at < until; at += 1) old[at].remove();
  }
  function merge(old, fresh, by_turn) {
    if (old.isEqualNode(fresh)) return;
    if (old.namespaceURI !== html("p").namespaceURI || (by_turn && old.nodeName === "BUTTON")) { old.replaceWith(fresh); return; }
    [...old.attributes].forEach(one => { if (!fresh.hasAttribute(one.name)) old.removeAttribute(one.name); });
    [...fresh.attributes].forEach(one => { if (old.getAttribute(one.name) !== one.value) old.setAttribute(one.name, one.value); });
    merge_children(old, [...fresh.childNodes], by_turn);
  }

  // The cards of a hand: those of the view for its own seat, those of `views` on an open table, backs otherwise.
  function hand(context, view, number, count, options) {
    var own = view.seat === number ? view.hand : context.views ? context.views[number].hand : null;
    var place = Object.assign({ zone: "hand", seat: number, sorted: true }, options);
    var label = "Hand of " + context.names[number];
    return own ? row(context, own, place, label) : backs(context, count, place, label);
  }

  function facts(pairs) {
    return html("ul", { class: "table-facts" }, pairs.filter(Boolean).map(pair => html("li", {}, pair[0] + " ", html("b", { text: String(pair[1]) }))));
  }

  Arena.tables = {
    define: (game, draw) => { tables[game] = draw; },
    draw: (view, context) => arrange((tables[context.game] || Arena.tables.plain)(view, context), context),
    seat, face, crown, hand, facts, fit, screen, merge: merge_children,
  };
})();
