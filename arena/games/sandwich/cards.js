// The 56 ingredients of Sandwich, each a small drawing of 48 by 48 units. Names and families as in ingredients.toml.
(() => {
  "use strict";
  var svg = window.Arena.svg;
  var INK = "#4a3524";

  function path(d, fill, line, width) {
    return svg("path", { d, fill: fill || "none", stroke: line === undefined ? INK : line, "stroke-width": width === undefined ? 1.3 : width, "stroke-linejoin": "round", "stroke-linecap": "round" });
  }
  // Without lines they are one path: a table has hundreds of pictures.
  function dots(places, radius, fill, line) {
    if (line) return places.map(place => svg("circle", { cx: place[0], cy: place[1], r: place[2] || radius, fill, stroke: line, "stroke-width": 1.1 }));
    return svg("path", { fill, d: places.map(place => {
      var r = place[2] || radius;
      return "M" + (place[0] - r) + " " + place[1] + "a" + r + " " + r + " 0 1 0 " + 2 * r + " 0a" + r + " " + r + " 0 1 0 " + -2 * r + " 0z";
    }).join("") });
  }
  function oval(x, y, rx, ry, fill, line, turned) {
    return svg("ellipse", { cx: x, cy: y, rx, ry, fill, stroke: line === undefined ? INK : line, "stroke-width": 1.3, transform: turned ? "rotate(" + turned + " " + x + " " + y + ")" : null });
  }

  // --- Shapes that several ingredients share ---

  // `marks` are drawn on a body from nose (left) to tail (right); `high` is how deep the fish is.
  function fish(body, belly, high, marks) {
    var top = 24 - high;
    var low = 24 + high;
    return [
      path("M35 24l10-8c-2 5-2 11 0 16z", body),
      path("M20 " + (top + 1) + "q5-6 11-3l-2 5z", body),
      path("M3 25Q14 " + top + " 37 24 14 " + low + " 3 25z".replace("14 ", "15 "), body),
      path("M4 25.500Q15 " + (low - 1) + " 34 25 18 27 4 25.500z", belly, null, 0),
      marks,
      dots([[9.5, 23]], 1.5, "#fff", INK), path("M14 20q2.5 4.5 0 8.5", null, INK, 1),
    ];
  }
  function jar(color, label, lid) {
    return [
      path("M12 14h24v3c3 2 4 4 4 7v15a4 4 0 0 1-4 4H12a4 4 0 0 1-4-4V24c0-3 1-5 4-7z", color),
      path("M11 7h26v7H11z", lid || "#b8bfc6"), path("M8 25h32v11H8z", "#fff8e8"), label,
    ];
  }
  function bottle(color, cap, label) {
    return [path("M21 8h6l1 7c5 2 7 5 7 10v15a4 4 0 0 1-4 4H17a4 4 0 0 1-4-4V25c0-5 2-8 7-10z", color), path("M20.5 3.500h7V9h-7z", cap), label];
  }
  function bowl(color, filling, top) {
    return [oval(24, 24, 19, 8, filling), top, path("M5 24c0 11 7 18 19 18s19-7 19-18c-3 4-10 6.5-19 6.500S8 28 5 24z", color)];
  }
  function wedge(color, rind, marks) {
    return [path("M4 29L31 10c8 2 13 9 13 19z", color), path("M4 29h40v11H4z", color), path("M31 10c8 2 13 9 13 19v11", null, rind, 3), marks];
  }
  function wheel(color, rim, marks) {
    return [path("M4 21v11c0 5 9 9 20 9s20-4 20-9V21z", rim), oval(24, 21, 20, 9.5, color), marks];
  }
  function leaf(d) { return path(d, "#5c9c48", "#2f5a26", 1.2); }
  function slices(color, edge, inside) {
    return [oval(31, 29, 13, 13, edge), oval(31, 29, 10.5, 10.5, color, null), oval(17, 19, 13, 13, edge), oval(17, 19, 10.5, 10.5, color, null), inside];
  }
  function drip(color) { return path("M8 24h32v3c-1 4-4 4-5 1-1 8-6 8-7 1-2 4-5 4-6 0-2 6-6 6-7 0-2 3-6 3-7-2z", color, null, 0); }

  // --- The ingredients ---

  var FACES = {
    ham: () => [path("M6 27C6 15 16 8 26 9c11 1 17 9 16 18S34 41 24 41 6 37 6 27z", "#f3a6a6", "#8d3c44"), path("M6 27C6 15 16 8 26 9c11 1 17 9 16 18", null, "#f8e2d3", 3.5), dots([[26, 24]], 4.5, "#fdf4ea", "#8d3c44"), path("M14 30q4 4 9 4M33 21q2 3 1 7", null, "#d97a80", 1.6)],
    salami: () => slices("#b5403d", "#7c2422", dots([[13, 15], [19, 13], [21, 20], [14, 22], [18, 25], [11, 19], [35, 27], [31, 35], [36, 33], [28, 38], [38, 29]], 1.3, "#f6d9cd")),
    bacon: () => [path("M4 15c7-6 10 5 17-1s10 5 23-3v9c-13 8-16-3-23 3S11 18 4 24z", "#c74b43"), path("M4 19.500c7-6 10 5 17-1s10 5 23-3", null, "#f9dcc9", 3), path("M4 31c7-6 10 5 17-1s10 5 23-3v9c-13 8-16-3-23 3S11 34 4 40z", "#c74b43"), path("M4 35.500c7-6 10 5 17-1s10 5 23-3", null, "#f9dcc9", 3)],
    "roast-beef": () => [path("M5 29C4 19 13 10 25 10s20 7 19 17-8 14-20 14S6 38 5 29z", "#6b3a25"), path("M10 29c0-8 6-14 15-14s15 5 14 12-7 10-15 10-14-3-14-8z", "#c6645c", null, 0), path("M15 29c0-5 4-9 10-9s10 3 9 8-5 6-10 6-9-2-9-5z", "#e58d85", null, 0), path("M7 21l6-4M13 14l6-2M28 11l7 3", null, "#e7c59a", 1.5)],
    chicken: () => [path("M33 29l8 8c3-1 5 2 3 4s-3 0-4 0c0 2-3 4-4 1s0-3 0-3l-8-7z", "#fdf3df"), path("M7 13C12 4 25 5 32 12s7 16 1 21-13 2-18-3S3 21 7 13z", "#d48a3f"), path("M11 15c4-6 11-6 15-3", null, "#f2bd79", 2.5)],
    turkey: () => [oval(24, 39, 21, 4.5, "#dfe4ea"), path("M7 34c-1-12 6-21 17-21s18 9 17 21c-3 5-31 5-34 0z", "#b86a2c"), path("M8 32c-5 0-6-8-1-12M40 32c5 0 6-8 1-12", "#c97d3c"), path("M16 17c4-3 10-4 15-1", null, "#eeb06a", 2.5), path("M24 14V7M21 7.500h6", null, "#fdf3df", 3.5), path("M24 15v20", null, "#8c4a1a", 1)],
    chorizo: () => [path("M6 14c2 17 12 25 28 26 8 0 9-10 2-11C24 28 18 22 16 12c-2-6-11-5-10 2z", "#a62f20"), path("M11 8V4M41 35l4 2", null, INK, 1.8), dots([[12, 16], [15, 23], [20, 29], [27, 33], [34, 35], [12, 22], [18, 32]], 1.2, "#f1b79c")],

    tuna: () => [path("M6 18h36v16c0 5-36 5-36 0z", "#c8d0d6"), oval(24, 18, 18, 7, "#eef1f3"), oval(24, 18, 14.5, 4.8, "#e2a58e", "#9c5b45"), path("M16 18q4-3 8 0t8 0", null, "#f7d7c9", 1.6), path("M8 27c9 5 23 5 32 0v4c-9 5-23 5-32 0z", "#2f6f9f", null, 0)],
    salmon: () => [path("M5 31C4 17 14 8 27 9s18 9 17 16-7 6-13 6-8 8-15 9S5 37 5 31z", "#f28a63", "#8d4630"), path("M11 33c0-10 7-18 17-18M17 35c0-9 5-15 12-16M35 14c3 3 4 7 2 11", null, "#fcd3bd", 1.8), path("M5 31C4 17 14 8 27 9s18 9 17 16", null, "#9aa6ad", 2)],
    sardine: () => [fish("#a9bac6", "#eef3f5", 8, [path("M12 21.500Q22 18 33 23", null, "#56707f", 1.5), dots([[17, 23.5], [21, 23], [25, 23.2], [29, 23.8]], 0.9, "#3c5361")])],
    anchovy: () => [path("M3 17q18-9 33 0l8-4v9l-8-3q-17 8-33-2z", "#7d8f9c"), path("M4 33q16 8 32 0l8 4v-9l-8 3q-16-8-32 2z", "#95a7b2"), path("M6 17.500q14 4 29-.5M6 32.500q14-4 29 .5", null, "#e6edf0", 1.6), dots([[8, 15.8], [9, 33.5]], 1.2, "#1f2a30")],
    mackerel: () => [fish("#3f8a8c", "#e9f1ee", 11, [path("M14 15.500l2 5M18 14.800l2 5.500M22 15l2 5.500M26 16.500l2 4.500M30 18.500l1.5 3.5", null, "#173f46", 2)])],
    herring: () => [fish("#5877a8", "#f1f4f8", 12, [path("M16 18q2 2 0 4M20 17q2 2.5 0 5M24 17.500q2 2.5 0 5M28 19q2 2 0 4", null, "#b9c9e3", 1.2), path("M15 29q8 3 15-1", null, "#c9a24c", 1.6)])],
    trout: () => [fish("#8fa05a", "#f0e6cc", 12, [path("M11 25Q22 24 34 24.5", null, "#d9748b", 2.5), dots([[16, 19], [20, 17.5], [24, 18], [28, 20], [18, 21.5], [23, 21.5]], 1.1, "#3b431e")])],

    cheddar: () => wedge("#f2a73b", "#c9741a", path("M10 34h8M22 34h12", null, "#d48a24", 1.5)),
    brie: () => wedge("#fbeebf", "#e9e4da", [path("M4 29L31 10c8 2 13 9 13 19z", "#f6f2e8"), path("M9 34q6 4 12 0t12 0 9 1", null, "#e6cf86", 2)]),
    "blue-cheese": () => wedge("#f4f0df", "#b9b18f", [dots([[14, 34, 2], [22, 36, 1.6], [30, 33, 2.3], [38, 36, 1.7], [25, 21, 2.2], [34, 22, 2.6], [18, 26, 1.5], [31, 15, 1.5]], 2, "#4f7da0"), path("M25 21l4 2M34 22l3 3M30 33l3 2", null, "#4f7da0", 1.5)]),
    "goat-cheese": () => [path("M4 22v12c0 4 5 7 9 7h25c4 0 7-4 7-9V20z", "#f1ede2"), oval(13, 27, 9, 13, "#fffdf6"), path("M24 20q8-4 18 1M26 27q8-2 17 1M25 34q8 0 17-1", null, "#8fae72", 1.5), dots([[12, 23], [15, 30], [10, 31]], 1, "#8fae72")],
    mozzarella: () => [path("M24 7c11 0 19 8 19 18s-8 16-19 16S5 35 5 25 13 7 24 7z", "#fdfcf6", "#8c8f85"), path("M11 21c2-5 6-8 11-8", null, "#fff", 3), path("M31 35c4-1 7-5 8-9", null, "#d9dccf", 2.5), leaf("M24 20c4-7 10-8 14-7-1 5-6 10-14 7zM23 20c-3-5-8-6-12-4 2 5 7 7 12 4z")],
    feta: () => [path("M5 20l19-9 19 9-19 9z", "#fffefa", "#8c8f85"), path("M5 20v13l19 9V29z", "#f2f0e6", "#8c8f85"), path("M43 20v13l-19 9V29z", "#e4e2d5", "#8c8f85"), dots([[11, 28, 1.3], [17, 35, 1.6], [15, 29, 1], [31, 33, 1.6], [37, 28, 1.2], [25, 19, 1.3], [20, 20, 0.9], [31, 21, 1]], 1.2, "#b9b7a5")],
    gouda: () => wheel("#f6cf57", "#c8361f", [path("M24 21l15-5.500c4 2 5 4 5 5.500z", "#fbe9a8", "#a9791c"), dots([[16, 19, 2], [22, 25, 1.5], [13, 24, 1.2]], 1.5, "#d9a92e")]),

    lettuce: () => [path("M24 42C10 42 3 33 6 25c-3-7 4-13 9-11 2-6 14-7 17 0 6-2 13 4 10 11 3 8-4 17-18 17z", "#83bf4f", "#3c6b25"), path("M24 42V18M24 32l-9-8M24 32l9-8M24 25l-5-5M24 25l5-5", null, "#e0f0bb", 1.8)],
    tomato: () => [path("M24 13c13-3 20 4 20 13S36 42 24 42 4 35 4 26s7-16 20-13z", "#dd3b2a", "#821a12"), path("M11 22c1-3 3-5 6-5", null, "#f59a86", 2.5), leaf("M24 14c-5-4-9-3-12-1 3 3 7 5 12 1 2 5 1 8-1 10-2-3-2-6 1-10 5-4 9-3 12-1-3 3-7 5-12 1-1-3-1-6 1-9z")],
    cucumber: () => [path("M6 33C3 27 29 5 37 8s8 9 2 15S12 42 6 33z", "#4a9048", "#235325"), path("M13 28l17-14M17 33l18-16", null, "#79b96b", 1.5), oval(15, 32, 10, 10, "#cfe8b2", "#2d6a2b"), dots([[15, 27], [19, 30], [18, 35], [12, 35], [11, 30]], 1.3, "#8fbd6a")],
    onion: () => [path("M24 6c1 5 2 7 8 10 8 4 11 9 11 14 0 8-8 13-19 13S5 38 5 30c0-5 3-10 11-14 6-3 7-5 8-10z", "#d8a14c", "#7a4d15"), path("M24 12c-6 6-9 22-3 30M24 12c6 6 9 22 3 30M22 13C12 19 9 30 13 38M26 13c10 6 13 17 9 25", null, "#f3d49a", 1.3)],
    carrot: () => [leaf("M33 14c0-6 3-10 7-11 0 4-1 8-5 12zM34 15c3-4 8-6 12-4-2 4-7 6-12 5zM32 14c-3-4-3-8-1-11 3 3 4 7 2 11z"), path("M4 43c3-13 13-27 25-30 5-1 8 3 7 7-4 12-19 21-32 23z", "#ee8227", "#95440b"), path("M23 18l5 4M17 25l5 4M29 27l-4-3M12 33l4 3", null, "#b85c12", 1.5)],
    spinach: () => [leaf("M22 44c1-8 0-12-6-14C6 27 5 15 12 7c8 4 13 12 10 22 0 4 1 8 0 15z"), leaf("M26 43c0-6 2-10 7-11 9-3 11-13 5-20-8 2-13 9-11 18-2 4-2 8-1 13z"), path("M13 11c4 5 7 11 8 18M36 15c-4 5-7 10-8 16", null, "#c9e2a8", 1.3)],
    beetroot: () => [leaf("M22 16C17 12 16 6 18 3c4 2 6 7 5 12zM26 16c5-4 6-10 4-13-4 2-6 7-5 12z"), path("M24 14c11 0 17 6 16 14-1 7-9 10-14 12l-2 5-2-5C17 38 9 35 8 28c-1-8 5-14 16-14z", "#8e2450", "#4d0f29"), path("M15 24c5 3 13 3 18 0M17 31c4 2 10 2 14 0", null, "#c0608a", 1.5)],

    apple: () => [path("M24 14c4-4 19-5 19 10 0 11-8 20-13 19-3-1-4-1-6-1s-3 0-6 1C13 44 5 35 5 24 5 9 20 10 24 14z", "#cf3330", "#7c1715"), path("M24 14c0-4 1-8 4-10", null, "#5a3614", 2.2), leaf("M27 9c3-5 9-6 12-4-2 5-8 6-12 4z"), path("M11 22c0-4 2-7 6-7", null, "#f0918a", 2.5)],
    pear: () => [path("M24 9c6 0 7 5 8 10 2 5 7 8 7 14 0 7-7 11-15 11S9 40 9 33c0-6 5-9 7-14 1-5 2-10 8-10z", "#bcc94a", "#66701a"), path("M24 9c0-3 1-5 3-6", null, "#5a3614", 2.2), dots([[18, 34], [22, 38], [29, 35], [31, 31], [25, 31]], 0.9, "#7f8a26"), path("M15 31c0-4 3-6 4-9", null, "#e4ec9c", 2.5)],
    melon: () => [path("M3 17c4 30 38 30 42 0-4 5-11 8-21 8S7 22 3 17z", "#f6a65a", "#8c7a2f"), path("M3 17c4 30 38 30 42 0", null, "#8fae4b", 3.5), dots([[15, 28], [21, 30], [27, 30], [33, 28]], 1.5, "#fbe6b5", "#b87b2b"), path("M3 17c4 5 11 8 21 8s17-3 21-8", null, "#c9802f", 1.2)],
    pineapple: () => [leaf("M24 17c-7-2-11-8-11-12 5 1 8 4 9 7-1-4 0-8 2-10 2 2 3 6 2 10 1-3 4-6 9-7 0 4-4 10-11 12z"), oval(24, 31, 12, 14, "#eebb2f", "#8a5b0c"), path("M14 24l16 18M13 32l10 12M20 18l15 17M34 24L18 42M35 32L25 44M28 18L13 35", null, "#a56f12", 1.2)],
    mango: () => [path("M7 32C5 19 16 7 29 7c9 0 15 7 14 16-1 12-12 20-22 20-8 0-13-4-14-11z", "#f2a12c", "#95520d"), path("M31 7c8 1 13 8 12 16-1 7-5 13-11 17 3-10 5-22-1-33z", "#dd5a36", null, 0), path("M12 28c1-7 5-12 10-14", null, "#fbd98a", 2.5), path("M30 8c1-3 3-4 5-5", null, "#5a3614", 2)],
    fig: () => [path("M24 5c2 6 4 8 9 12 6 5 9 9 9 14 0 8-8 12-18 12S6 39 6 31c0-5 3-9 9-14 5-4 7-6 9-12z", "#5d3a73", "#2f1840"), path("M24 22c7 0 12 5 12 10s-5 8-12 8-12-3-12-8 5-10 12-10z", "#e7a0a0", "#8e4a5c"), dots([[20, 30], [24, 28], [28, 30], [22, 34], [26, 34], [30, 34], [18, 34], [24, 37]], 1, "#f8e4b8"), path("M16 19l-3 6M32 19l3 6", null, "#8e6aa6", 1.3)],
    grape: () => [path("M24 13V4M24 7c4-4 8-4 11-3", null, "#5a3614", 2), leaf("M25 8c3-5 11-6 15-2-3 5-10 7-15 2z"), dots([[15, 17], [24, 16], [33, 17], [19, 25], [29, 25], [15, 30], [24, 33], [33, 30], [20, 39], [28, 39]], 5, "#74408f", "#38174c"), dots([[13.5, 15.5], [22.5, 14.5], [31.5, 15.5], [17.5, 23.5], [27.5, 23.5], [22.5, 31.5]], 1.2, "#c39bd8")],

    mayonnaise: () => jar("#fbf4da", [oval(24, 30.5, 7, 4, "#f4d35e", "#a9791c")], "#3f7fb5"),
    mustard: () => bottle("#e2b11f", "#b3391f", path("M17 27h14v11H17zM20 30v5M24 29v6M28 30v5", "#fff4c9", "#8a6408")),
    ketchup: () => bottle("#cb2a20", "#f5f1e8", [oval(24, 33, 6, 6, "#f7d9d2", "#7c140d"), dots([[24, 33.5]], 3.5, "#cb2a20"), path("M22 29.500l2 1.5 2-1.5", null, "#3c7a2c", 1.5)]),
    pesto: () => jar("#6f9a3a", [leaf("M24 35c-6-2-8-6-7-9 5 0 8 4 7 9zM24 35c6-2 8-6 7-9-5 0-8 4-7 9z")], "#d6c08a"),
    hummus: () => bowl("#b5652f", "#e9d3a1", [path("M14 24c2-4 18-4 19-1s-13 4-13 1 7-2 7-1", null, "#c2a05c", 1.8), dots([[32, 26], [16, 27], [24, 20]], 1.6, "#c9491f")]),
    horseradish: () => [path("M7 41c-1-4 5-7 9-13S26 12 33 9l6 5c-3 8-11 13-16 19s-9 11-13 11c-2 0-3-1-3-3z", "#efe3c5", "#7c6a42"), leaf("M34 11c0-5 4-9 9-9-1 3-1 6-3 8 2 0 4 1 5 2-3 3-7 4-10 2z"), path("M15 31l6 3M21 24l5 4M27 17l5 4M11 37l4 2", null, "#b19f72", 1.3)],
    "tartar-sauce": () => bowl("#d9e2e6", "#f7f5e6", [dots([[15, 24], [22, 27], [29, 22], [34, 25], [19, 21]], 1.6, "#6f9a3a"), path("M26 19c5-8 10-11 15-11l1 3c-6 1-9 5-12 10z", "#c8d0d6")]),

    honey: () => jar("#e79a17", [path("M24 26l4.5 2.500v5L24 36l-4.5-2.500v-5z", "#f7c64a", "#8a5406")], "#f4d58b"),
    jam: () => jar("#b3213b", [oval(24, 31, 5, 4.5, "#d8354c", "#6d0f20"), leaf("M24 27c-3-2-5-2-6-1 2 2 4 2 6 1 2 1 4 1 6-1-1-1-3-1-6 1z")], "#f3e3e3"),
    chocolate: () => [path("M8 6h32v36H8z", "#5c3420", "#2d160b"), path("M19 6v36M29.5 6v36M8 18h32M8 30h32", null, "#2d160b", 1.4), path("M10.5 15V9h6M21.5 15V9h5.500M32 15V9h5.5", null, "#966044", 1.4), path("M6 26l8 4 9-4 9 4 10-4v18H6z", "#c8d0d6", "#6d767d"), path("M6 33h36", null, "#c0392b", 4)],
    "peanut-butter": () => jar("#c48a45", [path("M15 30c0-5 6-5 8-2s4-3 8-2 4 8 0 8-5-2-7-2-9 4-9-2z", "#e6bd7c", "#7c5220"), dots([[19, 30], [29, 30]], 0.9, "#7c5220")], "#b3391f"),
    marshmallow: () => [path("M5 17v12c0 6 18 6 18 0V17z", "#fbd3dc", "#9d5c6c"), oval(14, 17, 9, 4.5, "#fdeaee", "#9d5c6c"), path("M24 26v12c0 6 19 6 19 0V26z", "#ffffff", "#8c8f95"), oval(33.5, 26, 9.5, 4.5, "#fbfbfd", "#8c8f95")],
    "maple-syrup": () => [path("M15 14h14c6 3 9 8 9 14v12a4 4 0 0 1-4 4H14a4 4 0 0 1-4-4V28c0-6 2-10 5-14z", "#a5521b", "#5a2806"), path("M17 5h10v9H17z", "#e6d9bd"), path("M29 15c8-3 12 2 9 9", null, "#5a2806", 2), path("M24 23l2 4 4-1-1 4 4 2-4 3 1 3h-5v4h-2v-4h-5l1-3-4-3 4-2-1-4 4 1z", "#f6d9a4", "#7c2f0c", 1)],
    caramel: () => [path("M3 15l9 9-9 9z", "#f0d39a"), path("M45 15l-9 9 9 9z", "#f0d39a"), path("M12 14h24c3 6 3 14 0 20H12c-3-6-3-14 0-20z", "#c77a2b"), path("M16 18h12", null, "#f3c081", 2.5), path("M20 14v20M28 14v20", null, "#8c4d12", 1)],

    snail: () => [path("M4 39c6 2 24 3 33 1 6-1 8-6 7-14l-3-1c-2 4-5 6-9 6H14C9 31 6 35 4 39z", "#d7b98b"), path("M43 26l3-8M41 25l-1-8", null, INK, 1.5), dots([[46, 17], [40, 16]], 1.5, INK), oval(21, 23, 14, 13, "#a5672f"), path("M21 23c0-3 5-3 5 1s-9 6-11 0 6-13 14-9 5 14 0 17", null, "#f0cf9c", 2)],
    cricket: () => [path("M6 28c4-7 14-9 27-6 6 2 9 3 9 6s-5 5-12 5c-13 1-20 0-24-5z", "#6d7a2d", "#343c10"), path("M13 25c8-4 18-4 24 2-8 3-18 3-24-2z", "#8f9c45", "#343c10"), path("M30 31l7-17 3 2-4 27M20 33l-4 9M13 31l-6 8", null, "#343c10", 2), path("M8 25C3 20 3 13 7 7M10 24c-2-6 0-12 6-15", null, "#343c10", 1.3), dots([[9, 27]], 1.6, "#fff", "#343c10")],
    seaweed: () => [path("M12 44c-5-8 5-12 0-20S9 10 14 4c3 7 0 9 3 17s-3 14 2 23z", "#2f6b4a", "#143825"), path("M23 44c-4-9 4-12 1-20s1-11 5-15c1 7-3 9 0 17s-3 10 1 18z", "#4b8d5f", "#143825"), path("M33 44c-3-7 4-10 2-16s2-9 6-11c0 6-3 7-1 13s-3 8 0 14z", "#2f6b4a", "#143825")],
    "pickled-egg": () => [path("M9 12h30v28a4 4 0 0 1-4 4H13a4 4 0 0 1-4-4z", "#dcebd8", "#6b7f66"), path("M10 20h28v20a3 3 0 0 1-3 3H13a3 3 0 0 1-3-3z", "#c3d98e", null, 0), oval(18, 34, 6, 7.5, "#fffaf0"), oval(30, 33, 6, 7.5, "#fffaf0"), oval(24, 24, 7.5, 6, "#fffaf0"), path("M7 5h34v7H7z", "#b8bfc6")],
    wasabi: () => [oval(24, 38, 20, 5, "#3d3a38"), path("M8 37c1-6 5-8 6-13s4-6 6-10 6-8 8-3 5 5 6 10 6 9 6 16c-4 4-28 4-32 0z", "#9dc45f", "#557a26"), path("M17 26c4 2 9 2 13-1M14 33c6 3 14 3 20 0M22 17c2 1 5 1 7-1", null, "#6f9a3a", 1.6)],
    liquorice: () => [dots([[24, 24]], 19, "#26211f", "#0c0a09"), path("M24 24c0-3 5-3 5 1s-9 6-11 0 6-13 14-9 6 16 0 20-18 2-20-6 2-20 12-20 17 5 18 13", null, "#8b8480", 1.7)],
    popcorn: () => [path("M10 22h28l-4 22H14z", "#fffaf0"), path("M15 22h5l1 22h-5zM28 22h5l-2 22h-4z", "#cf3b2e", null, 0), path("M10 22h28l-4 22H14z", null), dots([[13, 17], [20, 13], [28, 13], [35, 17], [24, 19], [17, 21], [31, 21], [24, 8]], 5, "#fdedb0", "#a5821f"), dots([[13, 18], [21, 14], [29, 12], [34, 18], [25, 20]], 1.3, "#e4b93c")],
  };

  var FAMILIES = {
    meat: ["ham", "salami", "bacon", "roast-beef", "chicken", "turkey", "chorizo"],
    fish: ["tuna", "salmon", "sardine", "anchovy", "mackerel", "herring", "trout"],
    cheese: ["cheddar", "brie", "blue-cheese", "goat-cheese", "mozzarella", "feta", "gouda"],
    vegetable: ["lettuce", "tomato", "cucumber", "onion", "carrot", "spinach", "beetroot"],
    fruit: ["apple", "pear", "melon", "pineapple", "mango", "fig", "grape"],
    sauce: ["mayonnaise", "mustard", "ketchup", "pesto", "hummus", "horseradish", "tartar-sauce"],
    sweet: ["honey", "jam", "chocolate", "peanut-butter", "marshmallow", "maple-syrup", "caramel"],
    oddity: ["snail", "cricket", "seaweed", "pickled-egg", "wasabi", "liquorice", "popcorn"],
  };
  var KINDS = Object.keys(FAMILIES);
  var ORDER = [].concat(...KINDS.map(kind => FAMILIES[kind]));

  function plain(name) {
    return [svg("circle", { cx: 24, cy: 24, r: 19, fill: "#efe3c5", stroke: INK }), svg("text", { x: 24, y: 31, "text-anchor": "middle", "font-size": 20, class: "card-index", text: name.charAt(0).toUpperCase() })];
  }

  window.Arena.cards.define("sandwich", {
    shape: "tile", families: FAMILIES,
    text: name => name.replace(/-/g, " "),
    kind: name => String(Math.max(0, Math.floor(ORDER.indexOf(name) / 7))),
    order: name => ORDER.indexOf(name),
    face: name => Object.hasOwn(FACES, name) ? FACES[name]() : plain(name),
  });
})();
