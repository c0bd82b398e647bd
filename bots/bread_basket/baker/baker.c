/* baker: a bot for Bread Basket, in C.
 *
 *     bread_basket.h   the rules, usable alone
 *     quick_play.h     a quick player that judges moves by weights; weights.h has them, tune.c has found them
 *     search.h         deals hidden cards, plays every move on by quick_play.h, and drops the worse half again and again
 *     json.h           reads Arena's messages
 *
 * This file remembers which cards it has seen, and talks with Arena. Arguments: --ms N, the milliseconds of CPU time for
 * each decision (default: a thirtieth of the time for a move), and --worlds N, the most worlds for each decision.
 */

#define _POSIX_C_SOURCE 200809L

#include <stdio.h>

#include "bread_basket.h"
#include "json.h"
#include "search.h"

static const char *const names[BB_KINDS] = {"O", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "C"};

static Seen seen;
static BbDeck deck_kind;
static uint64_t random_state;
static uint8_t unseen[BB_KINDS]; /* how many of each card are in places that this seat can't see */
static double ms_wanted;         /* --ms; 0 if it wasn't given */
static long most_worlds;

/* The card with a name; -1 if there is none. */
static int card_of(const Json *name) {
    for (int card = 0; card < BB_KINDS; card++)
        if (json_is(name, names[card])) return card;
    return -1;
}

/* ---- what it remembers ---- */

static void see(int card) {
    if (card >= 0 && unseen[card] > 0) unseen[card]--;
}

static void fill_unseen(void) {
    uint8_t deck[BB_MOST_CARDS];
    int cards = bb_deck(deck_kind, deck);
    memset(unseen, 0, sizeof unseen);
    for (int at = 0; at < cards; at++) unseen[deck[at]]++;
}

/* Hear of one event. In `seen.game.hand`, keep the cards that other seats are known to hold: those they fetched. */
static void hear(const Json *event) {
    const Json *kind = json_get(event, "kind");
    int seat = json_whole(json_get(event, "seat"), 0, BB_MOST_SEATS - 1), card = card_of(json_get(event, "card"));
    if (json_is(kind, "dealt")) {
        fill_unseen();
        memset(seen.game.hand, 0, sizeof seen.game.hand);
        see(card);
        for (Json *own = json_first(json_get(event, "hand")); own != NULL; own = own->next) see(card_of(own));
    } else if (json_is(kind, "refilled")) {
        see(card);
    } else if ((json_is(kind, "played") || json_is(kind, "fetched")) && seat != seen.seat && card >= 0) {
        uint8_t *known = seen.game.hand[seat];
        int gone = json_is(kind, "fetched") ? BB_CHEF : card;
        if (known[gone] > 0) known[gone]--;
        else see(gone);
        if (json_is(kind, "fetched")) known[card]++;
    }
}

/* Take the cards of a list; return how many there are. */
static int read_cards(const Json *list, uint8_t cards[BB_MOST_CARDS]) {
    int count = 0;
    for (Json *name = json_first(list); name != NULL && count < BB_MOST_CARDS; name = name->next) {
        int card = card_of(name);
        if (card >= 0) cards[count++] = (uint8_t)card;
    }
    return count;
}

/* Take the table as a view shows it. If it doesn't fit what was heard, go by the view alone. */
static void look_at(const Json *view) {
    BbGame *game = &seen.game;
    uint8_t cards[BB_MOST_CARDS];
    const Json *value = json_first(json_get(view, "held"));
    int own = read_cards(json_get(view, "hand"), cards), hidden = 0;
    memset(game->hand[seen.seat], 0, sizeof game->hand[seen.seat]);
    for (int at = 0; at < own; at++) game->hand[seen.seat][cards[at]]++;
    game->line_count = (uint8_t)read_cards(json_get(view, "line"), game->line);
    game->hands = (int16_t)json_whole(json_get(view, "hands"), 1, INT16_MAX);
    game->hand_no = (int16_t)json_whole(json_get(view, "hand_no"), 0, game->hands - 1);
    game->to_move = (int8_t)seen.seat;
    int played = card_of(json_first(json_get(view, "played")));
    game->played = (int8_t)(played < 0 ? BB_NOTHING : played);
    game->aside = (uint8_t)json_whole(json_get(view, "aside"), 0, BB_COPIES);
    game->stock_at = 0;
    game->stock_end = (uint8_t)json_whole(json_get(view, "stock"), 0, BB_MOST_CARDS);
    for (int seat = 0; seat < game->seats; seat++, value = value == NULL ? NULL : value->next)
        game->held[seat] = (uint8_t)(seat == seen.seat ? own : json_whole(value, 0, BB_MOST_CARDS));
    value = json_first(json_get(view, "scores"));
    for (int seat = 0; seat < game->seats; seat++, value = value == NULL ? NULL : value->next)
        game->scores[seat] = json_whole(value, INT32_MIN / 4, INT32_MAX / 4);
    for (int seat = 0; seat < game->seats; seat++) {
        hidden += game->held[seat];
        for (int card = 0; card < BB_KINDS; card++) hidden -= game->hand[seat][card];
    }
    int count = 0;
    for (int card = 0; card < BB_KINDS; card++) count += unseen[card];
    if (count != hidden + game->stock_end) {
        fputs("baker: events are missing, so it knows only what the view shows\n", stderr);
        fill_unseen();
        for (int at = 0; at < own; at++) see(cards[at]);
        for (int at = 0; at < game->line_count; at++) see(game->line[at]);
        for (int seat = 0; seat < game->seats; seat++)
            if (seat != seen.seat) memset(game->hand[seat], 0, sizeof game->hand[seat]);
    }
    seen.unseen_count = 0;
    for (int card = 0; card < BB_KINDS; card++)
        for (int copy = 0; copy < unseen[card]; copy++) seen.unseen[seen.unseen_count++] = (uint8_t)card;
}

