// Reads the data of a game: steps with their whole views, and where hands end, faults happen and the score swings.
(() => {
  "use strict";
  var Arena = window.Arena;
  var MOST_SWINGS = 8;
  var ROUND = /_ended$/; // the kinds of events that end a hand or a round

  function changed(before, part) {
    if (!part || (!part.v && !part.x)) return before;
    var after = Object.assign({}, before, part.v);
    (part.x || []).forEach(key => { delete after[key]; });
    return after;
  }

  // Steps: {decision, movers, asked, times, events, kinds, view, views, scores}. `view` is null before anything was sent.
  function steps(data) {
    var view = null;
    var beyond = data.names.map(() => ({}));
    var scores = null;
    var next = 0; // the decision that follows from the moves so far
    return data.steps.map(one => {
      if (one.v || one.x) view = changed(view || {}, one);
      var of = one.s || {};
      beyond = beyond.map((own, seat) => changed(own, of[seat]));
      scores = one.p || scores;
      var movers = one.m || [];
      var decision = one.d === undefined ? (movers.length ? next : null) : one.d;
      if (decision !== null) next = decision + movers.length;
      var events = one.e || [];
      var public_view = view;
      var own_views = beyond;
      return {
        decision, movers, asked: one.a || movers, events, kinds: events.map(event => event.kind),
        times: (one.t || []).map(time => ({
          seat: time[0],
          wall_ms: time[1],
          cpu_ms: time[2],
          limit_ms: time[3],
          bank_ms: time[4]
        })),
        view, scores,
        // On an open table: what each seat saw.
        views: data.eyes === null ? () => own_views.map(own => Object.assign({}, public_view, own)) : null,
      };
    });
  }

  function where(all, test) {
    var found = [];
    all.forEach((step, at) => { if (test(step, at)) found.push(at); });
    return found;
  }

  // By how much the lead of any seat over the best of the others changed in a step.
  function swing(before, after) {
    if (!before || !after || before === after || before.length < 2) return 0;
    var lead = (scores, seat) => scores[seat] - Math.max(...scores.filter((_, other) => other !== seat));
    return Math.max(...after.map((_, seat) => Math.abs(lead(after, seat) - lead(before, seat))));
  }

  // The step in which the lead changed most: {at, seat, gain}; null if nobody ever scored.
  function biggest(all) {
    var found = null;
    var most = 0;
    all.forEach((step, at) => {
      var size = at ? swing(all[at - 1].scores, step.scores) : 0;
      if (size <= most) return;
      most = size;
      var gains = step.scores.map((score, seat) => score - all[at - 1].scores[seat]);
      var seat = gains.reduce((best, gain, one) => Math.abs(gain) > Math.abs(gains[best]) ? one : best, 0);
      found = { at, seat, gain: gains[seat] };
    });
    return found;
  }

  // What each seat gained in the last of several rounds; empty if there was one only.
  function last_gains(all) {
    var scored = all.filter(step => step.scores);
    var ends = scored.filter(step => step.kinds.some(kind => ROUND.test(kind)));
    if (ends.length < 2) return [];
    var before = ends[ends.length - 2].scores;
    return scored[scored.length - 1].scores.map((score, seat) => score - before[seat]);
  }

  // The seat in front after each step: the one that moves next, or the same as before if it is among them.
  function fronts(all, eyes) {
    var found = [];
    var next = null;
    if (eyes !== null) return all.map(() => eyes);
    for (var at = all.length - 1; at >= 0; at -= 1) {
      found[at] = next;
      if (all[at].asked.length) next = all[at].asked;
    }
    var front = 0;
    return found.map(movers => {
      if (movers && !movers.includes(front)) front = movers[0];
      return front;
    });
  }

  function swings(all) {
    var sizes = all.map((step, at) => at ? swing(all[at - 1].scores, step.scores) : 0);
    return sizes.map((size, at) => [size, at])
      .filter(one => one[0] > 0)
      .sort((a, b) => b[0] - a[0] || a[1] - b[1])
      .slice(0, MOST_SWINGS).map(one => one[1]).sort((a, b) => a - b);
  }

  Arena.read_game = data => {
    var all = steps(data);
    return {
      game: data.game, eyes: data.eyes, names: data.names, sides: data.sides || [], worth: data.worth || {}, steps: all,
      ends: where(all, step => step.kinds.some(kind => ROUND.test(kind))),
      faults: where(all, step => step.kinds.includes("forfeit")),
      swings: swings(all), biggest: biggest(all), fronts: fronts(all, data.eyes),
      last: all.length - 1, gains: last_gains(all),
      ghosts: {}, // by step: better moves than those that were made, {seat, move, words}
      // The step of a decision, or the last one before it.
      step_of: decision => {
        var found = 0;
        all.forEach((step, at) => { if (step.decision !== null && step.decision <= decision) found = at; });
        return found;
      },
      same_turn: (a, b) => all[a].movers.join() === all[b].movers.join(),
    };
  };
})();
