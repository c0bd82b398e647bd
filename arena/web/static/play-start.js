// The form that begins a game: as many bots as there are other seats.
(() => {
  "use strict";
  var form = document.getElementById("begin");
  if (!form) return;
  var ruleset = document.getElementById("ruleset");
  var seats = document.getElementById("seats");
  var seat = document.getElementById("seat");

  // Options that can't be chosen are disabled too, because some browsers show hidden ones.
  function allow(select, fits) {
    [...select.options].forEach(option => { option.hidden = option.disabled = !fits(option.value); });
    if (select.selectedOptions[0] && select.selectedOptions[0].disabled) {
      select.value = [...select.options].find(option => !option.disabled).value;
    }
  }

  var options = form.querySelectorAll('[name^="option-"]');

  function fitSeats() {
    var range = ruleset.selectedOptions[0].dataset;
    seats.value = String(Math.max(Number(range.least), Math.min(Number(range.most), Number(seats.value))));
    fit();
  }

  function fit() {
    var range = ruleset.selectedOptions[0].dataset;
    // Options may allow other numbers.
    var isOwn = [...options].some(option => option.value.trim() !== "");
    allow(seats, value => isOwn || (Number(value) >= Number(range.least) && Number(value) <= Number(range.most)));
    allow(seat, value => value === "any" || Number(value) < Number(seats.value));
    form.querySelectorAll(".opponent").forEach(field => {
      var used = Number(field.dataset.at) < Number(seats.value) - 1;
      field.hidden = !used;
      field.querySelector("select, input").disabled = !used;
    });
  }

  window.addEventListener("pageshow", fit);
  ruleset.addEventListener("change", fitSeats);
  seats.addEventListener("change", fit);
  options.forEach(option => { option.addEventListener("input", fit); });
  fit();
})();
