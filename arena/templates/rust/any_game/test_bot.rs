use crate::arena_kit::{Game, Json};
use crate::choose;

#[test]
fn it_plays_one_of_the_legal_moves() {
    let mut game = Game::new(&Json::parse(r#"{"bot_seed": 1}"#));
    let ask = Json::parse(r#"{"legal": [{"card": "7"}, {"card": "8"}]}"#);
    for _ in 0..20 {
        assert!(ask["legal"].items().contains(&choose(&ask, &mut game)));
    }
}

#[test]
fn without_a_list_it_plays_the_example() {
    let mut game = Game::new(&Json::parse("{}"));
    let ask = Json::parse(r#"{"example": {"order": [1, 0]}}"#);
    assert_eq!(choose(&ask, &mut game), ask["example"]);
}
