// A form is sent once, however often its buttons are pressed while the answer is on its way.
(() => {
  "use strict";
  var WAIT_MS = 5000;
  document.querySelectorAll("main form").forEach(form => {
    var sent = false;
    form.addEventListener("submit", event => {
      if (sent) { event.preventDefault(); return; }
      sent = true;
      setTimeout(() => { sent = false; }, WAIT_MS);
    });
    window.addEventListener("pageshow", () => { sent = false; });
  });
})();
