// Sends the form with the archive in the background: shows how far it is, and keeps the chosen file after a problem.
(() => {
  "use strict";
  var form = document.getElementById("upload");
  var problem = document.getElementById("problem");
  var shown = document.getElementById("progress");
  if (!form || !problem || !shown) return;
  var bar = shown.querySelector("progress");
  var words = shown.querySelector("span");
  var button = form.querySelector("button");

  function fail(text) {
    problem.textContent = text;
    problem.hidden = false;
    shown.hidden = true;
    button.disabled = false;
    problem.scrollIntoView({ block: "center" });
  }

  form.addEventListener("submit", event => {
    event.preventDefault();
    var request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.setRequestHeader("Accept", "application/json");
    request.upload.addEventListener("progress", sent => {
      if (!sent.lengthComputable) return;
      bar.value = sent.loaded / sent.total;
      words.textContent = Math.round((100 * sent.loaded) / sent.total) + " %";
    });
    request.addEventListener("load", () => {
      var answer = {};
      try { answer = JSON.parse(request.responseText); } catch (error) { answer = {}; }
      if (request.status === 201 && typeof answer.path === "string" && answer.path.charAt(0) === "/") {
        location.assign(answer.path);
        return;
      }
      var text = typeof answer.message === "string" ? answer.message : "The server refused this (status " + request.status + ").";
      fail(text + (answer.hint ? ": " + answer.hint : "") + ". Your file is still chosen.");
    });
    request.addEventListener("error", () => {
      fail("The connection broke off. Your file is still chosen; try again.");
    });
    problem.hidden = true;
    shown.hidden = false;
    bar.value = 0;
    words.textContent = "";
    button.disabled = true;
    request.send(new FormData(form));
  });
})();
