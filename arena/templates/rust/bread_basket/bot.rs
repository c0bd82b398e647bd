//! Bread Basket: takes the trick with the most points, or else plays its lowest card.

mod arena_kit;
#[cfg(test)]
mod test_bot;

use arena_kit::{object, run, Game, Json};

fn choose(ask: &Json, _game: &mut Game) -> Json {
    let line: Vec<&str> = ask["view"]["line"].items().iter().map(Json::text).collect();
    let mut best = (0, None);
    for play in ask["legal"].items().iter().filter(|play| play["type"].text() == "play") {
        let points = points_of(&line, play["card"].text());
        if points > best.0 {
            best = (points, Some(play));
        }
    }
    match best.1 {
        Some(play) => play.clone(),
        None if ask["kind"].text() == "second_card" => object([("type", "stop".into())]),
        None => ask["legal"][0].clone(), // the lowest card
    }
}

fn rank(card: &str) -> i32 {
    match card {
        "O" => 0,
        "C" => 10,
        number => number.parse().unwrap(),
    }
}

fn value(card: &str) -> i32 {
    if card == "O" {
        -5
    } else {
        rank(card)
    }
}

/// Return the points that a card brings at the end of the line.
fn points_of(line: &[&str], card: &str) -> i32 {
    let end = rank(card);
    let inside = match line.iter().rposition(|other| rank(other) == end) {
        Some(start) => &line[start + 1..],
        None => return 0,
    };
    if inside.len() < 2 {
        0
    } else if inside.iter().all(|other| rank(other) < end) {
        2 + inside.iter().map(|other| value(other)).sum::<i32>() // a sandwich
    } else if inside.iter().all(|other| rank(other) > end) {
        2 + inside.len() as i32 // a soup
    } else {
        0
    }
}

fn main() {
    run(choose);
}
