"use strict";

const assert = require("node:assert");
const test = require("node:test");
const { choose, pointsOf } = require("./bot");

const play = (card) => ({ type: "play", card });

test("tricks are worth what the rules say", () => {
  assert.strictEqual(pointsOf(["5", "4", "3"], "5"), 9);
  assert.strictEqual(pointsOf(["3", "6", "7", "4"], "3"), 5);
  assert.strictEqual(pointsOf(["9", "O", "2"], "9"), -1);
  assert.strictEqual(pointsOf(["2", "4", "5", "1"], "2"), 0);
  assert.strictEqual(pointsOf(["4", "4", "3"], "4"), 0);
});

test("it takes the trick with the most points", () => {
  const ask = { kind: "first_card", view: { line: ["5", "4", "3"] }, legal: [play("O"), play("5"), play("9")] };
  assert.deepStrictEqual(choose(ask), play("5"));
});

test("without a trick it plays its lowest card, and then stops", () => {
  const view = { line: ["8"] };
  assert.deepStrictEqual(choose({ kind: "first_card", view, legal: [play("2"), play("9")] }), play("2"));
  const stop = { type: "stop" };
  assert.deepStrictEqual(choose({ kind: "second_card", view, legal: [play("9"), stop] }), stop);
});
