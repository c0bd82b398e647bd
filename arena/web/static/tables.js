// Tables marked `data-sortable`: a click on a heading sorts, the field `data-find` of the same id searches.
// Both are in the address, so that they can be shared, and hold when the rows are replaced by fresh ones.
(() => {
  "use strict";

  function textOf(cell) { return cell ? cell.textContent.trim() : ""; }

  // The number that a cell begins with: "≈3", "1,234.5", "▼2 −0.31"; null for "–" and text.
  function numberOf(cell) {
    var text = textOf(cell).replace(/,/g, "").replace(/\u2212/g, "-").replace(/^[≈+*]/, "");
    if (text.charAt(0) === "=") return 0;
    if (text.charAt(0) === "▲") text = text.slice(1);
    else if (text.charAt(0) === "▼") text = "-" + text.slice(1);
    var found = parseFloat(text);
    return isNaN(found) ? null : found;
  }

  function prepare(table) {
    var body = table.tBodies[0];
    var headings = [...table.tHead.rows[0].cells];
    var box = document.querySelector('input[data-find="' + table.id + '"]');
    var status = document.getElementById(table.id + "-status");
    var asked = new URLSearchParams(location.search);
    var prefix = table.hasAttribute("data-asks") ? table.id + "-" : "";
    var sort = asked.get(prefix + "sort") || "";
    var rows = [];

    function read() { rows = [...body.rows]; }

    function compare(column, down, isText) {
      return (one, other) => {
        var a = one.key, b = other.key;
        if (a === null || b === null) return a === b ? one.at - other.at : a === null ? 1 : -1;
        var order = isText ? a.localeCompare(b, undefined, { numeric: true, sensitivity: "base" }) : a - b;
        return (down ? -order : order) || one.at - other.at;
      };
    }

    function sorted() {
      var down = sort.charAt(0) === "-", key = down ? sort.slice(1) : sort;
      var column = headings.findIndex(heading => heading.dataset.key === key);
      if (column < 0) return rows;
      var isText = headings[column].dataset.sort === "text";
      return rows.map(function (row, at) {
        var cell = row.cells[column];
        return { row: row, at: at, key: isText ? textOf(cell) : numberOf(cell) };
      }).sort(compare(column, down, isText)).map(one => one.row);
    }

    function show() {
      var down = sort.charAt(0) === "-", key = down ? sort.slice(1) : sort;
      headings.forEach(heading => {
        if (key && heading.dataset.key === key) heading.setAttribute("aria-sort", down ? "descending" : "ascending");
        else heading.removeAttribute("aria-sort");
      });
      var wanted = box ? box.value.trim().toLowerCase() : "", shown = 0;
      var ordered = sorted();
      ordered.forEach(row => {
        var names = row.querySelectorAll("th");
        var isHit = !wanted || !names.length || [...names].some(name => name.textContent.toLowerCase().includes(wanted));
        row.hidden = !isHit;
        shown += isHit;
      });
      body.replaceChildren(...ordered);
      return wanted ? shown + " of " + rows.length : "";
    }

    // Widths stay as they are while rows come and go.
    function hold() {
      if (table.classList.contains("held")) return;
      var widths = headings.map(heading => heading.getBoundingClientRect().width);
      headings.forEach(function (heading, i) { heading.style.width = widths[i] + "px"; });
      table.style.width = table.getBoundingClientRect().width + "px";
      table.style.tableLayout = "fixed";
      table.classList.add("held");
    }

    function release() {
      if (!table.classList.contains("held")) return;
      headings.forEach(heading => { heading.style.width = ""; });
      table.style.width = table.style.tableLayout = "";
      table.classList.remove("held");
    }

    function keep() {
      var now = new URLSearchParams(location.search);
      [["sort", sort], ["find", box ? box.value.trim() : ""]].forEach(pair => {
        if (pair[1]) now.set(prefix + pair[0], pair[1]);
        else now.delete(prefix + pair[0]);
      });
      var text = now.toString();
      try { history.replaceState(null, "", location.pathname + (text ? "?" + text : "") + location.hash); }
      catch (error) { /* a page opened from disk may not be allowed to */ }
    }

    function tell(text) { if (status && status.textContent !== text) status.textContent = text; }

    headings.forEach(heading => {
      if (!heading.dataset.key) return;
      var button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => {
        var key = heading.dataset.key, first = heading.dataset.sort === "down" ? "-" + key : key;
        var second = first === key ? "-" + key : key;
        sort = sort === first ? second : sort === second ? "" : first;
        hold();
        var found = show();
        keep();
        tell((sort ? "Sorted by " + textOf(button) + (sort.charAt(0) === "-" ? ", highest first" : ", lowest first")
          : "In the order of the rankings") + (found ? "; " + found : ""));
      });
    });

    if (box) {
      box.value = asked.get(prefix + "find") || "";
      box.addEventListener("input", () => { hold(); var found = show(); keep(); tell(found); });
      box.form || box.addEventListener("keydown", event => {
        if (event.key === "Escape" && box.value) { box.value = ""; hold(); show(); keep(); tell(""); }
      });
    }
    document.addEventListener("arena:updated", event => {
      if (event.target !== body) return;
      read();
      var found = show();
      if (found) tell(found);
    });
    window.addEventListener("resize", release);
    read();
    if (sort || (box && box.value)) { hold(); tell(show()); }
    names(table);
  }

  // Fields marked `data-names` suggest the names that a table has.
  function names(table) {
    var field = document.querySelector('input[data-names="' + table.id + '"]');
    if (!field) return;
    field.addEventListener("focus", () => {
      var list = document.getElementById(table.id + "-names");
      if (list) return;
      list = document.createElement("datalist");
      list.id = table.id + "-names";
      table.querySelectorAll("tbody th a").forEach(link => {
        var option = document.createElement("option");
        option.value = link.textContent;
        list.append(option);
      });
      field.after(list);
      field.setAttribute("list", list.id);
    });
  }

  document.querySelectorAll("table[data-sortable]").forEach(prepare);
})();
