// Sandwich: combines ingredients that go well together, and never trades.

package main

import "sort"

// View is the part of the view that this bot needs.
type View struct {
	Market  []string   `json:"market"`
	Hands   [][]string `json:"hands"`
	ReadOut [][]string `json:"read_out"`
}

// Tables are what every player knows, and your own palate.
type Tables struct {
	Families map[string][]string           `json:"families"`
	Pairs    map[string]map[string]float64 `json:"pairs"`
	Likings  map[string]float64            `json:"likings"`
	Quirks   map[string]float64            `json:"quirks"`
}

// Move is a move with whatever else it needs.
type Move map[string]any

func choose(ask *Ask, game *Game) any {
	view, tables := Decode[View](ask.View), Decode[Tables](game.Private)
	switch ask.Kind {
	case "grab":
		fit := func(place int) float64 { return tables.bestPairs(view.Market[place], view.Hands[game.Seat]) }
		return Move{"type": "grab", "order": highestFirst(len(view.Market), fit)}
	case "offer":
		return Move{"type": "no_offer"}
	case "answer":
		return Move{"type": "answer", "accept": []int{}}
	case "serve":
		return Move{"type": "serve", "sandwiches": tables.sandwiches(view.Hands[game.Seat])}
	}
	worth := func(place int) float64 { return tables.worthToMe(view.ReadOut[place]) }
	return Move{"type": "taste", "ranking": highestFirst(len(view.ReadOut), worth)}
}

// highestFirst returns the places from 0 to count - 1, that with the highest value first.
func highestFirst(count int, value func(place int) float64) []int {
	places := make([]int, count)
	for place := range places {
		places[place] = place
	}
	sort.SliceStable(places, func(one, other int) bool { return value(places[one]) > value(places[other]) })
	return places
}

func (tables *Tables) familyOf(card string) string {
	for family, cards := range tables.Families {
		for _, other := range cards {
			if other == card {
				return family
			}
		}
	}
	panic("an unknown ingredient: " + card)
}

// pair returns how well two ingredients go together.
func (tables *Tables) pair(one, other string) float64 {
	return tables.Pairs[tables.familyOf(one)][tables.familyOf(other)]
}

// bestPairs returns how well a card goes with the two cards of the hand that suit it best.
func (tables *Tables) bestPairs(card string, hand []string) float64 {
	sum, pairs := 0.0, []float64{}
	for _, other := range hand {
		pairs = append(pairs, tables.pair(card, other))
	}
	sort.Sort(sort.Reverse(sort.Float64Slice(pairs)))
	for place := 0; place < 2 && place < len(pairs); place++ {
		sum += pairs[place]
	}
	return sum
}

func (tables *Tables) together(a, b, c string) float64 {
	return tables.pair(a, b) + tables.pair(a, c) + tables.pair(b, c)
}

// sandwiches makes sandwiches of all cards, each the best possible from the cards that are left.
func (tables *Tables) sandwiches(hand []string) [][]string {
	left := append([]string{}, hand...)
	made := [][]string{}
	for len(left) >= 3 {
		best, most := [3]int{0, 1, 2}, tables.together(left[0], left[1], left[2])
		for a := range left {
			for b := a + 1; b < len(left); b++ {
				for c := b + 1; c < len(left); c++ {
					if worth := tables.together(left[a], left[b], left[c]); worth > most {
						best, most = [3]int{a, b, c}, worth
					}
				}
			}
		}
		made = append(made, []string{left[best[0]], left[best[1]], left[best[2]]})
		rest := []string{}
		for place, card := range left {
			if place != best[0] && place != best[1] && place != best[2] {
				rest = append(rest, card)
			}
		}
		left = rest
	}
	return made
}

// worthToMe returns the worth of a sandwich to your own palate.
func (tables *Tables) worthToMe(sandwich []string) float64 {
	worth := tables.together(sandwich[0], sandwich[1], sandwich[2])
	for _, card := range sandwich {
		worth += tables.Likings[tables.familyOf(card)] + tables.Quirks[card]
	}
	return worth
}

func main() { Run(choose) }
