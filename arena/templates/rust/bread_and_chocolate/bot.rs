//! Bread and Chocolate: plays the card that leaves the smallest hand, and discards the lowest numbers.

mod arena_kit;
#[cfg(test)]
mod test_bot;

use arena_kit::{object, run, Game, Json};

const RANKS: &str = "A23456789TJQK";
const AVERAGE_COST: i64 = 8; // of a card in shram

fn choose(ask: &Json, game: &mut Game) -> Json {
    let view = &ask["view"];
    match ask["kind"].text() {
        "opening" => object([("type", "pass".into())]),
        "discard" => {
            let mut cards = view["hand"].items().to_vec();
            // Keep the high cards: played one below the top, they discard most.
            cards.sort_by_key(|card| number(card.text()));
            cards.truncate(view["discard"].whole() as usize);
            object([("type", "discard".into()), ("cards", Json::Array(cards))])
        }
        _ => {
            let growth = if game.options["rules"].text() == "shram" { cost_growth } else { hand_growth };
            let up = view["up"].text();
            let plays = ask["legal"].items().iter();
            plays.min_by_key(|play| growth(play["card"].text(), up, &game.options)).unwrap().clone()
        }
    }
}

fn place(card: &str) -> i64 {
    RANKS.find(&card[..1]).unwrap() as i64
}

/// Return how many cards you draw above, or discard below, when you play this card.
fn number(card: &str) -> i64 {
    if place(card) < 10 {
        place(card) + 1
    } else {
        0
    }
}

/// Return by how many cards the hand grows when you play a card, in `pagat` and `gamerules`.
fn hand_growth(card: &str, up: &str, _options: &Json) -> i64 {
    match (place(card) - place(up) + 13) % 13 {
        1 => number(card) - 1,   // one above: draw
        12 => -number(card) - 1, // one below: discard
        _ => -1,
    }
}

/// Return by how much the cost of the hand grows when you play a card, in `shram`.
fn cost_growth(card: &str, up: &str, options: &Json) -> i64 {
    let high = if options["values"].text() == "note" { [10, 10, 10, 10, 11] } else { [10, 11, 12, 13, 14] };
    let cost = match "TJQKA".find(&card[..1]) {
        Some(place) => high[place],
        None => card[..1].parse().unwrap(),
    };
    let red = |card: &str| "dh".contains(&card[1..]);
    (if red(card) == red(up) { cost * AVERAGE_COST } else { 0 }) - cost
}

fn main() {
    run(choose);
}
