package main

import (
	"reflect"
	"testing"
)

const (
	pagat = `{"options": {"rules": "pagat"}}`
	shram = `{"options": {"rules": "shram", "values": "ranks"}}`
)

func chosen(ask string, start string) Move {
	decoded := Decode[Ask](Raw(ask))
	return choose(&decoded, NewGame(start)).(Move)
}

func TestItWouldRatherDiscardThanDraw(t *testing.T) {
	ask := `{"kind": "play", "view": {"up": "8h"},
	         "legal": [{"type": "play", "card": "7c"}, {"type": "play", "card": "9d"}]}`
	if move := chosen(ask, pagat); move.Card != "7c" {
		t.Error(move)
	}
}

func TestInShramItPrefersTheOtherColour(t *testing.T) {
	ask := `{"kind": "play", "view": {"up": "8h"},
	         "legal": [{"type": "play", "card": "7d"}, {"type": "play", "card": "9c"}]}`
	if move := chosen(ask, shram); move.Card != "9c" {
		t.Error(move)
	}
}

func TestItDiscardsTheLowestNumbers(t *testing.T) {
	ask := `{"kind": "discard", "view": {"hand": ["2c", "Kd", "9d", "Ts"], "discard": 2}}`
	if move := chosen(ask, pagat); !reflect.DeepEqual(move.Cards, []string{"Kd", "2c"}) {
		t.Error(move)
	}
}
