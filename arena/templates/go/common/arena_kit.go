// The Go kit for arena bots: one file, nothing but the standard library, Go 1.18 or newer.
//
// A bot is either a function,
//
//	func choose(ask *Ask, game *Game) any {
//		return ask.Legal[game.Rng.Intn(len(ask.Legal))]
//	}
//
//	func main() { Run(choose) }
//
// or a type with the hooks of `Bot`, of which `RunBot` makes a new one for each game. Return a move: one of `ask.Legal`,
// or anything that encoding/json turns into a move like `ask.Example`. Set `game.Note` to add a note to the replay.
//
// The kit keeps the real standard output for the protocol and points os.Stdout to standard error, the bot's log. If your
// code panics, the process exits with code 1 and the log has the stack.

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"os"
	"runtime/debug"
)

// The only version of the protocol that this kit speaks.
const protocol = 1

// Raw is JSON that isn't decoded yet: see Decode.
type Raw = json.RawMessage

// Game is the current game, as far as the bot may know it.
type Game struct {
	Game    string         `json:"game"` // its name, such as "bread-basket"
	Ruleset string         `json:"ruleset"`
	Options map[string]any `json:"options"` // every option of the ruleset with its value; numbers are float64
	Seat    int            `json:"seat"`    // your own, counted from 0
	Seats   int            `json:"seats"`
	Private Raw            `json:"private"` // what only this seat knows and what stays the same for the whole game
	Clock   map[string]int `json:"clock"`
	Limits  map[string]int `json:"limits"`
	BotSeed int64          `json:"bot_seed"`

	Rng    *rand.Rand `json:"-"` // repeats its numbers when the same game is played again
	Events []Raw      `json:"-"` // all that this seat has seen so far in this game, in order
	Note   string     `json:"-"` // for the next move
}

// Ask is a decision to make. Either Legal or Example is present.
type Ask struct {
	ID      int64  `json:"id"`
	Kind    string `json:"kind"`
	View    Raw    `json:"view"`    // everything on the table or in your hand now
	Legal   []Raw  `json:"legal"`   // every legal move
	Example Raw    `json:"example"` // one legal move, if there are too many to list
	Events  []Raw  `json:"events"`  // what happened since the last message
	Time    struct {
		MoveMs int `json:"move_ms"` // for this decision
		BankMs int `json:"bank_ms"` // for the whole game
	} `json:"time"`
}

// Result is the end of a game. The slices are by seat; a verdict is nil for a seat that didn't forfeit.
type Result struct {
	Ranks    []int     `json:"ranks"`
	Scores   []float64 `json:"scores"`
	Verdicts []*string `json:"verdicts"`
}

// Bot has the hooks of a bot written as a type. Embed Hooks, and define those that you need.
type Bot interface {
	Start(game *Game)               // a new game begins; you have game.Clock["ready_ms"]
	Event(event Raw, game *Game)    // in order, before the Move or End they came with
	Move(ask *Ask, game *Game) any  // return the move for this decision
	End(result *Result, game *Game) // the game is over
}

// Hooks does nothing in every hook but Move.
type Hooks struct{}

func (Hooks) Start(*Game)        {}
func (Hooks) Event(Raw, *Game)   {}
func (Hooks) End(*Result, *Game) {}

// Decode decodes JSON into a type of yours: `Decode[View](ask.View)`. It panics if that fails.
func Decode[T any](raw Raw) T {
	var value T
	if err := json.Unmarshal(raw, &value); err != nil {
		panic(fmt.Sprintf("%v: %.200s", err, raw))
	}
	return value
}

// NewGame makes a game from the JSON of a `start` message. Fields may be missing, so that tests can be short.
func NewGame(start string) *Game {
	game := Decode[Game](Raw(start))
	game.Rng = rand.New(rand.NewSource(game.BotSeed))
	return &game
}

// Run plays games with a function until the arena sends `quit` or closes the input.
func Run(choose func(ask *Ask, game *Game) any) {
	RunBot(func() Bot { return function{choose: choose} })
}

