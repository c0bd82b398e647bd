// Takes the code of an invitation from the address, where no server sees it, into the form, and out of the history.
(() => {
  "use strict";
  var form = document.getElementById("join");
  var code = document.getElementById("code");
  function take() {
    var given = window.location.hash.slice(1);
    if (!/^arena_join_[A-Za-z0-9_-]{20,100}$/.test(given)) return;
    code.value = given;
    code.closest(".field").hidden = true;
    document.getElementById("invited").hidden = false;
    window.history.replaceState(null, "", window.location.pathname);
    form.querySelector("button").focus({ preventScroll: true });
  }
  window.addEventListener("hashchange", take);
  take();
})();
