// Bread and Chocolate: plays the card that leaves the smallest hand, and discards the lowest numbers.

package main

import (
	"sort"
	"strings"
)

const (
	ranks       = "A23456789TJQK"
	averageCost = 8 // of a card in shram
)

// View is the part of the view that this bot needs.
type View struct {
	Up      string   `json:"up"`
	Hand    []string `json:"hand"`
	Discard int      `json:"discard"`
}

// Move is a move of any type, with the cards of `play` and `discard`.
type Move struct {
	Type  string   `json:"type"`
	Card  string   `json:"card,omitempty"`
	Cards []string `json:"cards,omitempty"`
}

func choose(ask *Ask, game *Game) any {
	view := Decode[View](ask.View)
	switch ask.Kind {
	case "opening":
		return Move{Type: "pass"}
	case "discard":
		// Keep the high cards: played one below the top, they discard most.
		cards := view.Hand
		sort.SliceStable(cards, func(one, other int) bool { return number(cards[one]) < number(cards[other]) })
		return Move{Type: "discard", Cards: cards[:view.Discard]}
	}
	growth := handGrowth
	if game.Options["rules"] == "shram" {
		growth = costGrowth
	}
	best := Decode[Move](ask.Legal[0])
	for _, legal := range ask.Legal {
		if move := Decode[Move](legal); growth(move.Card, view.Up, game) < growth(best.Card, view.Up, game) {
			best = move
		}
	}
	return best
}

// number returns how many cards you draw above, or discard below, when you play this card.
func number(card string) int {
	if place := strings.IndexByte(ranks, card[0]); place < 10 {
		return place + 1
	}
	return 0
}

// handGrowth returns by how many cards the hand grows when you play a card, in `pagat` and `gamerules`.
func handGrowth(card, up string, _ *Game) int {
	switch (strings.IndexByte(ranks, card[0]) - strings.IndexByte(ranks, up[0]) + 13) % 13 {
	case 1: // one above: draw
		return number(card) - 1
	case 12: // one below: discard
		return -number(card) - 1
	}
	return -1
}

// costGrowth returns by how much the cost of the hand grows when you play a card, in `shram`.
func costGrowth(card, up string, game *Game) int {
	high := []int{10, 11, 12, 13, 14}
	if game.Options["values"] == "note" {
		high = []int{10, 10, 10, 10, 11}
	}
	cost := int(card[0] - '0')
	if place := strings.IndexByte("TJQKA", card[0]); place >= 0 {
		cost = high[place]
	}
	red := func(card string) bool { return card[1] == 'd' || card[1] == 'h' }
	if red(card) == red(up) {
		return cost*averageCost - cost
	}
	return -cost
}

func main() { Run(choose) }
