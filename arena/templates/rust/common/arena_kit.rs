//! The Rust kit for arena bots: one file, nothing but the standard library, Rust 1.63 or newer.
//!
//! A bot is either a function,
//!
//!     mod arena_kit;
//!     use arena_kit::{run, Game, Json};
//!
//!     fn choose(ask: &Json, game: &mut Game) -> Json {
//!         game.rng.choice(ask["legal"].items()).clone()
//!     }
//!
//!     fn main() {
//!         run(choose);
//!     }
//!
//! or a type with the hooks of `Bot`, of which `run_bot` makes a new one for each game. `ask` is the arena's message:
//! `legal` (every legal move) or `example` (one legal move, if there are too many to list), `view`, `events`, `kind`,
//! `time`, `id`. Return a move. Set `game.note` to add a note to the replay.
//!
//! The kit uses the real standard output for the protocol and redirects everything else you print to standard error,
//! the bot's log. If your code panics, the process exits with code 1 and the log has the message.

#![allow(dead_code)]

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, Write};
use std::ops::Index;
use std::os::unix::io::AsFd;
use std::process::exit;
use std::sync::Mutex;

/// Protocol versions that this kit speaks, best first.
const PROTOCOLS: [i64; 1] = [1];

/// The current game, as far as the bot may know it.
pub struct Game {
    /// Its name, such as `bread-basket`.
    pub game: String,
    pub ruleset: String,
    /// Every option of the ruleset with its value.
    pub options: Json,
    /// Your own, counted from 0.
    pub seat: usize,
    pub seats: usize,
    /// What only this seat knows and what stays the same for the whole game.
    pub private: Json,
    pub clock: Json,
    pub limits: Json,
    /// Repeats its numbers when the same game is played again.
    pub rng: Rng,
    /// All that this seat has seen so far in this game, in order.
    pub events: Vec<Json>,
    /// For the next move.
    pub note: Option<String>,
}

impl Game {
    /// Make a game from a `start` message. Fields may be missing, so that tests can be short.
    pub fn new(start: &Json) -> Game {
        Game {
            game: start["game"].text().to_string(),
            ruleset: start["ruleset"].text().to_string(),
            options: start["options"].clone(),
            seat: start["seat"].whole() as usize,
            seats: start["seats"].whole() as usize,
            private: start["private"].clone(),
            clock: start["clock"].clone(),
            limits: start["limits"].clone(),
            rng: Rng(start["bot_seed"].whole() as u64),
            events: Vec::new(),
            note: None,
        }
    }
}

/// The hooks of a bot. Only `new` and `act` are required. Each game gets a new one.
pub trait Bot {
    /// A new game begins; you have `game.clock["ready_ms"]`.
    fn new(game: &mut Game) -> Self;

    /// Something happened. Events arrive in order, before the `act` or `end` they came with.
    fn event(&mut self, _event: &Json, _game: &mut Game) {}

    /// Return the move for this decision.
    fn act(&mut self, ask: &Json, game: &mut Game) -> Json;

    /// The game is over: `ranks`, `scores` and `verdicts`, each by seat.
    fn end(&mut self, _result: &Json, _game: &mut Game) {}
}

/// Random numbers: SplitMix64 (Steele, Lea and Flood, 2014).
pub struct Rng(u64);

