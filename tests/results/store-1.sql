CREATE TABLE progress (
    league_id INTEGER NOT NULL,
    next_match_no INTEGER NOT NULL,
    matches_planned INTEGER NOT NULL,
    matches_done INTEGER NOT NULL,
    matches_void INTEGER NOT NULL,
    games_planned INTEGER NOT NULL,
    games_done INTEGER NOT NULL,
    games_unrated INTEGER NOT NULL,
    PRIMARY KEY (league_id)
)
 WITHOUT ROWID;
CREATE TABLE rating (
    league_id INTEGER NOT NULL,
    entry_no INTEGER NOT NULL,
    mu FLOAT NOT NULL,
    sigma FLOAT NOT NULL,
    last_match_no INTEGER NOT NULL,
    last_change FLOAT NOT NULL,
    PRIMARY KEY (league_id, entry_no)
)
 WITHOUT ROWID;
CREATE TABLE rating_point (
    league_id INTEGER NOT NULL,
    match_no INTEGER NOT NULL,
    entry_no INTEGER NOT NULL,
    mu FLOAT NOT NULL,
    sigma FLOAT NOT NULL,
    PRIMARY KEY (league_id, match_no, entry_no)
)
 WITHOUT ROWID;
CREATE INDEX rating_point_entry ON rating_point (league_id, entry_no, match_no);
CREATE TABLE entry_total (
    league_id INTEGER NOT NULL,
    entry_no INTEGER NOT NULL,
    matches INTEGER NOT NULL,
    games INTEGER NOT NULL,
    wins INTEGER NOT NULL,
    share INTEGER NOT NULL,
    score INTEGER NOT NULL,
    faults INTEGER NOT NULL,
    decisions INTEGER NOT NULL,
    wall_ns INTEGER NOT NULL,
    max_wall_ns INTEGER NOT NULL,
    cpu_ns INTEGER NOT NULL,
    PRIMARY KEY (league_id, entry_no)
)
 WITHOUT ROWID;
CREATE TABLE seat_total (
    league_id INTEGER NOT NULL,
    entry_no INTEGER NOT NULL,
    seats INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    games INTEGER NOT NULL,
    wins INTEGER NOT NULL,
    share INTEGER NOT NULL,
    score INTEGER NOT NULL,
    PRIMARY KEY (league_id, entry_no, seats, seat)
)
 WITHOUT ROWID;
CREATE TABLE fault_total (
    league_id INTEGER NOT NULL,
    entry_no INTEGER NOT NULL,
    verdict VARCHAR NOT NULL,
    games INTEGER NOT NULL,
    PRIMARY KEY (league_id, entry_no, verdict)
)
 WITHOUT ROWID;
CREATE TABLE pair_total (
    league_id INTEGER NOT NULL,
    entry_a INTEGER NOT NULL,
    entry_b INTEGER NOT NULL,
    games INTEGER NOT NULL,
    games_above INTEGER NOT NULL,
    games_tied INTEGER NOT NULL,
    matches INTEGER NOT NULL,
    matches_above INTEGER NOT NULL,
    matches_tied INTEGER NOT NULL,
    PRIMARY KEY (league_id, entry_a, entry_b)
)
 WITHOUT ROWID;
CREATE TABLE luck_total (
    league_id INTEGER NOT NULL,
    entry_no INTEGER NOT NULL,
    seats INTEGER NOT NULL,
    games INTEGER NOT NULL,
    matches INTEGER NOT NULL,
    points INTEGER NOT NULL,
    game_squares INTEGER NOT NULL,
    match_squares INTEGER NOT NULL,
    PRIMARY KEY (league_id, entry_no, seats, games)
)
 WITHOUT ROWID;
CREATE TABLE row_count (
    table_name VARCHAR NOT NULL,
    league_id INTEGER NOT NULL,
    rows INTEGER NOT NULL,
    PRIMARY KEY (table_name, league_id)
)
 WITHOUT ROWID;
