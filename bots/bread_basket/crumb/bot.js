// Bread Basket in JavaScript, without a kit: takes points, and leaves as few as possible to the others.
//
// Needs only Node. It plays the turn with the most points, minus half of the points that the next line offers
// to a player with the right card, minus two for a second card. It draws no random numbers, so it ignores
// `bot_seed`.

"use strict";

const SECOND_CARD = 2;
const FEAR = 0.5;
const STOP = { type: "stop" };

const rank = (card) => (card === "O" ? 0 : card === "C" ? 10 : Number(card));
const value = (card) => (card === "O" ? -5 : rank(card));
const play = (card) => ({ type: "play", card });

// Points of a trick: a soup 1 a card, a sandwich the values inside and 1 for each end.
function worth(cards) {
  if (rank(cards[1]) > rank(cards[0])) return cards.length;
  return cards.slice(1, -1).reduce((sum, card) => sum + value(card), 2);
}

// Where the trick that ends at position `end` starts, or -1: equal ends, all between lower or all higher.
function trickStart(line, end) {
  const wanted = rank(line[end]);
  let lower = true;
  let higher = true;
  for (let start = end - 1; start >= 0 && (lower || higher); start--) {
    const here = rank(line[start]);
    if (here === wanted) return end - start >= 3 ? start : -1;
    lower &&= here < wanted;
    higher &&= here > wanted;
  }
  return -1;
}

// What playing a card brings, and the line after it.
function afterPlaying(line, card) {
  const after = [...line, card];
  const start = trickStart(after, line.length);
  if (start < 0) return { points: 0, line: after };
  return { points: worth(after.slice(start)), line: line.slice(0, start) };
}

// What taking a card out of the line brings, and the line after it: longest trick first, then nearest the front.
function afterFetching(line, position) {
  let after = line.filter((_, at) => at !== position);
  let points = 0;
  for (;;) {
    let found = null;
    for (let end = 3; end < after.length; end++) {
      const start = trickStart(after, end);
      if (start >= 0 && (found === null || end - start > found.end - found.start)) found = { start, end };
    }
    if (found === null) return { points, line: after };
    points += worth(after.slice(found.start, found.end + 1));
    after = [...after.slice(0, found.start), ...after.slice(found.end + 1)];
  }
}

// The most points that one card, whichever it is, could take from this line.
function danger(line) {
  return Math.max(...line.map((card) => afterPlaying(line, card).points), 0);
}

const judged = (result) => result.points - FEAR * danger(result.line);

function choose(ask) {
  const { line, hand } = ask.view;
  const cards = [...new Set(hand)];
  let best = null;
  const consider = (score, move) => {
    if (best === null || score > best.score) best = { score, move };
  };
  if (ask.kind === "second_card") {
    consider(judged({ points: 0, line }), STOP);
    for (const card of cards) consider(judged(afterPlaying(line, card)) - SECOND_CARD, play(card));
    return best.move;
  }
  for (const card of cards) {
    const first = afterPlaying(line, card);
    consider(judged(first), play(card));
    const rest = [...hand];
    rest.splice(rest.indexOf(card), 1);
    for (const other of new Set(rest)) {
      const second = afterPlaying(first.line, other);
      consider(first.points + judged(second) - SECOND_CARD, play(card));
    }
  }
  for (const move of ask.legal) {
    if (move.type === "chef") consider(judged(afterFetching(line, move.position)), move);
  }
  return best.move;
}

function answer(message) {
  switch (message.type) {
    case "hello":
      return { type: "hello", protocol: 1 };
    case "start":
      return { type: "ready" };
    case "ask":
      return { type: "move", id: message.id, move: choose(message) };
    default:
      return null; // `end`, and whatever a later arena may say
  }
}

const input = require("node:readline").createInterface({ input: process.stdin });
input.on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "quit") process.exit(0);
  const reply = answer(message);
  if (reply !== null) process.stdout.write(JSON.stringify(reply) + "\n");
});
