"use strict";

const assert = require("node:assert");
const test = require("node:test");
const { choose } = require("./bot");

const play = (card) => ({ type: "play", card });
const pagat = { options: { rules: "pagat" } };
const shram = { options: { rules: "shram", values: "ranks" } };

test("it would rather discard than draw", () => {
  const ask = { kind: "play", view: { up: "8h", hand: [] }, legal: [play("7c"), play("9d")] };
  assert.deepStrictEqual(choose(ask, pagat), play("7c"));
});

test("in shram it prefers the other colour", () => {
  const ask = { kind: "play", view: { up: "8h", hand: [] }, legal: [play("7d"), play("9c")] };
  assert.deepStrictEqual(choose(ask, shram), play("9c"));
});

test("it discards the lowest numbers", () => {
  const ask = { kind: "discard", view: { up: "3h", hand: ["2c", "Kd", "9d", "Ts"], discard: 2 } };
  assert.deepStrictEqual(choose(ask, pagat), { type: "discard", cards: ["Kd", "2c"] });
});
