"use strict";

const assert = require("node:assert");
const test = require("node:test");
const { choose } = require("./bot");

const game = {
  seat: 0,
  private: {
    families: { cheese: ["brie", "feta"], fish: ["tuna", "trout"], fruit: ["fig", "pear"] },
    pairs: {
      cheese: { cheese: 0, fish: -1, fruit: 1 },
      fish: { cheese: -1, fish: 0.5, fruit: -1 },
      fruit: { cheese: 1, fish: -1, fruit: 0 },
    },
    likings: { cheese: 1, fish: -1, fruit: 0 },
    quirks: { brie: 0, feta: 0, tuna: 0, trout: 0, fig: 0, pear: 0 },
  },
};

test("it reaches first for what goes with its hand", () => {
  const ask = { kind: "grab", view: { market: ["tuna", "fig", "feta"], hands: [["brie"], [], []] } };
  assert.deepStrictEqual(choose(ask, game), { type: "grab", order: [1, 2, 0] });
});

test("it serves each card once, the best sandwich first", () => {
  const hand = ["brie", "tuna", "fig", "feta", "trout", "pear"];
  const move = choose({ kind: "serve", view: { hands: [hand] } }, game);
  assert.deepStrictEqual(move.sandwiches.flat().sort(), [...hand].sort());
  assert.deepStrictEqual(move.sandwiches[0], ["brie", "fig", "feta"]);
});

test("it ranks what it tastes by its own palate", () => {
  const read_out = [["tuna", "trout", "fig"], ["brie", "feta", "pear"]];
  const move = choose({ kind: "taste", view: { hands: [[]], read_out } }, game);
  assert.deepStrictEqual(move, { type: "taste", ranking: [1, 0] });
});
