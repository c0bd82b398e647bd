// The example is of the chosen game.
document.addEventListener("change", ({ target }) => {
  if (target.name !== "game") return;
  document.querySelectorAll("[data-game]").forEach(one => { one.hidden = one.dataset.game !== target.value; });
});
