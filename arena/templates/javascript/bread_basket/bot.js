// Bread Basket: takes the trick with the most points, or else plays its lowest card.

"use strict";

const { run } = require("./arena_kit");

const rank = (card) => (card === "O" ? 0 : card === "C" ? 10 : Number(card));
const value = (card) => (card === "O" ? -5 : rank(card));

function choose(ask, game) {
  let best = null;
  let most = 0;
  for (const move of ask.legal) {
    if (move.type !== "play") continue;
    const points = pointsOf(ask.view.line, move.card);
    if (points > most) [best, most] = [move, points];
  }
  if (best !== null) return best;
  if (ask.kind === "second_card") return { type: "stop" };
  return ask.legal[0]; // the lowest card
}

/** Return the points that a card brings at the end of the line. */
function pointsOf(line, card) {
  const end = rank(card);
  let start = line.length - 1;
  while (start >= 0 && rank(line[start]) !== end) start--;
  const inside = line.slice(start + 1);
  if (start < 0 || inside.length < 2) return 0;
  if (inside.every((other) => rank(other) < end)) return inside.reduce((sum, other) => sum + value(other), 2); // a sandwich
  if (inside.every((other) => rank(other) > end)) return inside.length + 2; // a soup
  return 0;
}

if (require.main === module) run(choose);

module.exports = { choose, pointsOf };
