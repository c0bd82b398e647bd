// The table of {{GAME}}: OpenSpiel's own text, for everybody or for each seat.
(function () {
  "use strict";
  var Arena = window.Arena;
  function lines(view) { return view && view.text ? Arena.html("pre", { class: "scroll", text: view.text.join("\n") }) : null; }
  Arena.tables.define("{{GAME}}", function (view, context) {
    return Arena.html("div", { class: "table" }, lines(view),
      Arena.html("div", { class: "seats" }, context.names.map(function (_, seat) {
        var own = context.views && context.views[seat];
        return Arena.tables.seat(context, seat, { turn: view.to_move === seat }, view.text ? null : lines(own));
      })));
  });
})();
