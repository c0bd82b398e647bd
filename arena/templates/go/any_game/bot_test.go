package main

import "testing"

func TestItPlaysOneOfTheLegalMoves(t *testing.T) {
	game := NewGame(`{"bot_seed": 1}`)
	ask := Decode[Ask](Raw(`{"legal": [{"card": "7"}, {"card": "8"}]}`))
	for time := 0; time < 20; time++ {
		move := string(choose(&ask, game).(Raw))
		if move != `{"card": "7"}` && move != `{"card": "8"}` {
			t.Fatal(move)
		}
	}
}

func TestWithoutAListItPlaysTheExample(t *testing.T) {
	ask := Decode[Ask](Raw(`{"example": {"order": [1, 0]}}`))
	if move := string(choose(&ask, NewGame("{}")).(Raw)); move != `{"order": [1, 0]}` {
		t.Fatal(move)
	}
}
