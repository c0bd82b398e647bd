// Reads the data of a game: steps with their whole views, and where hands end, faults happen and the score swings.
(function () {
  "use strict";
  var Arena = window.Arena;
  var MOST_SWINGS = 8;
  var ROUND = /_ended$/; // the kinds of events that end a hand or a round

  function changed(before, part) {
    if (!part || (!part.v && !part.x)) return before;
    var after = Object.assign({}, before, part.v);
    (part.x || []).forEach(function (key) { delete after[key]; });
    return after;
  }

  // Steps: {decision, movers, asked, times, events, kinds, view, views, scores}. `view` is null before anything was sent.
  function steps(data) {
    var view = null;
    var beyond = data.names.map(function () { return {}; });
    var scores = null;
    return data.steps.map(function (one) {
      if (one.v || one.x) view = changed(view || {}, one);
      var of = one.s || {};
      beyond = beyond.map(function (own, seat) { return changed(own, of[seat]); });
      scores = one.p || scores;
      var public_view = view;
      var own_views = beyond;
      return {
        decision: one.d === undefined ? null : one.d, movers: one.m || [], asked: one.a || one.m || [], events: one.e, kinds: one.e.map(function (event) { return event.kind; }),
        times: (one.t || []).map(function (time) { return { seat: time[0], wall_ms: time[1], cpu_ms: time[2], limit_ms: time[3], bank_ms: time[4] }; }),
        view: view, scores: scores,
        // On an open table: what each seat saw.
        views: data.eyes === null ? function () { return own_views.map(function (own) { return Object.assign({}, public_view, own); }); } : null,
      };
    });
  }

  function where(all, test) {
    var found = [];
    all.forEach(function (step, at) { if (test(step, at)) found.push(at); });
    return found;
  }

  // By how much the lead of any seat over the best of the others changed in a step.
  function swing(before, after) {
    if (!before || !after || before === after || before.length < 2) return 0;
    var lead = function (scores, seat) {
      return scores[seat] - Math.max.apply(null, scores.filter(function (_, other) { return other !== seat; }));
    };
    return Math.max.apply(null, after.map(function (_, seat) { return Math.abs(lead(after, seat) - lead(before, seat)); }));
  }

  // The step in which the lead changed most: {at, seat, gain}; null if nobody ever scored.
  function biggest(all) {
    var found = null;
    var most = 0;
    all.forEach(function (step, at) {
      var size = at ? swing(all[at - 1].scores, step.scores) : 0;
      if (size <= most) return;
      most = size;
      var gains = step.scores.map(function (score, seat) { return score - all[at - 1].scores[seat]; });
      var seat = gains.reduce(function (best, gain, one) { return Math.abs(gain) > Math.abs(gains[best]) ? one : best; }, 0);
      found = { at: at, seat: seat, gain: gains[seat] };
    });
    return found;
  }

  // What each seat gained in the last of several rounds; empty if there was one only.
  function last_gains(all) {
    var scored = all.filter(function (step) { return step.scores; });
    var ends = scored.filter(function (step) { return step.kinds.some(function (kind) { return ROUND.test(kind); }); });
    if (ends.length < 2) return [];
    var before = ends[ends.length - 2].scores;
    return scored[scored.length - 1].scores.map(function (score, seat) { return score - before[seat]; });
  }

  // The seat in front after each step: the one that moves next, or the same as before if it is among them.
  function fronts(all, eyes) {
    var found = [];
    var next = null;
    if (eyes !== null) return all.map(function () { return eyes; });
    for (var at = all.length - 1; at >= 0; at -= 1) {
      found[at] = next;
      if (all[at].asked.length) next = all[at].asked;
    }
    var front = 0;
    return found.map(function (movers) {
      if (movers && movers.indexOf(front) < 0) front = movers[0];
      return front;
    });
  }

  function swings(all) {
    var sizes = all.map(function (step, at) { return at ? swing(all[at - 1].scores, step.scores) : 0; });
    return sizes.map(function (size, at) { return [size, at]; })
      .filter(function (one) { return one[0] > 0; })
      .sort(function (a, b) { return b[0] - a[0] || a[1] - b[1]; })
      .slice(0, MOST_SWINGS).map(function (one) { return one[1]; }).sort(function (a, b) { return a - b; });
  }

  Arena.read_game = function (data) {
    var all = steps(data);
    return {
      game: data.game, eyes: data.eyes, names: data.names, sides: data.sides || [], worth: data.worth || {}, steps: all,
      ends: where(all, function (step) { return step.kinds.some(function (kind) { return ROUND.test(kind); }); }),
      faults: where(all, function (step) { return step.kinds.indexOf("forfeit") >= 0; }),
      swings: swings(all), biggest: biggest(all), fronts: fronts(all, data.eyes),
      last: all.length - 1, gains: last_gains(all),
      ghosts: {}, // by step: better moves than those that were made, {seat, move, words}
      // The step of a decision, or the last one before it.
      step_of: function (decision) {
        var found = 0;
        all.forEach(function (step, at) { if (step.decision !== null && step.decision <= decision) found = at; });
        return found;
      },
      same_turn: function (a, b) { return all[a].movers.join() === all[b].movers.join(); },
    };
  };
})();
