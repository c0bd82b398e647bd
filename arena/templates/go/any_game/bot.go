// A bot for any game: it plays a random legal move.

package main

func choose(ask *Ask, game *Game) any {
	if len(ask.Legal) > 0 {
		return ask.Legal[game.Rng.Intn(len(ask.Legal))]
	}
	return ask.Example // there are too many moves to list: build your own in this form
}

func main() { Run(choose) }
