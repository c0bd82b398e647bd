use crate::arena_kit::{Game, Json};
use crate::choose;

const START: &str = r#"{"seat": 0, "private": {
    "families": {"cheese": ["brie", "feta"], "fish": ["tuna", "trout"], "fruit": ["fig", "pear"]},
    "pairs": {
        "cheese": {"cheese": 0, "fish": -1, "fruit": 1},
        "fish": {"cheese": -1, "fish": 0.5, "fruit": -1},
        "fruit": {"cheese": 1, "fish": -1, "fruit": 0}
    },
    "likings": {"cheese": 1, "fish": -1, "fruit": 0},
    "quirks": {}
}}"#;

fn chosen(ask: &str) -> Json {
    choose(&Json::parse(ask), &mut Game::new(&Json::parse(START)))
}

#[test]
fn it_reaches_first_for_what_goes_with_its_hand() {
    let ask = r#"{"kind": "grab", "view": {"market": ["tuna", "fig", "feta"], "hands": [["brie"], [], []]}}"#;
    assert_eq!(chosen(ask)["order"], vec![1_usize, 2, 0].into());
}

#[test]
fn it_serves_each_card_once_the_best_sandwich_first() {
    let ask = r#"{"kind": "serve", "view": {"hands": [["brie", "tuna", "fig", "feta", "trout", "pear"]]}}"#;
    let served = r#"[["brie", "fig", "feta"], ["tuna", "trout", "pear"]]"#;
    assert_eq!(chosen(ask)["sandwiches"], Json::parse(served));
}

#[test]
fn it_ranks_what_it_tastes_by_its_own_palate() {
    let ask = r#"{"kind": "taste", "view": {"read_out": [["tuna", "trout", "fig"], ["brie", "feta", "pear"]]}}"#;
    assert_eq!(chosen(ask)["ranking"], vec![1_usize, 0].into());
}