CREATE TABLE migration (
    number INTEGER NOT NULL,
    name VARCHAR NOT NULL,
    at VARCHAR NOT NULL,
    backup VARCHAR,
    checksum INTEGER,
    PRIMARY KEY (number)
);
CREATE TABLE author (
    id INTEGER NOT NULL,
    name VARCHAR NOT NULL,
    added_at VARCHAR NOT NULL,
    checksum INTEGER,
    PRIMARY KEY (id),
    UNIQUE (name)
);
CREATE TABLE ruleset (
    id INTEGER NOT NULL,
    game VARCHAR NOT NULL,
    rules_version INTEGER NOT NULL,
    name VARCHAR NOT NULL,
    options VARCHAR NOT NULL,
    checksum INTEGER,
    PRIMARY KEY (id),
    UNIQUE (game, rules_version, options)
);
CREATE TABLE command (
    id INTEGER NOT NULL,
    uuid VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    submitted_by VARCHAR NOT NULL,
    submitted_at VARCHAR NOT NULL,
    taken_at VARCHAR NOT NULL,
    outcome VARCHAR NOT NULL,
    words VARCHAR NOT NULL,
    hint VARCHAR NOT NULL,
    checksum INTEGER,
    PRIMARY KEY (id),
    CONSTRAINT command_outcome CHECK (outcome IN ('done', 'refused')),
    UNIQUE (uuid)
);
CREATE TABLE segment (
    id INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    sha256 VARCHAR NOT NULL,
    closed_at VARCHAR NOT NULL,
    checksum INTEGER,
    PRIMARY KEY (id)
);
CREATE TABLE bot (
    id INTEGER NOT NULL,
    author_id INTEGER NOT NULL,
    name VARCHAR NOT NULL,
    checksum INTEGER,
    last_deleted INTEGER NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (author_id, name),
    FOREIGN KEY(author_id) REFERENCES author (id)
);
CREATE TABLE league (
    id INTEGER NOT NULL,
    uuid VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    config VARCHAR NOT NULL,
    ruleset_id INTEGER,
    secret BLOB NOT NULL,
    commitment VARCHAR NOT NULL,
    sealed BOOLEAN NOT NULL,
    revealed BOOLEAN NOT NULL,
    rated BOOLEAN NOT NULL,
    rating VARCHAR NOT NULL,
    rating_options VARCHAR NOT NULL,
    keep_replays VARCHAR NOT NULL,
    state VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    checksum INTEGER,
    rating_scale VARCHAR NOT NULL,
    schedule_traits VARCHAR NOT NULL,
    PRIMARY KEY (id),
    CONSTRAINT league_state CHECK (state IN ('created', 'running', 'finished', 'stopped')),
    UNIQUE (uuid),
    UNIQUE (name),
    FOREIGN KEY(ruleset_id) REFERENCES ruleset (id)
);
CREATE TABLE "match" (
    league_id INTEGER NOT NULL,
    match_no INTEGER NOT NULL,
    round_no INTEGER NOT NULL,
    entries VARCHAR NOT NULL,
    games INTEGER NOT NULL,
    why VARCHAR NOT NULL,
    state VARCHAR NOT NULL,
    ruleset_id INTEGER,
    checksum INTEGER,
    seed BLOB,
    first_rotation INTEGER NOT NULL,
    rated BOOLEAN NOT NULL,
    deal_no INTEGER,
    PRIMARY KEY (league_id, match_no),
    CONSTRAINT match_state CHECK (state IN ('planned', 'done', 'void')),
    CONSTRAINT match_games CHECK (games > 0),
    FOREIGN KEY(league_id) REFERENCES league (id),
    FOREIGN KEY(ruleset_id) REFERENCES ruleset (id)
)
 WITHOUT ROWID;
CREATE INDEX match_ruleset ON "match" (league_id, ruleset_id) WHERE ruleset_id IS NOT NULL;
CREATE TABLE version (
    id INTEGER NOT NULL,
    bot_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    sha256 VARCHAR NOT NULL,
    parent_id INTEGER,
    manifest VARCHAR NOT NULL,
    report VARCHAR NOT NULL,
    deterministic BOOLEAN,
    added_at VARCHAR NOT NULL,
    checksum INTEGER,
    build VARCHAR NOT NULL,
    bundled BOOLEAN NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (bot_id, number),
    UNIQUE (bot_id, sha256),
    FOREIGN KEY(bot_id) REFERENCES bot (id),
    FOREIGN KEY(parent_id) REFERENCES version (id)
);
CREATE INDEX ix_version_sha256 ON version (sha256);
CREATE TABLE league_event (
    league_id INTEGER NOT NULL,
    event_no INTEGER NOT NULL,
    at_match_no INTEGER NOT NULL,
    kind VARCHAR NOT NULL,
    data VARCHAR NOT NULL,
    at VARCHAR NOT NULL,
    checksum INTEGER,
    PRIMARY KEY (league_id, event_no),
    FOREIGN KEY(league_id) REFERENCES league (id)
)
 WITHOUT ROWID;
