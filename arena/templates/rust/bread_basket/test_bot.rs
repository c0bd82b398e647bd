use crate::arena_kit::{Game, Json};
use crate::{choose, points_of};

fn chosen(ask: &str) -> Json {
    choose(&Json::parse(ask), &mut Game::new(&Json::parse("{}")))
}

#[test]
fn tricks_are_worth_what_the_rules_say() {
    assert_eq!(points_of(&["5", "4", "3"], "5"), 9);
    assert_eq!(points_of(&["3", "6", "7", "4"], "3"), 5);
    assert_eq!(points_of(&["9", "O", "2"], "9"), -1);
    assert_eq!(points_of(&["2", "4", "5", "1"], "2"), 0);
    assert_eq!(points_of(&["4", "4", "3"], "4"), 0);
}

#[test]
fn it_takes_the_trick_with_the_most_points() {
    let chosen = chosen(
        r#"{"kind": "first_card", "view": {"line": ["5", "4", "3"]},
            "legal": [{"type": "play", "card": "O"}, {"type": "play", "card": "5"}]}"#,
    );
    assert_eq!(chosen["card"].text(), "5");
}

#[test]
fn without_a_trick_it_plays_its_lowest_card_and_then_stops() {
    let first = chosen(
        r#"{"kind": "first_card", "view": {"line": ["8"]},
            "legal": [{"type": "play", "card": "2"}, {"type": "play", "card": "9"}]}"#,
    );
    assert_eq!(first["card"].text(), "2");
    let second = chosen(
        r#"{"kind": "second_card", "view": {"line": ["8"]},
            "legal": [{"type": "play", "card": "9"}, {"type": "stop"}]}"#,
    );
    assert_eq!(second["type"].text(), "stop");
}
