//! A bot for any game: it plays a random legal move.

mod arena_kit;
#[cfg(test)]
mod test_bot;

use arena_kit::{run, Game, Json};

fn choose(ask: &Json, game: &mut Game) -> Json {
    let legal = ask["legal"].items();
    if legal.is_empty() {
        return ask["example"].clone(); // there are too many moves to list: build your own in this form
    }
    game.rng.choice(legal).clone()
}

fn main() {
    run(choose);
}
