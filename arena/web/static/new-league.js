// Keeps what a new league would play up to date while its form is filled in: the server says it.
(() => {
  "use strict";
  var form = document.getElementById("new-league");
  var timer = null, asked = 0;

  function show(text) {
    var fresh = new DOMParser().parseFromString(text, "text/html");
    form.querySelectorAll("[data-look]").forEach(old => {
      var found = fresh.getElementById(old.id);
      if (!found || found.innerHTML === old.innerHTML || old.contains(document.activeElement)) return;
      var open = old.querySelector("details[open]");
      old.replaceChildren.apply(old, found.childNodes);
      if (open && old.querySelector("details")) old.querySelector("details").open = true;
    });
  }

  function look() {
    var mine = asked += 1, fields = new URLSearchParams(new FormData(form));
    fields.set("step", "look");
    fetch(form.action, { method: "POST", body: fields, cache: "no-store" })
      .then(answer => answer.text())
      .then(text => { if (mine === asked) show(text); })
      .catch(() => { /* the buttons still work */ });
  }

  form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(look, 400); });
})();
