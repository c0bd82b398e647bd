//! Sandwich: combines ingredients that go well together, and never trades.

mod arena_kit;
#[cfg(test)]
mod test_bot;

use arena_kit::{object, run, Game, Json};

fn choose(ask: &Json, game: &mut Game) -> Json {
    let (view, tables) = (&ask["view"], &game.private);
    let hand = texts(&view["hands"][game.seat]);
    match ask["kind"].text() {
        "grab" => {
            let market = texts(&view["market"]);
            let fits = market.iter().map(|card| best_pairs(card, &hand, tables)).collect();
            object([("type", "grab".into()), ("order", highest_first(fits).into())])
        }
        "offer" => object([("type", "no_offer".into())]),
        "answer" => object([("type", "answer".into()), ("accept", Json::Array(Vec::new()))]),
        "serve" => object([("type", "serve".into()), ("sandwiches", sandwiches(hand, tables).into())]),
        _ => {
            let read_out = view["read_out"].items();
            let worths = read_out.iter().map(|sandwich| worth_to_me(&texts(sandwich), tables)).collect();
            object([("type", "taste".into()), ("ranking", highest_first(worths).into())])
        }
    }
}

fn texts(array: &Json) -> Vec<&str> {
    array.items().iter().map(Json::text).collect()
}

/// Return the positions of values, the highest first.
fn highest_first(values: Vec<f64>) -> Vec<usize> {
    let mut places: Vec<usize> = (0..values.len()).collect();
    places.sort_by(|&one, &other| values[other].partial_cmp(&values[one]).unwrap());
    places
}

fn family_of<'a>(card: &str, tables: &'a Json) -> &'a str {
    let families = tables["families"].fields().iter();
    families.filter(|(_, cards)| texts(cards).contains(&card)).map(|(family, _)| family).next().unwrap()
}

/// Return how well two ingredients go together.
fn pair(one: &str, other: &str, tables: &Json) -> f64 {
    tables["pairs"][family_of(one, tables)][family_of(other, tables)].number()
}

/// Return how well a card goes with the two cards of the hand that suit it best.
fn best_pairs(card: &str, hand: &[&str], tables: &Json) -> f64 {
    let mut pairs: Vec<f64> = hand.iter().map(|other| pair(card, other, tables)).collect();
    pairs.sort_by(|one, other| other.partial_cmp(one).unwrap());
    pairs.iter().take(2).sum()
}

fn together(cards: &[&str], tables: &Json) -> f64 {
    pair(cards[0], cards[1], tables) + pair(cards[0], cards[2], tables) + pair(cards[1], cards[2], tables)
}

/// Make sandwiches of all cards, each the best possible from the cards that are left.
fn sandwiches<'a>(mut left: Vec<&'a str>, tables: &Json) -> Vec<Vec<&'a str>> {
    let mut made = Vec::new();
    while left.len() >= 3 {
        let mut best = (f64::NEG_INFINITY, [0, 0, 0]);
        for a in 0..left.len() {
            for b in a + 1..left.len() {
                for c in b + 1..left.len() {
                    let worth = together(&[left[a], left[b], left[c]], tables);
                    if worth > best.0 {
                        best = (worth, [a, b, c]);
                    }
                }
            }
        }
        made.push(best.1.iter().map(|&place| left[place]).collect());
        for &place in best.1.iter().rev() {
            left.remove(place);
        }
    }
    made
}

/// Return the worth of a sandwich to your own palate.
fn worth_to_me(sandwich: &[&str], tables: &Json) -> f64 {
    let taste =
        |card: &&str| tables["likings"][family_of(card, tables)].number() + tables["quirks"][*card].number();
    together(sandwich, tables) + sandwich.iter().map(taste).sum::<f64>()
}

fn main() {
    run(choose);
}
