// Bread and Chocolate: plays the card that leaves the smallest hand, and discards the lowest numbers.

"use strict";

const { run } = require("./arena_kit");

const RANKS = "A23456789TJQK";
const AVERAGE_COST = 8; // of a card in shram

function choose(ask, game) {
  const { hand, up } = ask.view;
  if (ask.kind === "opening") return { type: "pass" };
  if (ask.kind === "discard") {
    // Keep the high cards: played one below the top, they discard most.
    const byNumber = [...hand].sort((one, other) => number(one) - number(other));
    return { type: "discard", cards: byNumber.slice(0, ask.view.discard) };
  }
  const growth = game.options.rules === "shram" ? costGrowth : handGrowth;
  return ask.legal.reduce((best, move) => (growth(move.card, up, game) < growth(best.card, up, game) ? move : best));
}

/** Return how many cards you draw above, or discard below, when you play this card. */
function number(card) {
  const place = RANKS.indexOf(card[0]);
  return place < 10 ? place + 1 : 0;
}

/** Return by how many cards the hand grows when you play a card, in `pagat` and `gamerules`. */
function handGrowth(card, up) {
  const steps = (RANKS.indexOf(card[0]) - RANKS.indexOf(up[0]) + 13) % 13;
  if (steps === 1) return number(card) - 1; // one above: draw
  return steps === 12 ? -number(card) - 1 : -1; // one below: discard
}

/** Return by how much the cost of the hand grows when you play a card, in `shram`. */
function costGrowth(card, up, game) {
  const high = game.options.values === "note" ? [10, 10, 10, 10, 11] : [10, 11, 12, 13, 14];
  const cost = "TJQKA".includes(card[0]) ? high["TJQKA".indexOf(card[0])] : Number(card[0]);
  const sameColour = "dh".includes(card[1]) === "dh".includes(up[1]);
  return (sameColour ? cost * AVERAGE_COST : 0) - cost;
}

if (require.main === module) run(choose);

module.exports = { choose };
