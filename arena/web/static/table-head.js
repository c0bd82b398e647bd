// On a small screen, pages with a table have one row above it: the site's sign, the title, and a menu with all the rest.
(() => {
  "use strict";
  var Arena = window.Arena;
  var html = Arena.html;
  var small = window.matchMedia("(max-width: 67.99rem)");

  // Moves the title and the menu; `about`, a paragraph about the page, goes into the menu too.
  Arena.one_row = about => {
    var header = document.querySelector(".site-header");
    var title = document.querySelector("main h1");
    if (!header || !title) return;
    var rest = html("div", { class: "head-rest" });
    var menu = html("details", { class: "head-menu" }, html("summary", { "aria-label": "Menu", text: "☰" }), rest);
    var moved = [document.querySelector(".crumbs"), about, header.querySelector("nav")].filter(Boolean);
    var homes = moved.concat(title).map(part => {
      var home = document.createComment("");
      part.before(home);
      return [part, home];
    });
    function place() {
      if (small.matches) {
        header.append(title, menu);
        rest.append(...moved);
      } else {
        homes.forEach(one => { one[1].after(one[0]); });
        menu.remove();
      }
    }
    document.documentElement.classList.add("has-table");
    small.addEventListener("change", place);
    place();
  };
})();
