// Your first bot: what it reads and writes in the game that is chosen.
(() => {
  "use strict";
  function show() {
    var chosen = document.querySelector('.steps [name="game"]:checked');
    document.querySelectorAll("[data-game]").forEach(one => { one.hidden = chosen && one.dataset.game !== chosen.value; });
  }
  window.addEventListener("pageshow", show);
  document.addEventListener("change", show);
})();