type function struct {
	Hooks
	choose func(*Ask, *Game) any
}

func (bot function) Move(ask *Ask, game *Game) any { return bot.choose(ask, game) }

// RunBot plays games with a new bot for each until the arena sends `quit` or closes the input.
func RunBot(newBot func() Bot) {
	out := os.Stdout
	os.Stdout = os.Stderr
	if info, err := os.Stdin.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		say("waiting for messages on standard input; to play a game, run: arena trace .")
	}
	talk := session{out: out, newBot: newBot, doing: "reading a message"}
	defer func() {
		if failure := recover(); failure != nil {
			say("the bot failed while %s: %v\n%s", talk.doing, failure, debug.Stack())
			os.Exit(1)
		}
	}()
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 && !talk.hear(line) {
			return
		}
		if err == io.EOF {
			return
		} else if err != nil {
			panic(err)
		}
	}
}

type session struct {
	out    *os.File
	newBot func() Bot
	bot    Bot
	game   *Game // nil between games
	doing  string
}

// hear handles one message and returns whether to continue. Unknown messages are ignored.
func (talk *session) hear(line []byte) bool {
	talk.doing = "reading a message"
	message := Decode[struct {
		Type      string
		Protocols []int
		Events    []Raw
	}](line)
	switch message.Type {
	case "hello":
		talk.send(map[string]any{"type": "hello", "protocol": protocol})
		common := false
		for _, offered := range message.Protocols {
			common = common || offered == protocol
		}
		if !common {
			panic(fmt.Sprintf("the arena speaks protocol %v; this kit speaks %d: get a newer arena_kit.go", message.Protocols, protocol))
		}
	case "start":
		talk.game, talk.bot = NewGame(string(line)), talk.newBot()
		talk.doing = fmt.Sprintf("starting a game of %s, seat %d of %d", talk.game.Game, talk.game.Seat, talk.game.Seats)
		talk.bot.Start(talk.game)
		talk.send(map[string]any{"type": "ready"})
	case "ask":
		talk.tell(message.Events)
		talk.answer(Decode[Ask](line))
	case "end":
		talk.tell(message.Events)
		talk.doing = "ending a game of " + talk.game.Game
		result := Decode[Result](line)
		talk.bot.End(&result, talk.game)
		talk.bot, talk.game = nil, nil
	}
	return message.Type != "quit"
}

func (talk *session) tell(events []Raw) {
	if talk.game == nil {
		panic("the arena spoke of a game that it never started")
	}
	talk.doing = fmt.Sprintf("hearing of events in %s, seat %d", talk.game.Game, talk.game.Seat)
	for _, event := range events {
		talk.game.Events = append(talk.game.Events, event)
		talk.bot.Event(event, talk.game)
	}
}

func (talk *session) answer(ask Ask) {
	talk.doing = fmt.Sprintf("answering ask %d (%s) in %s, seat %d", ask.ID, ask.Kind, talk.game.Game, talk.game.Seat)
	talk.game.Note = ""
	move := talk.bot.Move(&ask, talk.game)
	if raw, ok := move.(Raw); move == nil || ok && len(raw) == 0 {
		panic("no move; return one of ask.Legal, or a move like ask.Example")
	}
	answer := map[string]any{"type": "move", "id": ask.ID, "move": move}
	if talk.game.Note != "" {
		answer["note"] = talk.game.Note
	}
	talk.send(answer)
}

func (talk *session) send(message map[string]any) {
	line, err := json.Marshal(message)
	if err != nil {
		panic(fmt.Sprintf("the answer can't be written as JSON: %v", err))
	}
	if _, err := talk.out.Write(append(line, '\n')); err != nil {
		os.Exit(0) // the arena is gone
	}
}

func say(format string, values ...any) {
	fmt.Fprintf(os.Stderr, "arena_kit: "+format+"\n", values...)
}
