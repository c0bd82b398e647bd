// Sandwich: combines ingredients that go well together, and never trades.

"use strict";

const { run } = require("./arena_kit");

function choose(ask, game) {
  const { view } = ask;
  const hand = view.hands[game.seat];
  switch (ask.kind) {
    case "grab": {
      const fit = view.market.map((card) => bestPairs(card, hand, game.private));
      const order = [...view.market.keys()].sort((one, other) => fit[other] - fit[one]);
      return { type: "grab", order };
    }
    case "offer":
      return { type: "no_offer" };
    case "answer":
      return { type: "answer", accept: [] };
    case "serve":
      return { type: "serve", sandwiches: sandwiches(hand, game.private) };
    case "taste": {
      const worth = view.read_out.map((sandwich) => worthToMe(sandwich, game.private));
      const ranking = [...worth.keys()].sort((one, other) => worth[other] - worth[one]);
      return { type: "taste", ranking };
    }
    default:
      return ask.legal ? ask.legal[0] : ask.example;
  }
}

const familyOf = (card, { families }) => Object.keys(families).find((family) => families[family].includes(card));

/** Return how well two ingredients go together. */
function pair(one, other, tables) {
  return tables.pairs[familyOf(one, tables)][familyOf(other, tables)];
}

/** Return how well a card goes with the two cards of the hand that suit it best. */
function bestPairs(card, hand, tables) {
  const pairs = hand.map((other) => pair(card, other, tables)).sort((one, other) => other - one);
  return (pairs[0] ?? 0) + (pairs[1] ?? 0);
}

function together([a, b, c], tables) {
  return pair(a, b, tables) + pair(a, c, tables) + pair(b, c, tables);
}

/** Make sandwiches of all cards, each the best possible from the cards that are left. */
function sandwiches(hand, tables) {
  let left = [...hand];
  const made = [];
  while (left.length > 0) {
    let best = null;
    for (let a = 0; a < left.length; a++)
      for (let b = a + 1; b < left.length; b++)
        for (let c = b + 1; c < left.length; c++) {
          const worth = together([left[a], left[b], left[c]], tables);
          if (best === null || worth > best.worth) best = { worth, places: [a, b, c] };
        }
    made.push(best.places.map((place) => left[place]));
    left = left.filter((_, place) => !best.places.includes(place));
  }
  return made;
}

/** Return the worth of a sandwich to your own palate. */
function worthToMe(sandwich, tables) {
  const taste = (card) => tables.likings[familyOf(card, tables)] + tables.quirks[card];
  return sandwich.reduce((sum, card) => sum + taste(card), together(sandwich, tables));
}

if (require.main === module) run(choose);

module.exports = { choose };