impl Rng {
    pub fn random(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Return a whole number from 0 up to but excluding `end`, which is at least 1.
    pub fn below(&mut self, end: usize) -> usize {
        (self.random() % end as u64) as usize
    }

    /// Return one of the elements, of which there is at least one.
    pub fn choice<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// A JSON value. A missing field or element is `Null`, which has no elements, so reading never fails:
/// `ask["view"]["hand"].items()`, `view["scores"][0].whole()`.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

static NULL: Json = Json::Null;

impl Json {
    /// Parse a text. Panics if it is no JSON.
    pub fn parse(text: &str) -> Json {
        let mut reader = Reader { text, at: 0 };
        let value = reader.value();
        assert!(reader.peek() == 0, "not JSON at: {:.40}", &text[reader.at..]);
        value
    }

    /// Return the elements of an array; none if it is something else.
    pub fn items(&self) -> &[Json] {
        match self {
            Json::Array(items) => items,
            _ => &[],
        }
    }

    /// Return the fields of an object; none if it is something else.
    pub fn fields(&self) -> &[(String, Json)] {
        match self {
            Json::Object(fields) => fields,
            _ => &[],
        }
    }

    /// Return a string, or "" if it is something else.
    pub fn text(&self) -> &str {
        match self {
            Json::Text(text) => text,
            _ => "",
        }
    }

    /// Return a number, or 0 if it is something else.
    pub fn number(&self) -> f64 {
        match self {
            Json::Number(number) => *number,
            _ => 0.0,
        }
    }

    /// Return a number without its fraction, or 0 if it is something else.
    pub fn whole(&self) -> i64 {
        self.number() as i64
    }

    pub fn is_null(&self) -> bool {
        *self == Json::Null
    }
}

/// Make an object: `object([("type", "play".into()), ("card", card.into())])`.
pub fn object<const N: usize>(fields: [(&str, Json); N]) -> Json {
    Json::Object(IntoIterator::into_iter(fields).map(|(key, value)| (key.to_string(), value)).collect())
}

impl Index<&str> for Json {
    type Output = Json;
    fn index(&self, key: &str) -> &Json {
        self.fields().iter().find(|(name, _)| name == key).map_or(&NULL, |(_, value)| value)
    }
}

impl Index<usize> for Json {
    type Output = Json;
    fn index(&self, place: usize) -> &Json {
        self.items().get(place).unwrap_or(&NULL)
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Json {
        Json::Text(text.to_string())
    }
}

impl From<usize> for Json {
    fn from(number: usize) -> Json {
        Json::Number(number as f64)
    }
}

impl From<i64> for Json {
    fn from(number: i64) -> Json {
        Json::Number(number as f64)
    }
}

impl<T: Into<Json>> From<Vec<T>> for Json {
    fn from(items: Vec<T>) -> Json {
        Json::Array(items.into_iter().map(Into::into).collect())
    }
}

impl fmt::Display for Json {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Json::Null => write!(out, "null"),
            Json::Bool(value) => write!(out, "{}", value),
            Json::Number(number) => write!(out, "{}", number),
            Json::Text(text) => write_text(out, text),
            Json::Array(items) => {
                write!(out, "[")?;
                for (place, item) in items.iter().enumerate() {
                    write!(out, "{}{}", if place > 0 { "," } else { "" }, item)?;
                }
                write!(out, "]")
            }
            Json::Object(fields) => {
                write!(out, "{{")?;
                for (place, (key, value)) in fields.iter().enumerate() {
                    write!(out, "{}", if place > 0 { "," } else { "" })?;
                    write_text(out, key)?;
                    write!(out, ":{}", value)?;
                }
                write!(out, "}}")
            }
        }
    }
}

fn write_text(out: &mut fmt::Formatter, text: &str) -> fmt::Result {
    write!(out, "\"")?;
    for character in text.chars() {
        match character {
            '"' | '\\' => write!(out, "\\{}", character)?,
            '\0'..='\x1f' => write!(out, "\\u{:04x}", character as u32)?,
            _ => write!(out, "{}", character)?,
        }
    }
    write!(out, "\"")
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    /// Return the next byte that is no white space, or 0 at the end.
    fn peek(&mut self) -> u8 {
        let bytes = self.text.as_bytes();
        while self.at < bytes.len() && b" \t\r\n".contains(&bytes[self.at]) {
            self.at += 1;
        }
        bytes.get(self.at).copied().unwrap_or(0)
    }

    fn expect(&mut self, word: &str) {
        self.peek();
        let rest = &self.text[self.at..];
        assert!(rest.starts_with(word), "not JSON at: {:.40}", rest);
        self.at += word.len();
    }

    fn value(&mut self) -> Json {
        match self.peek() {
            b'{' => {
                let mut fields = Vec::new();
                self.list("{", "}", |reader| {
                    let key = reader.string();
                    reader.expect(":");
                    fields.push((key, reader.value()));
                });
                Json::Object(fields)
            }
            b'[' => {
                let mut items = Vec::new();
                self.list("[", "]", |reader| items.push(reader.value()));
                Json::Array(items)
            }
            b'"' => Json::Text(self.string()),
            b't' => self.word("true", Json::Bool(true)),
            b'f' => self.word("false", Json::Bool(false)),
            b'n' => self.word("null", Json::Null),
            _ => {
                let rest = &self.text[self.at..];
                let end = rest.find(|c: char| !"+-.eE0123456789".contains(c)).unwrap_or(rest.len());
                self.at += end;
                match rest[..end].parse() {
                    Ok(number) => Json::Number(number),
                    Err(_) => panic!("not JSON at: {:.40}", rest),
                }
            }
        }
    }

    fn word(&mut self, word: &str, value: Json) -> Json {
        self.expect(word);
        value
    }

    fn list(&mut self, open: &str, close: &str, mut item: impl FnMut(&mut Self)) {
        self.expect(open);
        let mut first = true;
        while self.peek() != close.as_bytes()[0] {
            if !first {
                self.expect(",");
            }
            first = false;
            item(self);
        }
        self.expect(close);
    }

    fn string(&mut self) -> String {
        self.expect("\"");
        let mut made = String::new();
        loop {
            let rest = &self.text[self.at..];
            let plain = rest.find(|c| c == '"' || c == '\\').expect("a string without an end");
            made.push_str(&rest[..plain]);
            self.at += plain + 1;
            if rest.as_bytes()[plain] == b'"' {
                return made;
            }
            let escape = rest[plain + 1..].chars().next().expect("a string without an end");
            self.at += escape.len_utf8();
            made.push(match escape {
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'u' => self.unicode(),
                other => other,
            });
        }
    }

    fn unicode(&mut self) -> char {
        let mut code = self.hex4();
        if (0xD800..0xDC00).contains(&code) && self.text[self.at..].starts_with("\\u") {
            self.at += 2;
            code = 0x10000 + ((code - 0xD800) << 10) + (self.hex4().wrapping_sub(0xDC00) & 0x3FF);
        }
        char::from_u32(code).unwrap_or('\u{FFFD}')
    }

    fn hex4(&mut self) -> u32 {
        let digits = self.text.get(self.at..self.at + 4).unwrap_or("");
        self.at += 4;
        u32::from_str_radix(digits, 16).expect("four hexadecimal digits after \\u")
    }
}

/// What the bot is doing, for the message when it fails.
static DOING: Mutex<String> = Mutex::new(String::new());

fn doing(what: String) {
    *DOING.lock().unwrap() = what;
}

/// Play games with a function until the arena sends `quit` or closes the input.
pub fn run(choose: fn(&Json, &mut Game) -> Json) {
    let mut out = reserve_output();
    talk(&mut out, |_| Player { choose });
}

/// Play games with a new bot for each until the arena sends `quit` or closes the input: `run_bot::<MyBot>()`.
pub fn run_bot<B: Bot>() {
    let mut out = reserve_output();
    talk(&mut out, B::new);
}

struct Player {
    choose: fn(&Json, &mut Game) -> Json,
}

impl Bot for Player {
    fn new(_game: &mut Game) -> Player {
        unreachable!("`run` makes it")
    }

