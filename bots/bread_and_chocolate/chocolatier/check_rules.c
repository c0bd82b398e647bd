/* Compares bread_and_chocolate.h with Arena's rules: reads test vectors, plays their moves, and looks at every line.
 *
 *     cc -O2 -std=c11 -o check_rules check_rules.c
 *     arena games vectors bread-and-chocolate --ruleset shram --seats 2 --seats 5 --games 100 | ./check_rules
 *
 * It prints how many decisions were the same, or the first difference with the number of its line, and then exits with 1.
 */

#define _POSIX_C_SOURCE 200809L

#include <stdio.h>

#include "messages.h"

static long line_number, decisions;

enum { MOST_HANDS = 1000, MOST_EVENTS = 200 };
static uint8_t decks[MOST_HANDS][BC_CARDS];
static int deck_count;
static BcEvent happened[MOST_EVENTS];
static int event_count;

static void check(bool same, const char *what) {
    if (same) return;
    printf("line %ld: %s differs\n", line_number, what);
    exit(1);
}

static void note(void *reader, const BcGame *game, const BcEvent *event) {
    (void)reader, (void)game;
    check(event_count < MOST_EVENTS, "the number of events");
    happened[event_count++] = *event;
}

static bool same_cards(const Json *list, const uint8_t *cards, int count) {
    int at = 0;
    for (Json *name = json_first(list); name != NULL; name = name->next, at++)
        if (at >= count || card_of(name) != cards[at]) return false;
    return at == count;
}

static bool same_scores(const Json *list, const BcGame *game) {
    int seat = 0;
    for (Json *value = json_first(list); value != NULL && seat < game->seats; value = value->next, seat++)
        if (json_number(value) != game->scores[seat]) return false;
    return seat == game->seats;
}

static void keep_decks(const Json *chance) {
    deck_count = 0;
    for (Json *deck = json_first(chance); deck != NULL && deck_count < MOST_HANDS; deck = deck->next) {
        int count = 0;
        for (Json *name = json_first(deck); name != NULL && count < BC_CARDS; name = name->next)
            decks[deck_count][count++] = (uint8_t)card_of(name);
        deck_count++;
    }
}

static void deal_if_due(BcGame *game) {
    if (!bc_deals_next(game)) return;
    check(game->hand_no + 1 < deck_count, "the number of decks");
    bc_deal(game, decks[game->hand_no + 1]);
}

/* Look at the events since the last call. */
static void check_events(const Json *list) {
    int at = 0;
    for (Json *event = json_first(list); event != NULL; event = event->next, at++) {
        const Json *data = json_get(event, "data"), *seat = json_get(data, "seat");
        const BcEvent *own = &happened[at];
        check(at < event_count && json_is(json_get(event, "kind"), event_names[own->kind]), "the kind of an event");
        if (seat != NULL) check(json_number(seat) == own->seat, "the seat of an event");
        if (own->kind == BC_DEALT) check(json_number(json_get(data, "dealer")) == own->seat, "the dealer");
        if (json_get(data, "count") != NULL) check(json_number(json_get(data, "count")) == own->count, "the count of an event");
        const Json *cards = json_get(data, "cards"), *card = json_get(data, own->kind == BC_PLAYED ? "card" : "up");
        if (own->kind == BC_DREW || own->kind == BC_DISCARDED)
            cards = json_get(json_first(json_get(event, "private")), "cards");
        if (cards != NULL) check(same_cards(cards, own->cards, own->count), "the cards of an event");
        if (card != NULL) check(card_of(card) == own->cards[0], "the card of an event");
        if (own->kind == BC_FLIPPED) check(card_of(json_get(data, "down")) == own->cards[1], "the card that goes down");
    }
    check(at == event_count, "the number of events");
    event_count = 0;
}

static void check_view(const BcGame *game, const Json *view) {
    const Json *turn = json_get(view, "turn"), *hand = json_get(view, "hand");
    int seat = 0;
    check(json_number(json_get(view, "hand_no")) == game->hand_no, "hand_no");
    check(turn != NULL && (turn->type == JSON_NULL ? game->to_move == BC_NOBODY : json_number(turn) == game->to_move), "turn");
    check(json_number(json_get(view, "turns")) == game->turns, "turns");
    check(json_number(json_get(view, "opening")) == game->opening, "opening");
    check(json_number(json_get(view, "discard")) == game->owed, "discard");
    check(json_number(json_get(view, "spread")) == game->spread, "spread");
    check(card_of(json_get(view, "up")) == bc_top(&game->up), "up");
    check(json_number(json_get(view, "up_count")) == game->up.count, "up_count");
    check(json_number(json_get(view, "down_count")) == game->down.count, "down_count");
    check(json_number(json_get(view, "stock")) == game->stock.count, "stock");
    check(same_scores(json_get(view, "scores"), game), "scores");
    for (Json *held = json_first(json_get(view, "held")); held != NULL; held = held->next, seat++)
        check(seat < game->seats && json_number(held) == bc_size(game->hand[seat]), "held");
    check(seat == game->seats, "the number of seats");
    if (hand != NULL) check(hand_of(hand) == game->hand[json_whole(json_get(view, "seat"), 0, game->seats - 1)], "hand");
}

static void check_turn(const BcGame *game, const Json *asked) {
    BcMove legal[BC_MOST_MOVES];
    const char *kind = game->owed > 0 ? "discard" : game->opening > 0 ? "opening" : "play";
    int count = bc_legal(game, legal), at = 0;
    check(json_number(json_get(asked, "seat")) == game->to_move, "the seat whose turn it is");
    check(json_is(json_get(asked, "kind"), kind), "kind");
    check_view(game, json_get(asked, "view"));
    for (Json *move = json_first(json_get(asked, "legal")); move != NULL; move = move->next, at++) {
        BcMove read = move_of(move);
        check(at < count && read.kind == legal[at].kind, "legal");
        check(read.kind != BC_PLAY || read.cards[0] == legal[at].cards[0], "legal");
        check(read.kind != BC_DISCARD || read.count == bc_size(game->hand[game->to_move]), "legal");
    }
    check(at == count, "the number of legal moves");
}

int main(void) {
    char *line = NULL;
    size_t size = 0;
    static BcRules rules;
    BcGame game = {0};
    while (getline(&line, &size, stdin) > 0) {
        line_number++;
        Json *read = json_read(line);
        const Json *type = json_get(read, "type"), *options = json_get(read, "options");
        check(read != NULL, "what is JSON");
        if (json_is(type, "deal")) {
            check(json_number(json_get(read, "rules_version")) == 1, "the version of the rules");
            keep_decks(json_get(read, "chance"));
            rules_of(options, &rules);
            bc_start(&game, &rules, json_whole(json_get(read, "seats"), 2, BC_MOST_SEATS),
                     json_whole(json_get(options, "hands"), 1, MOST_HANDS));
            game.log = note;
            deal_if_due(&game);
            check_events(json_get(read, "events"));
        } else if (json_is(type, "turn")) {
            check_turn(&game, json_first(json_get(read, "asks")));
            bc_move(&game, move_of(json_get(json_first(json_get(read, "moves")), "move")));
            deal_if_due(&game);
            check_events(json_get(read, "events"));
            check(same_scores(json_get(read, "scores"), &game), "scores after the move");
            decisions++;
        } else if (json_is(type, "end")) {
            check(game.to_move == BC_NOBODY && !bc_deals_next(&game), "the end of the game");
            check_view(&game, json_get(read, "view"));
        }
    }
    printf("%ld decisions are the same\n", decisions);
    free(line);
    return 0;
}
