/* chocolatier: a bot for Bread and Chocolate, in C.
 *
 *     bread_and_chocolate.h   the rules, usable alone
 *     memory.h                what it saw of a hand, through all resets, and guesses of the rest
 *     quick_play.h            a quick player that judges moves by weights; weights.h has them, tune.c has found them
 *     search.h                grows a tree of moves and replies over guesses, and plays on by quick_play.h
 *     messages.h, json.h      read Arena's messages
 *
 * This file talks with Arena. Arguments: --ms N, the milliseconds of CPU time for each decision (default: a thirtieth of
 * the time for a move), and --walks N, the most walks through the tree for each decision.
 */

#define _POSIX_C_SOURCE 200809L

#include <stdio.h>

#include "messages.h"
#include "search.h"

static BcRules rules;
static BcGame game; /* the table, as this seat sees it */
static Memory memory;
static int seat;
static uint64_t random_state;
static double ms_wanted; /* --ms; 0 if it wasn't given */
static long most_walks;

/* Take the table as a view or a deal shows it; forget what was before. */
static void look(const Json *shown, uint64_t hand, int up, int down) {
    int held[BC_MOST_SEATS] = {0}, at = 0;
    for (Json *value = json_first(json_get(shown, "held")); value != NULL && at < game.seats; value = value->next)
        held[at++] = json_whole(value, 0, BC_CARDS);
    look_only(&memory, hand, card_of(json_get(shown, "up")), held, json_whole(json_get(shown, "stock"), 0, BC_CARDS), up,
              down, &random_state);
    memory.spread = json_number(json_get(shown, "spread")) != 0;
}

static void hear_event(const Json *told) {
    BcEvent event = {.kind = BC_DEALT, .seat = json_whole(json_get(told, "seat"), 0, game.seats - 1)};
    const Json *kind = json_get(told, "kind"), *cards = json_get(told, "cards");
    while (event.kind < BC_ENDED && !json_is(kind, event_names[event.kind])) event.kind++;
    if (event.kind == BC_DEALT) {
        look(told, hand_of(json_get(told, "hand")), 1, 1);
        return;
    }
    for (Json *card = json_first(cards); card != NULL && event.count < BC_CARDS; card = card->next)
        event.cards[event.count++] = (uint8_t)card_of(card);
    if (cards == NULL) {
        event.count = json_whole(json_get(told, "count"), 0, BC_CARDS);
        event.cards[0] = (uint8_t)card_of(json_get(told, event.kind == BC_PLAYED ? "card" : "up"));
    }
    hear(&memory, &event, cards != NULL, &random_state);
}

static void look_at(const Json *view) {
    static const char *const counts[] = {"stock", "up_count", "down_count"};
    const Places *piles[] = {&memory.stock, &memory.up, &memory.down};
    uint64_t hand = hand_of(json_get(view, "hand"));
    bool same = !memory.lost && memory.top == card_of(json_get(view, "up")) && hand == own_hand(&memory);
    int at = 0;
    for (int pile = 0; pile < 3; pile++) same &= piles[pile]->count == json_number(json_get(view, counts[pile]));
    for (Json *held = json_first(json_get(view, "held")); held != NULL && at < game.seats; held = held->next)
        same &= memory.held[at++] == json_number(held);
    if (!same) {
        fputs("chocolatier: what it heard doesn't fit, so it knows only what the view shows\n", stderr);
        look(view, hand, json_whole(json_get(view, "up_count"), 1, BC_CARDS), json_whole(json_get(view, "down_count"), 0, BC_CARDS));
    }
    game.hand_no = (int16_t)json_whole(json_get(view, "hand_no"), 0, game.hands - 1);
    game.opening = (int8_t)json_whole(json_get(view, "opening"), 0, game.seats);
    game.owed = (int8_t)json_whole(json_get(view, "discard"), 0, BC_MOST_DISCARDS);
    game.spread = json_number(json_get(view, "spread")) != 0;
    game.turns = (int16_t)json_whole(json_get(view, "turns"), 0, rules.turn_limit);
    game.to_move = (int8_t)seat;
    at = 0;
    for (Json *score = json_first(json_get(view, "scores")); score != NULL && at < game.seats; score = score->next)
        game.scores[at++] = json_whole(score, INT32_MIN / 4, INT32_MAX / 4);
}

static void start(const Json *message) {
    const Json *options = json_get(message, "options");
    rules_of(options, &rules);
    bc_start(&game, &rules, json_whole(json_get(message, "seats"), 2, BC_MOST_SEATS),
             json_whole(json_get(options, "hands"), 1, 1000));
    seat = json_whole(json_get(message, "seat"), 0, game.seats - 1);
    random_state = (uint64_t)json_number(json_get(message, "bot_seed"));
    memory.rules = &rules;
    memory.seat = seat;
    memory.seats = game.seats;
    memory.lost = true;
}

static void answer(const Json *ask) {
    const Json *time = json_get(ask, "time");
    double move_ms = json_number(json_get(time, "move_ms")), bank_ms = json_number(json_get(time, "bank_ms"));
    Limits limits = {
        .cpu_ms = ms_wanted > 0 ? ms_wanted : move_ms / 30 + bank_ms / 10000,
        .wall_ms = move_ms / 2 + bank_ms / 50, /* never near the limit, even on a busy machine */
        .walks = most_walks,
    };
    long walks = 0;
    look_at(json_get(ask, "view"));
    BcMove move = search(&memory, &game, limits, &random_state, &walks);
    printf("{\"type\":\"move\",\"id\":%.0f,\"move\":{\"type\":\"%s\"", json_number(json_get(ask, "id")), move_names[move.kind]);
    if (move.kind == BC_DISCARD) {
        for (int at = 0; at < move.count; at++)
            printf("%s\"%c%c\"", at > 0 ? "," : ",\"cards\":[", ranks[bc_rank(move.cards[at])], suits[move.cards[at] % 4]);
        printf("]");
    } else if (move.kind == BC_PLAY) {
        printf(",\"card\":\"%c%c\"", ranks[bc_rank(move.cards[0])], suits[move.cards[0] % 4]);
    }
    printf("},\"note\":\"%ld walks\"}\n", walks);
}

int main(int count, char **words) {
    for (int at = 1; at < count; at += 2) {
        char *end = NULL;
        double number = at + 1 < count ? strtod(words[at + 1], &end) : 0;
        bool is_ms = strcmp(words[at], "--ms") == 0;
        if (!is_ms && strcmp(words[at], "--walks") != 0)
            return fprintf(stderr, "chocolatier: no such argument: %s; there are --ms N and --walks N\n", words[at]), 2;
        if (end == NULL || *end != '\0' || !(number > 0 && number < 1e9))
            return fprintf(stderr, "chocolatier: %s needs a number above 0\n", words[at]), 2;
        if (is_ms) ms_wanted = number;
        else most_walks = (long)ceil(number);
    }
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        Json *message = json_read(line);
        const Json *type = json_get(message, "type");
        if (message == NULL) return fputs("chocolatier: a message is no JSON\n", stderr), 1;
        if (game.seats > 0)
            for (Json *event = json_first(json_get(message, "events")); event != NULL; event = event->next) hear_event(event);
        if (json_is(type, "hello")) puts("{\"type\":\"hello\",\"protocol\":1}");
        else if (json_is(type, "start")) start(message), puts("{\"type\":\"ready\"}");
        else if (json_is(type, "ask")) answer(message);
        else if (json_is(type, "quit")) break;
        fflush(stdout);
    }
    free(line);
    return 0;
}
