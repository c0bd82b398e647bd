// The form that begins a game: as many bots as there are other seats.
(function () {
  "use strict";
  var form = document.getElementById("begin");
  if (!form) return;
  var ruleset = document.getElementById("ruleset");
  var seats = document.getElementById("seats");
  var seat = document.getElementById("seat");

  // Options that can't be chosen are disabled too, because some browsers show hidden ones.
  function allow(select, fits) {
    Array.prototype.forEach.call(select.options, function (option) { option.hidden = option.disabled = !fits(option.value); });
    if (select.selectedOptions[0] && select.selectedOptions[0].disabled) {
      select.value = Array.prototype.find.call(select.options, function (option) { return !option.disabled; }).value;
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
    var isOwn = Array.prototype.some.call(options, function (option) { return option.value.trim() !== ""; });
    allow(seats, function (value) { return isOwn || (Number(value) >= Number(range.least) && Number(value) <= Number(range.most)); });
    allow(seat, function (value) { return value === "any" || Number(value) < Number(seats.value); });
    form.querySelectorAll(".opponent").forEach(function (field) {
      var used = Number(field.dataset.at) < Number(seats.value) - 1;
      field.hidden = !used;
      field.querySelector("select, input").disabled = !used;
    });
  }

  var sent = false;
  form.addEventListener("submit", function (event) {
    if (sent) event.preventDefault();
    sent = true;
  });
  window.addEventListener("pageshow", function () { sent = false; fit(); });
  ruleset.addEventListener("change", fitSeats);
  seats.addEventListener("change", fit);
  options.forEach(function (option) { option.addEventListener("input", fit); });
  fit();
})();
