// The 52 cards of Bread and Chocolate. Suits differ by shape; red and black are what the rules go by.
(() => {
  "use strict";
  var svg = window.Arena.svg;
  var RANKS = { A: "ace", T: "10", J: "jack", Q: "queen", K: "king" };
  var ORDER = "A23456789TJQK";
  var SUITS = {
    c: { name: "clubs", color: "#1d2b22", path: "M12 1.8a4.7 4.7 0 0 1 3.9 7.3 4.7 4.7 0 1 1-2.9 8.1c.1 2 .8 3.7 2.4 5H8.6c1.6-1.3 2.3-3 2.4-5a4.7 4.7 0 1 1-2.9-8.1A4.7 4.7 0 0 1 12 1.800z" },
    d: { name: "diamonds", color: "#c8321f", path: "M12 1.500c2 3.9 5 7.5 8 10.5-3 3-6 6.6-8 10.5-2-3.9-5-7.5-8-10.5 3-3 6-6.6 8-10.500z" },
    h: { name: "hearts", color: "#c01f3e", path: "M12 22C5.5 16 2 12 2 7.8 2 4.5 4.2 2.5 7 2.500c2.1 0 4 1.3 5 3.5 1-2.2 2.9-3.5 5-3.5 2.8 0 5 2 5 5.300C22 12 18.5 16 12 22z" },
    s: { name: "spades", color: "#1b1d2a", path: "M12 1.500C8.5 7 3 10 3 14.500c0 2.6 1.9 4.4 4.3 4.4 1.6 0 2.9-.8 3.7-2-.2 2.2-.9 4-2.4 5.300h6.800c-1.5-1.3-2.2-3.1-2.4-5.3.8 1.2 2.1 2 3.7 2 2.4 0 4.3-1.8 4.3-4.400C21 10 15.5 7 12 1.500z" },
  };
  // Where the pips of each number go, in a column of three by seven half rows.
  var PIPS = {
    A: [[1, 3]], 2: [[1, 0], [1, 6]], 3: [[1, 0], [1, 3], [1, 6]], 4: [[0, 0], [2, 0], [0, 6], [2, 6]],
    5: [[0, 0], [2, 0], [1, 3], [0, 6], [2, 6]], 6: [[0, 0], [2, 0], [0, 3], [2, 3], [0, 6], [2, 6]],
    7: [[0, 0], [2, 0], [1, 1.5], [0, 3], [2, 3], [0, 6], [2, 6]],
    8: [[0, 0], [2, 0], [1, 1.5], [0, 3], [2, 3], [1, 4.5], [0, 6], [2, 6]],
    9: [[0, 0], [2, 0], [0, 2], [2, 2], [1, 3], [0, 4], [2, 4], [0, 6], [2, 6]],
    T: [[0, 0], [2, 0], [1, 1], [0, 2], [2, 2], [0, 4], [2, 4], [1, 5], [0, 6], [2, 6]],
  };
  var CROWNS = {
    J: "M20 40c0-8 5-12 11-12 5 0 8 2 9 5l5-8c1 6 0 12-5 15z",
    Q: "M18 40l-4-13 8 6 4-10 4 8 4-8 4 10 8-6-4 13z",
    K: "M17 40l-4-15 9 6 8-12 8 12 9-6-4 15z",
  };

  function pip(suit, x, y, size, turned) {
    return svg("path", { d: SUITS[suit].path, fill: SUITS[suit].color, transform: "translate(" + x + " " + y + ") scale(" + size / 24 + ")" + (turned ? " rotate(180) " : " ") + "translate(-12 -12)" });
  }

  function index(rank, suit) {
    var text = rank === "T" ? "10" : rank;
    return svg("g", {},
      svg("text", { x: 9.5, y: 17, "text-anchor": "middle", "font-size": rank === "T" ? 14 : 16, "letter-spacing": rank === "T" ? -1.5 : 0, class: "card-index suited", fill: SUITS[suit].color, text }),
      pip(suit, 9.5, 25.5, 11, false));
  }

  function middle(rank, suit) {
    if (CROWNS[rank]) {
      return [
        svg("rect", { x: 19, y: 9, width: 34, height: 67, rx: 3, class: "card-court", stroke: SUITS[suit].color }),
        svg("g", { transform: "translate(9 -5) scale(0.9)" }, svg("path", { d: CROWNS[rank], fill: "#e3a93c", stroke: "#6b4a0c", "stroke-width": 1.5, "stroke-linejoin": "round" })),
        pip(suit, 36, 56, 27, false),
      ];
    }
    if (rank === "A") return [pip(suit, 36, 48, 34, false)];
    return PIPS[rank].map(place => pip(suit, 24 + place[0] * 13, 14 + place[1] * 9.4, 13, place[1] > 3));
  }

  window.Arena.cards.define("bread-and-chocolate", {
    text: name => (RANKS[name[0]] || name[0]) + " of " + (SUITS[name[1]] || { name: name[1] }).name,
    short: name => (name[0] === "T" ? "10" : name[0]) + ({ c: "♣", d: "♦", h: "♥", s: "♠" }[name[1]] || name[1]),
    order: name => "cdsh".indexOf(name[1]) * 20 + ORDER.indexOf(name[0]),
    group: name => name[1],
    face: name => [index(name[0], name[1]), middle(name[0], name[1])],
  });
})();
