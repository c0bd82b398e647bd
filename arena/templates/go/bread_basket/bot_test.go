package main

import (
	"strings"
	"testing"
)

func chosen(kind string, line string, legal ...Move) Move {
	ask := Ask{Kind: kind, View: Raw(`{"line": ["` + strings.ReplaceAll(line, " ", `", "`) + `"]}`)}
	for _, move := range legal {
		ask.Legal = append(ask.Legal, Raw(`{"type": "`+move.Type+`", "card": "`+move.Card+`"}`))
	}
	switch move := choose(&ask, NewGame("{}")).(type) {
	case Move:
		return move
	case Raw:
		return Decode[Move](move)
	}
	panic("neither a Move nor one of the legal moves")
}

func TestTricksAreWorthWhatTheRulesSay(t *testing.T) {
	for _, trick := range []struct {
		line, card string
		points     int
	}{{"5 4 3", "5", 9}, {"3 6 7 4", "3", 5}, {"9 O 2", "9", -1}, {"2 4 5 1", "2", 0}, {"4 4 3", "4", 0}} {
		if points := pointsOf(strings.Split(trick.line, " "), trick.card); points != trick.points {
			t.Errorf("%s, then %s: %d points instead of %d", trick.line, trick.card, points, trick.points)
		}
	}
}

func TestItTakesTheTrickWithTheMostPoints(t *testing.T) {
	if move := chosen("first_card", "5 4 3", Move{"play", "O"}, Move{"play", "5"}); move.Card != "5" {
		t.Error(move)
	}
}

func TestWithoutATrickItPlaysItsLowestCardAndThenStops(t *testing.T) {
	if move := chosen("first_card", "8", Move{"play", "2"}, Move{"play", "9"}); move.Card != "2" {
		t.Error(move)
	}
	if move := chosen("second_card", "8", Move{"play", "9"}, Move{"stop", ""}); move.Type != "stop" {
		t.Error(move)
	}
}
