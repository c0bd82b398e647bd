// A form is sent once, however often its buttons are pressed while the answer is on its way.
(function () {
  "use strict";
  var WAIT_MS = 5000;
  document.querySelectorAll("main form").forEach(function (form) {
    var sent = false;
    form.addEventListener("submit", function (event) {
      if (sent) { event.preventDefault(); return; }
      sent = true;
      setTimeout(function () { sent = false; }, WAIT_MS);
    });
    window.addEventListener("pageshow", function () { sent = false; });
  });
})();
