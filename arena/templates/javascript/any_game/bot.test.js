"use strict";

const assert = require("node:assert");
const test = require("node:test");
const { Game } = require("./arena_kit");
const { choose } = require("./bot");

const game = new Game({ game: "any", ruleset: "default", seat: 0, seats: 2, bot_seed: 1 });

test("it plays one of the legal moves", () => {
  const legal = [{ card: "7" }, { card: "8" }];
  for (let time = 0; time < 20; time++) assert.ok(legal.includes(choose({ legal }, game)));
});

test("without a list it plays the example", () => {
  assert.deepStrictEqual(choose({ example: { order: [1, 0] } }, game), { order: [1, 0] });
});
