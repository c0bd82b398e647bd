// The data of a game in an exported folder: one file for all views, compressed. It is unpacked for the eyes of this page.
(function () {
  "use strict";
  var Arena = window.Arena;
  var html = Arena.html;
  var current = document.querySelector(".eyes a[aria-current]");
  if (!window.ARENA_GAME || !current) return;

  function unpacked(text) {
    var bytes = Uint8Array.from(atob(text), function (one) { return one.charCodeAt(0); });
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
  }

  function values(shared, numbers) {
    var found = {};
    Object.keys(numbers).forEach(function (key) { found[key] = shared[numbers[key]]; });
    return found;
  }

  // Puts the shared values in the place of their numbers.
  function whole(data, shared) {
    data.steps.forEach(function (step) {
      step.e = step.e.map(function (number) { return shared[number]; });
      [step].concat(Object.values(step.s || {})).forEach(function (part) { if (part.v) part.v = values(shared, part.v); });
      if (step.l) step.l = step.l.map(function (number) { return shared[number]; });
    });
    return data;
  }

  function line(parts) {
    var kind = parts[0], name = parts[1], words = parts[2], seat = parts[3];
    if (kind === "note") return html("p", { class: kind, "data-seat": seat }, html("b", { text: name }), " ", words);
    return html("p", { class: kind, "data-seat": seat, text: (kind === "answer" ? "→ " + name + ": " : kind === "move" ? name + ": " : "") + words });
  }

  function item(step, at) {
    return function () {
      return html("li", { "data-step": at }, step.d === undefined ? null : html("span", { class: "decision", text: step.d }), step.d === undefined ? null : " ", step.l.map(line));
    };
  }

  function fail() {
    current.closest(".eyes").after(html("p", { class: "notice", role: "status", text: "This browser can't unpack the game. A newer one can." }));
  }

  Promise.resolve(window.ARENA_GAME).then(unpacked).then(function (game) {
    var data = whole(game.documents[current.dataset.eyes], game.shared);
    setTimeout(function () { Arena.start_viewer(data, document.getElementById("log-source") ? null : data.steps.map(item)); });
  }, fail);
})();
