/* The words of Arena's messages about Bread and Chocolate: cards, moves, options and kinds of events. */

#ifndef MESSAGES_H
#define MESSAGES_H

#include "bread_and_chocolate.h"
#include "json.h"

static const char *const event_names[] = {"dealt", "spread", "flipped", "passed", "played", "stuck",
                                          "drew", "discarded", "reset", "refilled", "hand_ended"};
static const char *const move_names[] = {"play", "discard", "draw", "spread", "flip", "pass"};
static const char ranks[] = "A23456789TJQK", suits[] = "cdhs";

/* The card with a name; 0 if there is none. */
static inline int card_of(const Json *name) {
    const char *text = json_text(name), *rank, *suit;
    if (strlen(text) != 2) return 0;
    rank = strchr(ranks, text[0]), suit = strchr(suits, text[1]);
    return rank == NULL || suit == NULL ? 0 : (int)(4 * (rank - ranks) + (suit - suits));
}

static inline uint64_t hand_of(const Json *list) {
    uint64_t hand = 0;
    for (Json *name = json_first(list); name != NULL; name = name->next) hand |= bc_bit(card_of(name));
    return hand;
}

static inline BcMove move_of(const Json *move) {
    BcMove found = {.kind = BC_PLAY};
    const Json *kind = json_get(move, "type"), *card = json_get(move, "card");
    while (found.kind < BC_PASS && !json_is(kind, move_names[found.kind])) found.kind++;
    if (card != NULL) found.cards[found.count++] = (uint8_t)card_of(card);
    for (card = json_first(json_get(move, "cards")); card != NULL && found.count < BC_MOST_DISCARDS; card = card->next)
        found.cards[found.count++] = (uint8_t)card_of(card);
    return found;
}

static inline void rules_of(const Json *options, BcRules *rules) {
    const Json *source = json_get(options, "rules");
    bc_rules(rules, json_is(source, "shram") ? BC_SHRAM : json_is(source, "gamerules") ? BC_GAMERULES : BC_PAGAT,
             json_is(json_get(options, "values"), "note"), json_whole(json_get(options, "going_out"), 0, 1000),
             json_whole(json_get(options, "turn_limit"), 1, 5000));
}

#endif
