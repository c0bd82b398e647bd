// The timeline, with a bar for each decision and ticks for faults, ends of hands and swings, and the chart of the scores.
(() => {
  "use strict";
  var Arena = window.Arena;
  var html = Arena.html;
  var svg = Arena.svg;
  var HIGH = 40;
  var PRICES_HIGH = 16; // below it: bars of moves that cost much
  var DASHES = ["none", "6 3", "2 3", "8 3 2 3", "12 4", "4 2"];

  // The share of the limit, on a logarithmic scale that starts at 10 µs: a millisecond shows beside a minute.
  function height(time) {
    return Math.max(2, Math.min(1, Math.log(1 + 100 * time.wall_ms) / Math.log(1 + 100 * time.limit_ms)) * HIGH);
  }

  // The bars of all steps, as parts of a path: those of quick decisions, and those of slow ones.
  function bars(game) {
    var found = { quick: [], slow: [] };
    game.steps.forEach((step, at) => {
      var shown = step.times.reduce((worst, time) => !worst || time.wall_ms / time.limit_ms > worst.wall_ms / worst.limit_ms ? time : worst, null);
      var high = shown && height(shown).toFixed(1);
      var bar = shown ? "M" + at + " " + HIGH + "v-" + high + "h0.8v" + high + "z" : "";
      var slow = shown && shown.wall_ms > shown.limit_ms / 2;
      found.quick.push(slow ? "" : bar);
      found.slow.push(slow ? bar : "");
    });
    return found;
  }

  function ticks(places, limit, top, low) {
    return places.filter(at => at <= limit).map(at => "M" + (at + 0.4) + " " + top + "V" + low).join("");
  }

  // {element, show(at, whole)}: `whole` tells whether what lies ahead is drawn too.
  Arena.timeline = game => {
    var count = game.steps.length;
    var all = bars(game);
    var ahead = svg("path", { class: "bars ahead" });
    var done = svg("path", { class: "bars" });
    var slow = svg("path", { class: "bars slow" });
    var ends = svg("path", { class: "tick-end" });
    var faults = svg("path", { class: "tick-fault" });
    var swings = svg("path", { class: "tick-swing" });
    var prices = svg("path", { class: "price" });
    var low = game.prices.length ? PRICES_HIGH : 0;
    var picture = svg("svg", { viewBox: "0 -8 " + count + " " + (HIGH + 8 + low), preserveAspectRatio: "none", class: "timeline-picture", "aria-hidden": "true" }, ahead, done, slow, prices, ends, swings, faults);
    var before = [-1, null];
    return {
      element: picture,
      show: (at, whole) => {
        if (before[0] === at && before[1] === whole) return;
        before = [at, whole];
        var limit = whole ? count - 1 : at;
        done.setAttribute("d", all.quick.slice(0, at + 1).join(""));
        slow.setAttribute("d", all.slow.slice(0, limit + 1).join(""));
        ahead.setAttribute("d", whole ? all.quick.slice(at + 1).join("") : "");
        ends.setAttribute("d", ticks(game.ends, limit, -8, HIGH));
        swings.setAttribute("d", ticks(game.swings, limit, -8, -1));
        prices.setAttribute("d", game.prices.filter(one => one.at <= limit).map(one => "M" + one.at + " " + (HIGH + 1) + "v" + (PRICES_HIGH * one.part).toFixed(1) + "h0.8V" + (HIGH + 1) + "z").join(""));
        faults.setAttribute("d", ticks(game.faults, limit, -8, HIGH));
      },
    };
  };

  // {element, show(at, whole)}: the scores over time, a line for each player.
  Arena.score_chart = game => {
    var count = game.steps.length;
    var known = game.steps.filter(step => step.scores);
    var even = html("p", { class: "even quiet small" }); // instead of lines that lie on each other
    if (!known.length) return null;
    var all = [0].concat(...known.map(step => step.scores));
    var low = Math.min(...all);
    var high = Math.max(...all);
    if (low === high) high = low + 1;
    var place = score => (96 - ((score - low) / (high - low)) * 92).toFixed(1);
    var colours = Arena.line_colours(game.names);
    var lines = game.names.map((_, seat) => svg("path", { class: "score-line line" + colours[seat], "stroke-dasharray": DASHES[seat % DASHES.length], "vector-effect": "non-scaling-stroke" }));
    var now = svg("path", { class: "now", "vector-effect": "non-scaling-stroke" });
    var zero = svg("path", { class: "axis", d: "M0 " + place(0) + "H" + count, "vector-effect": "non-scaling-stroke" });
    var picture = svg("svg", { viewBox: "0 0 " + count + " 100", preserveAspectRatio: "none", class: "score-picture", role: "img" }, zero, lines, now);
    var values = game.names.map(() => html("b", {}));
    var legend = html("ul", { class: "score-legend" }, game.names.map((name, seat) => html("li", {},
      svg("svg", { viewBox: "0 0 24 6", class: "score-legend-line line" + colours[seat], "aria-hidden": "true" }, svg("path", { d: "M0 3H24", class: "score-line", "stroke-dasharray": DASHES[seat % DASHES.length] })),
      html("span", { text: name }), values[seat])));
    function course(seat, limit) {
      var parts = [];
      var last = null;
      for (var at = 0; at <= limit; at += 1) {
        var scores = game.steps[at].scores;
        if (!scores || (scores[seat] === last && at < limit)) continue;
        parts.push(parts.length ? "H" + (at + 0.4) + "V" + place(scores[seat]) : "M" + (at + 0.4) + " " + place(scores[seat]));
        last = scores[seat];
      }
      return parts.join("");
    }
    var drawn = -1;
    return {
      element: html("section", { class: "scores", "aria-label": "Scores over time" }, html("h2", { text: "Scores" }), html("div", { class: "score-chart" }, picture, even), legend),
      show: (at, whole) => {
        var scores = game.steps[at].scores;
        var limit = whole ? count - 1 : at;
        if (limit !== drawn) lines.forEach((line, seat) => { line.setAttribute("d", course(seat, limit)); });
        drawn = limit;
        now.setAttribute("d", "M" + (at + 0.4) + " 0V100");
        even.textContent = known.slice(0, whole ? known.length : Math.max(1, known.indexOf(game.steps[at]) + 1)).some(step => new Set(step.scores).size > 1) ? "" : scores && scores[0] ? "All are equal" : "Nobody has scored yet";
        picture.classList.toggle("is-even", Boolean(even.textContent));
        values.forEach((value, seat) => { value.textContent = scores ? Arena.minus(scores[seat]) : "–"; });
        picture.setAttribute("aria-label", "Scores: " + game.names.map((name, seat) => name + " " + (scores ? scores[seat] : "unknown")).join(", "));
      },
    };
  };
})();
