// The data of a game in an exported folder: one file for all views, compressed. It is unpacked for the eyes of this page.
(() => {
  "use strict";
  var Arena = window.Arena;
  var html = Arena.html;
  var current = document.querySelector(".eyes a[aria-current]");
  if (!window.ARENA_GAME || !current) return;

  function unpacked(text) {
    var bytes = Uint8Array.from(atob(text), one => one.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
  }

  function values(shared, numbers) {
    var found = {};
    Object.keys(numbers).forEach(key => { found[key] = shared[numbers[key]]; });
    return found;
  }

  // Puts the shared values in the place of their numbers.
  function whole(data, shared) {
    data.steps.forEach(step => {
      if (step.e) step.e = step.e.map(number => shared[number]);
      [step].concat(Object.values(step.s || {})).forEach(part => { if (part.v) part.v = values(shared, part.v); });
      if (step.l) step.l = step.l.map(number => shared[number]);
    });
    return data;
  }

  function line(parts) { return html("p", { class: parts[0] === "told" ? null : parts[0] }, Arena.named(parts[1])); }

  function item(step) { return () => html("li", {}, step.l.map(line)); }

  function fail() {
    current.closest(".eyes").after(html("p", { class: "notice", role: "status", text: "This browser can't unpack the game. A newer one can." }));
  }

  Promise.resolve(window.ARENA_GAME).then(unpacked).then(game => {
    var data = whole(game.documents[current.dataset.eyes], game.shared);
    setTimeout(() => { Arena.start_viewer(Arena.read_game(data), document.getElementById("log-source") ? null : data.steps.map(item)); });
  }, fail);
})();
