// Bread Basket: takes the trick with the most points, or else plays its lowest card.

package main

import "strconv"

// View is the part of the view that this bot needs.
type View struct {
	Line []string `json:"line"`
}

// Move is a move of any type; Card is that of `play`.
type Move struct {
	Type string `json:"type"`
	Card string `json:"card,omitempty"`
}

func choose(ask *Ask, _ *Game) any {
	line := Decode[View](ask.View).Line
	var best any
	most := 0
	for _, legal := range ask.Legal {
		move := Decode[Move](legal)
		if move.Type != "play" {
			continue
		}
		if points := pointsOf(line, move.Card); points > most {
			best, most = move, points
		}
	}
	if best != nil {
		return best
	}
	if ask.Kind == "second_card" {
		return Move{Type: "stop"}
	}
	return ask.Legal[0] // the lowest card
}

func rank(card string) int {
	switch card {
	case "O":
		return 0
	case "C":
		return 10
	}
	number, _ := strconv.Atoi(card)
	return number
}

func value(card string) int {
	if card == "O" {
		return -5
	}
	return rank(card)
}

// pointsOf returns the points that a card brings at the end of the line.
func pointsOf(line []string, card string) int {
	end := rank(card)
	start := len(line) - 1
	for start >= 0 && rank(line[start]) != end {
		start--
	}
	if start < 0 || len(line)-start < 3 {
		return 0
	}
	inside := line[start+1:]
	lower, higher, values := 0, 0, 0
	for _, other := range inside {
		if rank(other) < end {
			lower++
		} else {
			higher++
		}
		values += value(other)
	}
	switch len(inside) {
	case lower: // a sandwich
		return 2 + values
	case higher: // a soup
		return 2 + len(inside)
	}
	return 0
}

func main() { Run(choose) }