    fn act(&mut self, ask: &Json, game: &mut Game) -> Json {
        (self.choose)(ask, game)
    }
}

fn talk<B: Bot>(out: &mut File, make: impl Fn(&mut Game) -> B) {
    std::panic::set_hook(Box::new(|panic| {
        let what = DOING.lock().map(|what| what.clone()).unwrap_or_default();
        eprintln!("arena_kit: the bot failed while {}: {}", what, panic);
        exit(1);
    }));
    let mut playing: Option<(B, Game)> = None;
    doing("reading a message".to_string());
    for line in io::stdin().lock().lines() {
        let line = line.expect("a line in UTF-8");
        if line.trim().is_empty() {
            continue;
        }
        let message = Json::parse(&line);
        match (message["type"].text(), &mut playing) {
            ("hello", _) => hello(out, message["protocols"].items()),
            ("start", _) => {
                let mut game = Game::new(&message);
                doing(format!("starting a game of {}, seat {} of {}", game.game, game.seat, game.seats));
                let bot = make(&mut game);
                playing = Some((bot, game));
                send(out, object([("type", "ready".into())]));
            }
            ("ask", Some((bot, game))) => {
                tell(bot, game, message["events"].items());
                let (id, kind) = (&message["id"], message["kind"].text());
                doing(format!("answering ask {} ({}) in {}, seat {}", id, kind, game.game, game.seat));
                game.note = None;
                let chosen = bot.act(&message, game);
                assert!(!chosen.is_null(), "no move; return one of `legal`, or a move like `example`");
                let mut answer = vec![
                    ("type".to_string(), "move".into()),
                    ("id".to_string(), id.clone()),
                    ("move".to_string(), chosen),
                ];
                answer.extend(game.note.take().map(|note| ("note".to_string(), Json::Text(note))));
                send(out, Json::Object(answer));
            }
            ("end", Some((bot, game))) => {
                tell(bot, game, message["events"].items());
                doing(format!("ending a game of {}", game.game));
                bot.end(&message, game);
                playing = None;
            }
            ("ask" | "end", None) => panic!("the arena spoke of a game that it never started"),
            ("quit", _) => return,
            _ => (), // a message of a later arena
        }
        doing("reading a message".to_string());
    }
}

fn hello(out: &mut File, offered: &[Json]) {
    let common = offered.iter().map(Json::whole).find(|version| PROTOCOLS.contains(version));
    send(out, object([("type", "hello".into()), ("protocol", common.unwrap_or(PROTOCOLS[0]).into())]));
    assert!(common.is_some(), "the arena doesn't speak protocol {:?}; get a newer arena_kit.rs", PROTOCOLS);
}

fn tell<B: Bot>(bot: &mut B, game: &mut Game, events: &[Json]) {
    doing(format!("hearing of events in {}, seat {}", game.game, game.seat));
    for event in events {
        game.events.push(event.clone());
        bot.event(event, game);
    }
}

fn send(out: &mut File, message: Json) {
    if out.write_all(format!("{}\n", message).as_bytes()).is_err() {
        exit(0); // the arena is gone
    }
}

/// Return the real standard output; whatever else this process prints goes to standard error.
fn reserve_output() -> File {
    extern "C" {
        fn dup2(from: i32, to: i32) -> i32;
        fn isatty(descriptor: i32) -> i32;
    }
    let out = io::stdout().as_fd().try_clone_to_owned().expect("a standard output");
    // SAFETY: both are functions of the C library, and the descriptors 0, 1 and 2 are open.
    unsafe {
        dup2(2, 1);
        if isatty(0) == 1 {
            eprintln!("arena_kit: waiting for messages on standard input; to play a game, run: arena trace .");
        }
    }
    File::from(out)
}
