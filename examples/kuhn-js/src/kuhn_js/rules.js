// Kuhn poker for Arena: reads requests as JSON lines, and answers each with one line.
"use strict";

const CARDS = ["J", "Q", "K"];
const LOST = { "check check": 1, "bet fold": 1, "check bet fold": 1, "bet call": 2, "check bet call": 2 };

function scores({ deck, made }) {
  const chips = LOST[made] || 0;
  if (!chips) return [0, 0];
  const wins = made.endsWith("fold") ? made === "bet fold" : CARDS.indexOf(deck[0]) > CARDS.indexOf(deck[1]);
  return wins ? [chips, -chips] : [-chips, chips];
}

// A position: the state, which Arena gives back as it is, and everything that follows from it.
function position(state, events) {
  const { deck, made } = state;
  const table = { made, pot: 1 + made.split(/bet|call/).length };
  const found = { state, events, scores: scores(state), table };
  found.views = [0, 1].map((seat) => (deck ? { ...table, card: deck[seat] } : table));
  if (!deck) {
    found.draw = { shuffle: "deck", items: CARDS };
  } else if (!(made in LOST)) {
    const moves = made.includes("bet") ? ["fold", "call"] : ["check", "bet"];
    const seat = made.split(" ").filter(Boolean).length % 2;
    found.turn = [{ seat, kind: "act", legal: moves.map((type) => ({ type })) }];
  }
  return found;
}

const answers = {
  hello: () => ({ game: "kuhn-js", version: 1 }),

  deal: () => position({ deck: null, made: "" }, []),

  drawn({ values }) {
    const cards = { 0: { card: values[0] }, 1: { card: values[1] } };
    return position({ deck: values, made: "" }, [{ kind: "dealt", private: cards }]);
  },

  apply({ state, moves }) {
    const [[seat, { type }]] = Object.entries(moves);
    const made = `${state.made} ${type}`.trim();
    const events = [{ kind: "said", data: { seat: Number(seat), move: type } }];
    if (made in LOST && type !== "fold") events.push({ kind: "shown", data: { cards: state.deck.slice(0, 2) } });
    return position({ deck: state.deck, made }, events);
  },
};

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const request = JSON.parse(line);
  process.stdout.write(JSON.stringify({ id: request.id, ...answers[request.do](request) }) + "\n");
});
