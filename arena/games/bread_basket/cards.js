// The cards of Bread Basket: slices of bread, the better toasted the higher; onions; Chefs.
(() => {
  "use strict";
  var svg = window.Arena.svg;
  var NAMES = { O: "Onion", C: "Chef" };
  var ORDER = ["O", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "C"];
  var CRUST = [null, "#e9c98e", "#e3bd7b", "#dcb069", "#d4a259", "#ca944b", "#bd843e", "#ad7333", "#9a6229", "#845120", "#6c4018"];
  var SLICE = "M14 37c-6-2-8-7-6-12 2-6 9-9 22-9s20 3 22 9c2 5 0 10-6 12v27a5 5 0 0 1-5 5H19a5 5 0 0 1-5-5z";
  var CRUMB = "M18 34c-5-1-7-4-6-8 2-4 8-6 18-6s16 2 18 6c1 4-1 7-6 8v28a3 3 0 0 1-3 3H21a3 3 0 0 1-3-3z";

  function index(text) {
    return [
      svg("text", { x: 5, y: 14, "font-size": 13, class: "card-index", text }),
      svg("text", { x: -55, y: -70, "font-size": 13, class: "card-index", transform: "rotate(180)", text }),
    ];
  }

  function slice(name) {
    return [
      svg("path", { d: SLICE, fill: CRUST[Number(name)], stroke: "#5a3614", "stroke-width": 1 }),
      svg("path", { d: CRUMB, fill: "#fbf0d9" }),
      svg("path", { d: "M21 28h3M37 26h2M40 57h3M19 59h2M24 62h2M41 33h2", stroke: "#e2cda4", "stroke-width": 2, "stroke-linecap": "round" }),
      svg("text", { x: 30, y: 54, "text-anchor": "middle", "font-size": name === "10" ? 27 : 32, class: "card-index", text: name }),
    ];
  }

  function onion() {
    return [
      svg("path", { d: "M30 15c1 5-1 8-1 11 8 2 19 9 19 21 0 11-8 18-18 18s-18-7-18-18c0-12 11-19 17-21-1-3-3-5-4-9 2 2 4 3 4 4 0-2 0-4 1-6z", fill: "#a9487c", stroke: "#6b2249", "stroke-width": 1.2 }),
      svg("path", { d: "M29 27c-9 9-11 27-1 37M31 27c9 9 11 27 1 37M27 27c-13 6-16 24-6 35M33 27c13 6 16 24 6 35", fill: "none", stroke: "#e7a9c8", "stroke-width": 1.2 }),
      svg("path", { d: "M26 65c1 3 0 5-2 7M30 65v7M34 65c-1 3 0 5 2 7", fill: "none", stroke: "#8a6a42", "stroke-width": 1.2, "stroke-linecap": "round" }),
    ];
  }

  function chef() {
    return [
      svg("path", { d: "M17 43c-7-1-10-7-8-13 2-5 7-7 11-5 2-6 6-9 10-9s8 3 10 9c4-2 9 0 11 5 2 6-1 12-8 13l-1 15H18z", fill: "#ffffff", stroke: "#4a4238", "stroke-width": 1.4, "stroke-linejoin": "round" }),
      svg("path", { d: "M24 46v8M30 44v10M36 46v8", stroke: "#b9b0a3", "stroke-width": 1.4, "stroke-linecap": "round" }),
      svg("path", { d: "M18 58h24l-1 8H19z", fill: "#c4472f", stroke: "#7c2415", "stroke-width": 1.2 }),
    ];
  }

  window.Arena.cards.define("bread-basket", {
    text: name => NAMES[name] || name,
    order: name => ORDER.indexOf(name),
    face: name => index(name).concat(name === "O" ? onion() : name === "C" ? chef() : slice(name)),
  });
})();
