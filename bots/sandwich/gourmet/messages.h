/* What Arena's messages about Sandwich say, as numbers of sandwich.h. */

#ifndef MESSAGES_H
#define MESSAGES_H

#include <math.h>

#include "json.h"
#include "sandwich.h"

/* The card with a name; -1 if there is none. */
static inline int card_of(const Json *name) {
    for (int card = 0; card < SW_KINDS; card++)
        if (json_is(name, sw_names[card])) return card;
    return -1;
}

/* Take the cards of a list, at most this many; return how many there are. */
static inline int read_cards(const Json *list, uint8_t *cards, int most) {
    int count = 0;
    for (Json *name = json_first(list); name != NULL && count < most; name = name->next) {
        int card = card_of(name);
        if (card >= 0) cards[count++] = (uint8_t)card;
    }
    return count;
}

/* Take a list of whole numbers below a bound, at most this many; return how many there are. */
static inline int read_numbers(const Json *list, uint8_t *numbers, int most, int bound) {
    int count = 0;
    for (Json *value = json_first(list); value != NULL && count < most; value = value->next)
        numbers[count++] = (uint8_t)json_whole(value, 0, bound - 1);
    return count;
}

/* Take a list of sandwiches, at most this many; return how many there are. */
static inline int read_sandwiches(const Json *list, SwSandwich *sandwiches, int most) {
    int count = 0;
    for (Json *one = json_first(list); one != NULL && count < most; one = one->next)
        if (read_cards(one, sandwiches[count], 3) == 3) count++;
    return count;
}

/* Take the rules of a game from its options. */
static inline SwRules read_rules(const Json *options, int seats) {
    SwRules rules = sw_edition(SW_FR, seats);
    int rank = 0;
    rules.own_last = json_is(json_get(options, "own_card"), "last");
    rules.alternate = json_number(json_get(options, "alternate")) != 0;
    if (json_number(json_get(options, "trading")) != 0)
        rules.trade_rounds = (int16_t)json_whole(json_get(options, "trade_rounds"), 1, 100);
    rules.rounds = (int16_t)json_whole(json_get(options, "rounds"), 1, 1000);
    for (Json *value = json_first(json_get(options, seats == 3 ? "points3" : "points")); value != NULL && rank < rules.served;
         value = value->next)
        rules.points[rank++] = (int16_t)json_whole(value, 0, 1000);
    return rules;
}

/* Take a palate from what a seat is told of its own. */
static inline SwPalate read_palate(const Json *private) {
    SwPalate palate;
    const Json *likings = json_get(private, "likings"), *quirks = json_get(private, "quirks");
    for (int card = 0; card < SW_KINDS; card++)
        palate.taste[card] = (int32_t)(lround(1e6 * json_number(json_get(likings, sw_family_names[sw_family(card)]))) +
                                       lround(1e6 * json_number(json_get(quirks, sw_names[card]))));
    return palate;
}

/* Take offers; return how many there are. */
static inline int read_offers(const Json *list, SwOffer *offers, int seats) {
    int count = 0;
    for (Json *one = json_first(list); one != NULL && count < seats; one = one->next) {
        int give = card_of(json_get(one, "give")), want = card_of(json_get(one, "want"));
        offers[count].seat = (int8_t)json_whole(json_get(one, "seat"), 0, seats - 1);
        offers[count].to = (int8_t)json_whole(json_get(one, "to"), 0, seats - 1);
        offers[count].give = (uint8_t)(give < 0 ? 0 : give), offers[count].want = (uint8_t)(want < 0 ? 0 : want);
        count++;
    }
    return count;
}

#endif
