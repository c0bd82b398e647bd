package main

import (
	"reflect"
	"testing"
)

const start = `{"seat": 0, "private": {
	"families": {"cheese": ["brie", "feta"], "fish": ["tuna", "trout"], "fruit": ["fig", "pear"]},
	"pairs": {
		"cheese": {"cheese": 0, "fish": -1, "fruit": 1},
		"fish": {"cheese": -1, "fish": 0.5, "fruit": -1},
		"fruit": {"cheese": 1, "fish": -1, "fruit": 0}
	},
	"likings": {"cheese": 1, "fish": -1, "fruit": 0},
	"quirks": {}
}}`

func chosen(ask string) Move {
	decoded := Decode[Ask](Raw(ask))
	return choose(&decoded, NewGame(start)).(Move)
}

func TestItReachesFirstForWhatGoesWithItsHand(t *testing.T) {
	move := chosen(`{"kind": "grab", "view": {"market": ["tuna", "fig", "feta"], "hands": [["brie"], [], []]}}`)
	if !reflect.DeepEqual(move["order"], []int{1, 2, 0}) {
		t.Error(move)
	}
}

func TestItServesEachCardOnceTheBestSandwichFirst(t *testing.T) {
	move := chosen(`{"kind": "serve", "view": {"hands": [["brie", "tuna", "fig", "feta", "trout", "pear"]]}}`)
	if !reflect.DeepEqual(move["sandwiches"], [][]string{{"brie", "fig", "feta"}, {"tuna", "trout", "pear"}}) {
		t.Error(move)
	}
}

func TestItRanksWhatItTastesByItsOwnPalate(t *testing.T) {
	move := chosen(`{"kind": "taste", "view": {"read_out": [["tuna", "trout", "fig"], ["brie", "feta", "pear"]]}}`)
	if !reflect.DeepEqual(move["ranking"], []int{1, 0}) {
		t.Error(move)
	}
}
