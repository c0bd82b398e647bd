// The table of a game that has no drawing of its own: what is in the view, by key, as readable cards.
(function () {
  "use strict";
  var Arena = window.Arena;
  var html = Arena.html;
  var MOST = 200; // items of a list
  var DEEPEST = 4;
  var BY_SEAT = /^(scores|points|totals|banked|held|hands|plates|counts)$/; // keys of lists with an item for each seat

  function words(key) {
    var text = String(key).replace(/[_-]+/g, " ");
    return text.charAt(0).toUpperCase() + text.slice(1);
  }

  function isPlain(value) { return value === null || typeof value !== "object"; }

  function text(value) {
    if (value === null || value === undefined) return "–";
    if (value === true) return "yes";
    if (value === false) return "no";
    return String(value);
  }

  function chips(values) {
    if (!values.length) return html("span", { class: "quiet", text: "none" });
    return html("ul", { class: "chips" }, values.slice(0, MOST).map(function (value) { return html("li", { text: text(value) }); }),
      values.length > MOST ? html("li", { class: "quiet", text: "and " + (values.length - MOST) + " more" }) : null);
  }

  function table(rows, names) {
    var keys = [];
    rows.forEach(function (row) { Object.keys(row).forEach(function (key) { if (keys.indexOf(key) < 0) keys.push(key); }); });
    return html("div", { class: "scroll" }, html("table", {},
      html("thead", {}, html("tr", {}, names ? html("th", { scope: "col", text: "" }) : null, keys.map(function (key) { return html("th", { scope: "col", text: words(key) }); }))),
      html("tbody", {}, rows.slice(0, MOST).map(function (row, at) {
        return html("tr", {}, names ? html("th", { scope: "row", text: names[at] }) : null, keys.map(function (key) { return html("td", {}, shown(row[key], null, 2)); }));
      }))));
  }

  function list(values, context, depth, key) {
    if (!BY_SEAT.test(key)) context = null;
    if (values.every(isPlain)) {
      if (context && values.length === context.names.length) {
        return pairs(context.names, values);
      }
      return chips(values);
    }
    if (values.every(function (value) { return !isPlain(value) && !Array.isArray(value); })) {
      return table(values, context && values.length === context.names.length ? context.names : null);
    }
    var names = context && values.length === context.names.length ? context.names : values.map(function (_, at) { return String(at + 1); });
    return html("dl", { class: "plain-view inner" }, values.slice(0, MOST).map(function (value, at) {
      return html("div", {}, html("dt", { text: names[at] }), html("dd", {}, shown(value, null, depth + 1)));
    }));
  }

  // Numbers by player, such as the scores.
  function pairs(names, values) {
    return html("dl", { class: "by-player" }, names.map(function (name, at) {
      return html("div", {}, html("dt", { text: name }), html("dd", { text: text(values[at]) }));
    }));
  }

  function shown(value, context, depth, key) {
    if (isPlain(value)) return html("span", { class: "plain-value", text: text(value) });
    if (depth > DEEPEST) return html("code", { text: JSON.stringify(value).slice(0, 500) });
    if (Array.isArray(value)) return list(value, context, depth, key);
    return entries(value, null, depth + 1);
  }

  function entries(view, context, depth) {
    var keys = Object.keys(view);
    if (!keys.length) return html("span", { class: "quiet", text: "nothing" });
    return html("dl", { class: "plain-view" + (depth > 1 ? " inner" : "") }, keys.map(function (key) {
      var value = view[key];
      if (context && (key === "turn" || key === "to_move" || key === "seat" || key === "dealer") && typeof value === "number" && context.names[value] !== undefined) value = context.names[value];
      return html("div", { class: "plain-card" }, html("dt", { text: words(key) }), html("dd", {}, shown(value, context, depth, key)));
    }));
  }

  // What a seat's view has beyond that of spectators.
  function beyond(view, own) {
    var more = {};
    Object.keys(own).forEach(function (key) {
      if (key !== "seat" && JSON.stringify(own[key]) !== JSON.stringify(view[key])) more[key] = own[key];
    });
    return more;
  }

  Arena.tables.plain = function (view, context) {
    var seats = null;
    if (context.views) {
      seats = context.names.map(function (_, number) {
        var more = beyond(view, context.views[number]);
        return Object.keys(more).length ? Arena.tables.seat(context, number, {}, entries(more, null, 1)) : null;
      });
    }
    return html("div", { class: "table plain" }, entries(view, context, 1), seats ? html("div", { class: "seats" }, seats) : null);
  };
})();