/* ---- talking with Arena ---- */

static void start(const Json *message) {
    const Json *options = json_get(message, "options");
    const Json *chefs = json_get(options, "chefs");
    int seats = json_whole(json_get(message, "seats"), 2, BB_MOST_SEATS);
    bb_start(&seen.game, seats, 1, json_number(json_get(options, "chef_second")) != 0);
    seen.seat = json_whole(json_get(message, "seat"), 0, seats - 1);
    deck_kind = json_is(chefs, "none") ? BB_NONE : json_is(chefs, "extra") ? BB_EXTRA : BB_TENS;
    random_state = (uint64_t)json_number(json_get(message, "bot_seed"));
    fill_unseen();
}

static void write_move(const Json *ask, int move, long worlds) {
    printf("{\"type\":\"move\",\"id\":%.0f,\"move\":", json_number(json_get(ask, "id")));
    if (move < BB_STOP) printf("{\"type\":\"play\",\"card\":\"%s\"}", names[move]);
    else if (move == BB_STOP) printf("{\"type\":\"stop\"}");
    else printf("{\"type\":\"chef\",\"position\":%d}", move - BB_FETCH);
    printf(",\"note\":\"%ld worlds\"}\n", worlds);
}

static void answer(const Json *ask) {
    const Json *time = json_get(ask, "time");
    double move_ms = json_number(json_get(time, "move_ms")), bank_ms = json_number(json_get(time, "bank_ms"));
    Limits limits = {
        .cpu_ms = ms_wanted > 0 ? ms_wanted : move_ms / 30 + bank_ms / 10000,
        /* Never near the limit, even on a busy machine; with --worlds, only a long wait changes the result. */
        .wall_ms = most_worlds > 0 ? move_ms / 2 + bank_ms / 4 : move_ms / 2 + bank_ms / 50,
        .worlds = most_worlds,
        .noise = 1,
    };
    long worlds;
    look_at(json_get(ask, "view"));
    int move = search(&seen, limits, &random_state, &worlds);
    write_move(ask, move, worlds);
}

int main(int count, char **words) {
    for (int at = 1; at < count; at += 2) {
        char *end = NULL;
        double number = at + 1 < count ? strtod(words[at + 1], &end) : 0;
        bool is_ms = strcmp(words[at], "--ms") == 0;
        if (!is_ms && strcmp(words[at], "--worlds") != 0)
            return fprintf(stderr, "baker: no such argument: %s; there are --ms N and --worlds N\n", words[at]), 2;
        if (end == NULL || *end != '\0' || !(number > 0 && number < 1e9))
            return fprintf(stderr, "baker: %s needs a number above 0\n", words[at]), 2;
        if (is_ms) ms_wanted = number;
        else most_worlds = (long)ceil(number);
    }
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        Json *message = json_read(line);
        const Json *type = json_get(message, "type");
        if (message == NULL) return fputs("baker: a message is no JSON\n", stderr), 1;
        for (Json *event = json_first(json_get(message, "events")); event != NULL; event = event->next) hear(event);
        if (json_is(type, "hello")) puts("{\"type\":\"hello\",\"protocol\":1}");
        else if (json_is(type, "start")) start(message), puts("{\"type\":\"ready\"}");
        else if (json_is(type, "ask")) answer(message);
        else if (json_is(type, "quit")) break;
        fflush(stdout);
    }
    free(line);
    return 0;
}