CREATE TABLE segment_span (
    league_id INTEGER NOT NULL,
    segment_id INTEGER NOT NULL,
    first_match INTEGER NOT NULL,
    last_match INTEGER NOT NULL,
    games INTEGER NOT NULL,
    checksum INTEGER,
    PRIMARY KEY (league_id, segment_id),
    FOREIGN KEY(league_id) REFERENCES league (id),
    FOREIGN KEY(segment_id) REFERENCES segment (id)
)
 WITHOUT ROWID;
CREATE TABLE game (
    league_id INTEGER NOT NULL,
    match_no INTEGER NOT NULL,
    rotation INTEGER NOT NULL,
    fingerprint VARCHAR NOT NULL,
    decisions INTEGER NOT NULL,
    wall_ns INTEGER NOT NULL,
    sandbox VARCHAR NOT NULL,
    worker VARCHAR NOT NULL,
    finished_at VARCHAR NOT NULL,
    pruned BOOLEAN NOT NULL,
    checksums BLOB,
    PRIMARY KEY (league_id, match_no, rotation),
    FOREIGN KEY(league_id, match_no) REFERENCES "match" (league_id, match_no)
)
 WITHOUT ROWID;
CREATE INDEX game_sandbox ON game (league_id, sandbox);
CREATE TABLE attempt (
    league_id INTEGER NOT NULL,
    match_no INTEGER NOT NULL,
    rotation INTEGER NOT NULL,
    at VARCHAR NOT NULL,
    attempt INTEGER NOT NULL,
    verdict VARCHAR NOT NULL,
    detail VARCHAR NOT NULL,
    worker VARCHAR NOT NULL,
    entry_no INTEGER,
    checksum INTEGER,
    PRIMARY KEY (league_id, match_no, rotation, at, attempt),
    FOREIGN KEY(league_id, match_no) REFERENCES "match" (league_id, match_no)
)
 WITHOUT ROWID;
CREATE TABLE entry (
    league_id INTEGER NOT NULL,
    entry_no INTEGER NOT NULL,
    label VARCHAR NOT NULL,
    version_id INTEGER,
    args VARCHAR NOT NULL,
    prior_mu FLOAT,
    prior_sigma FLOAT,
    predecessor INTEGER,
    checksum INTEGER,
    PRIMARY KEY (league_id, entry_no),
    FOREIGN KEY(league_id) REFERENCES league (id),
    FOREIGN KEY(version_id) REFERENCES version (id)
)
 WITHOUT ROWID;
CREATE TABLE seat (
    league_id INTEGER NOT NULL,
    match_no INTEGER NOT NULL,
    rotation INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    entry_no INTEGER NOT NULL,
    score INTEGER NOT NULL,
    rank INTEGER NOT NULL,
    verdict VARCHAR,
    detail VARCHAR NOT NULL,
    at_decision INTEGER,
    decisions INTEGER NOT NULL,
    wall_ns INTEGER NOT NULL,
    max_wall_ns INTEGER NOT NULL,
    cpu_ns INTEGER NOT NULL,
    reason VARCHAR,
    PRIMARY KEY (league_id, match_no, rotation, seat),
    FOREIGN KEY(league_id, match_no, rotation) REFERENCES game (league_id, match_no, rotation),
    FOREIGN KEY(league_id, entry_no) REFERENCES entry (league_id, entry_no)
)
 WITHOUT ROWID;
CREATE INDEX seat_entry ON seat (league_id, entry_no, match_no, rotation);
CREATE INDEX seat_fault ON seat (league_id, verdict, match_no, rotation, entry_no) WHERE verdict IS NOT NULL;
CREATE TABLE replay (
    league_id INTEGER NOT NULL,
    match_no INTEGER NOT NULL,
    rotation INTEGER NOT NULL,
    body BLOB NOT NULL,
    timing BLOB NOT NULL,
    PRIMARY KEY (league_id, match_no, rotation),
    FOREIGN KEY(league_id, match_no, rotation) REFERENCES game (league_id, match_no, rotation)
);
CREATE TABLE log (
    league_id INTEGER NOT NULL,
    match_no INTEGER NOT NULL,
    rotation INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    head BLOB NOT NULL,
    tail BLOB NOT NULL,
    dropped_bytes INTEGER NOT NULL,
    PRIMARY KEY (league_id, match_no, rotation, seat),
    FOREIGN KEY(league_id, match_no, rotation) REFERENCES game (league_id, match_no, rotation)
)
