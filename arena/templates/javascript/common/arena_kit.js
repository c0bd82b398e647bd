// The JavaScript kit for arena bots: one file, nothing but Node 18 or newer.
//
// A bot is either a function,
//
//     const { run } = require("./arena_kit");
//
//     run((ask, game) => game.rng.choice(ask.legal));
//
// or a class with the hooks of `Bot` below; the kit creates a new object for each game. `ask` is the arena's message:
// `legal` (every legal move) or `example` (one legal move, if there are too many to list), `view`, `events`, `kind`,
// `time`, `id`. `game` is a `Game`. Return a move, or a promise of one. Set `game.note` to add a note to the replay.
//
// The kit uses the real standard output for the protocol, and sends everything else that this process prints to
// standard error, the bot's log; so require it first. If your code throws, the process exits with code 1 and the log
// has the stack.

"use strict";

const PROTOCOLS = [1]; // that this kit speaks, best first

/** The current game, as far as the bot may know it. You can set your own properties on it. */
class Game {
  constructor(start) {
    this.game = start.game; // its name, such as "bread-basket"
    this.ruleset = start.ruleset;
    this.options = start.options ?? {}; // every option of the ruleset with its value
    this.seat = start.seat; // your own, counted from 0
    this.seats = start.seats;
    this.private = start.private ?? {}; // what only this seat knows and what stays the same for the whole game
    this.clock = start.clock;
    this.limits = start.limits;
    this.rng = new Rng(start.bot_seed); // repeats its numbers when the same game is played again
    this.events = []; // all that this seat has seen so far in this game, in order
    this.note = null; // for the next move
  }
}

/** Base class for bots written as a class: override the hooks you need and pass the class to `run`. */
class Bot {
  game; // set by the kit

  /** A new game begins; you have `game.clock.ready_ms`. */
  start(game) {}

  /** Something happened. Events arrive in order, before the `move` or `end` they came with. */
  event(event) {}

  /** Return the move for this decision. */
  move(ask) {
    return ask.legal ? ask.legal[0] : ask.example;
  }

  /** The game is over: `ranks`, `scores` and `verdicts`, each by seat. */
  end(result) {}
}

/** Random numbers from a seed of up to 53 bits, by sfc32 (Chris Doty-Humphrey, PractRand). */
class Rng {
  constructor(seed) {
    this.state = [seed >>> 0, Math.floor(seed / 2 ** 32) >>> 0, 0, 1];
    for (let round = 0; round < 12; round++) this.random();
  }

  /** Return a number from 0 up to but excluding 1. */
  random() {
    const [a, b, c, counter] = this.state;
    const sum = (a + b + counter) | 0;
    this.state = [b ^ (b >>> 9), (c + (c << 3)) | 0, (((c << 21) | (c >>> 11)) + sum) | 0, (counter + 1) | 0];
    return (sum >>> 0) / 2 ** 32;
  }

  /** Return a whole number from 0 up to but excluding `end`. */
  below(end) {
    return Math.floor(this.random() * end);
  }

  /** Return one of the elements of an array. */
  choice(array) {
    return array[this.below(array.length)];
  }
}

let writeLine = null; // the real standard output, once it is reserved for the protocol
let doing = "reading a message";

/**
 * Play games until the arena sends `quit` or closes the input. Exits with code 1 after an exception, or if the arena
 * speaks none of `PROTOCOLS`.
 *
 * `bot` is a function (ask, game) → move, a class with the hooks of `Bot`, or an object with those hooks, which then
 * plays all games.
 */
async function run(bot) {
  reserveOutput();
  if (process.stdin.isTTY) say("waiting for messages on standard input; to play a game, run: arena trace .");
  const session = { bot, playing: null, game: null };
  try {
    for await (const line of lines(process.stdin)) {
      if (!(await hear(session, JSON.parse(line)))) break;
    }
  } catch (error) {
    say(`the bot failed while ${doing}`);
    process.stderr.write(`${error?.stack ?? error}\n`);
    process.exit(1);
  }
  process.exit(0);
}

/** Handle one message; return whether to continue. Unknown messages are ignored. */
async function hear(session, message) {
  doing = "reading a message";
  switch (message.type) {
    case "hello":
      hello(message.protocols);
      break;
    case "start": {
      const game = new Game(message);
      doing = `starting a game of ${game.game}, seat ${game.seat} of ${game.seats}`;
      session.game = game;
      session.playing = player(session.bot, game);
      session.playing.game = game;
      await session.playing.start?.(game);
      send({ type: "ready" });
      break;
    }
    case "ask":
      await tell(session, message.events);
      await answer(session, message);
      break;
    case "end":
      await tell(session, message.events);
      doing = `ending a game of ${session.game.game}`;
      await session.playing.end?.(message);
      session.game = session.playing = null;
      break;
  }
  return message.type !== "quit";
}

function hello(offered) {
  const common = offered.filter((version) => PROTOCOLS.includes(version));
  send({ type: "hello", protocol: common[0] ?? PROTOCOLS[0] });
  if (common.length === 0) {
    throw new Error(`the arena speaks protocol ${offered}; this kit speaks ${PROTOCOLS}: get a newer arena_kit.js`);
  }
}

function player(bot, game) {
  if (typeof bot !== "function") return bot;
  if (typeof bot.prototype?.move === "function") return new bot();
  return { move: (ask) => bot(ask, game) };
}

async function tell({ playing, game }, events) {
  if (game === null) throw new Error("the arena spoke of a game that it never started");
  doing = `hearing of events in ${game.game}, seat ${game.seat}`;
  for (const event of events) {
    game.events.push(event);
    await playing.event?.(event);
  }
}

async function answer({ playing, game }, ask) {
  doing = `answering ask ${ask.id} (${ask.kind}) in ${game.game}, seat ${game.seat}`;
  game.note = null;
  const move = await playing.move(ask);
  if (move === undefined || move === null) {
    throw new Error(`the bot returned ${move}; return one of ask.legal, or a move like ask.example`);
  }
  send({ type: "move", id: ask.id, move, ...(game.note === null ? {} : { note: String(game.note) }) });
}

function send(message) {
  writeLine(JSON.stringify(message) + "\n");
}

function say(text) {
  process.stderr.write(`arena_kit: ${text}\n`);
}

/** Yield the lines of a stream, without their ends. */
async function* lines(stream) {
  let rest = "";
  for await (const piece of stream.setEncoding("utf8")) {
    const parts = (rest + piece).split("\n");
    rest = parts.pop();
    for (const line of parts) if (line.trim() !== "") yield line;
  }
}

/** Keep the standard output for the protocol: whatever else this process prints goes to standard error. */
function reserveOutput() {
  if (writeLine !== null) return;
  process.stdout.on("error", () => process.exit(0)); // the arena is gone
  writeLine = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
}

// Before the bot's own module prints anything; but not if a test only looks at the bot.
if (require.main?.children.includes(module) && !process.env.NODE_TEST_CONTEXT) reserveOutput();

module.exports = { Bot, Game, run };
