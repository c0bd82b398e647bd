use crate::arena_kit::{Game, Json};
use crate::choose;

const PAGAT: &str = r#"{"options": {"rules": "pagat"}}"#;
const SHRAM: &str = r#"{"options": {"rules": "shram", "values": "ranks"}}"#;

fn chosen(ask: &str, start: &str) -> Json {
    choose(&Json::parse(ask), &mut Game::new(&Json::parse(start)))
}

#[test]
fn it_would_rather_discard_than_draw() {
    let ask = r#"{"kind": "play", "view": {"up": "8h"},
                  "legal": [{"type": "play", "card": "7c"}, {"type": "play", "card": "9d"}]}"#;
    assert_eq!(chosen(ask, PAGAT)["card"].text(), "7c");
}

#[test]
fn in_shram_it_prefers_the_other_colour() {
    let ask = r#"{"kind": "play", "view": {"up": "8h"},
                  "legal": [{"type": "play", "card": "7d"}, {"type": "play", "card": "9c"}]}"#;
    assert_eq!(chosen(ask, SHRAM)["card"].text(), "9c");
}

#[test]
fn it_discards_the_lowest_numbers() {
    let ask = r#"{"kind": "discard", "view": {"hand": ["2c", "Kd", "9d", "Ts"], "discard": 2}}"#;
    assert_eq!(chosen(ask, PAGAT), Json::parse(r#"{"type": "discard", "cards": ["Kd", "2c"]}"#));
}
