/* Sandwich in C: its rules, complete, in one file that needs nothing but C11.
 *
 * All editions (fr, en, es, de) with all their options, 3 to 12 seats. The rules in words are Arena's page on Sandwich
 * (rules version 1, source 002); in every ruleset this file makes the moves of Arena's own rules.
 *
 *     SwGame game;
 *     sw_start(&game, sw_edition(SW_EN, 4));
 *     while (game.phase != SW_OVER) switch (game.phase) {
 *         case SW_DEAL:   sw_deal(&game, deck, grab_order); break;   cards and seats, shuffled as you like
 *         case SW_GRAB:   sw_grab(&game, orders); break;             each seat's ranking of the market
 *         case SW_OFFER:  sw_offer(&game, offers); break;            each seat's offer, to SW_NOBODY if it makes none
 *         case SW_ANSWER: sw_answer(&game, answers); break;          what each seat accepts
 *         case SW_SERVE:  sw_serve(&game, servings); break;          each seat's sandwiches
 *         case SW_TASTE:  sw_ranking(&palates[game.taster], game.plate[game.taster], game.rules.served, ranking);
 *                         sw_taste(&game, ranking); break;           in free tasting, any ranking
 *     }                                                              game.scores has the result
 *
 * A card is a number, 0 to 55, seven of each family in turn. All seats move at once, so a move is an array by seat. A game
 * is a plain struct: copy it with `=` to play on in a copy. Moves aren't checked. Chance is the caller's: the deck and the
 * grab order of each round, the palates, and in free tasting the order in which sandwiches are read out.
 */

#ifndef SANDWICH_H
#define SANDWICH_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    SW_FAMILIES = 8,
    SW_KINDS = 56, /* different cards */
    SW_NOBODY = -1,
    SW_MOST_SEATS = 12,
    SW_MOST_CARDS = 112,
    SW_MOST_SERVED = 4, /* sandwiches that a seat makes and gets: 3, or 4 with 3 seats */
    SW_MOST_HAND = 12
};

static const char *const sw_names[SW_KINDS] = {
    "ham", "salami", "bacon", "roast-beef", "chicken", "turkey", "chorizo",
    "tuna", "salmon", "sardine", "anchovy", "mackerel", "herring", "trout",
    "cheddar", "brie", "blue-cheese", "goat-cheese", "mozzarella", "feta", "gouda",
    "lettuce", "tomato", "cucumber", "onion", "carrot", "spinach", "beetroot",
    "apple", "pear", "melon", "pineapple", "mango", "fig", "grape",
    "mayonnaise", "mustard", "ketchup", "pesto", "hummus", "horseradish", "tartar-sauce",
    "honey", "jam", "chocolate", "peanut-butter", "marshmallow", "maple-syrup", "caramel",
    "snail", "cricket", "seaweed", "pickled-egg", "wasabi", "liquorice", "popcorn",
};
static const char *const sw_family_names[SW_FAMILIES] = {
    "meat", "fish", "cheese", "vegetable", "fruit", "sauce", "sweet", "oddity",
};

/* What a pair of cards of two families adds to a sandwich, in tenths. */
static const int8_t sw_pairs[SW_FAMILIES][SW_FAMILIES] = {
    {4, -7, 9, 7, 1, 10, -6, -2},   {-7, 2, -6, 6, -5, 8, -14, 3}, {9, -6, 3, 7, 11, 2, 1, -4}, {7, 6, 7, 3, -3, 6, -8, 2},
    {1, -5, 11, -3, 5, -8, 10, -3}, {10, 8, 2, 6, -8, -6, -9, 4},  {-6, -14, 1, -8, 10, -9, 6, -5}, {-2, 3, -4, 2, -3, 4, -5, -7},
};

typedef enum { SW_FR, SW_EN, SW_ES, SW_DE } SwEdition;
typedef enum { SW_DEAL, SW_GRAB, SW_OFFER, SW_ANSWER, SW_SERVE, SW_TASTE, SW_OVER } SwPhase;
typedef uint8_t SwSandwich[3];

typedef struct {
    int8_t seats;
    int8_t served;       /* sandwiches that each seat makes */
    bool own_last;       /* a seat takes its own card only if it is the last one left */
    bool alternate;      /* sandwiches go to the right in every second round */
    int16_t trade_rounds; /* 0 if there is no trading */
    int16_t rounds;
    int16_t points[SW_MOST_SERVED]; /* of the sandwiches of one taster, best first */
} SwRules;

typedef struct {
    int8_t seat, to; /* to is SW_NOBODY if there is no offer */
    uint8_t give, want;
} SwOffer;

typedef struct {
    int8_t count;
    uint8_t accept[SW_MOST_SEATS]; /* numbers of offers, most wanted first */
} SwAnswer;

typedef struct {
    SwRules rules;
    SwPhase phase;      /* what happens next */
    int16_t round_no;   /* from 0; -1 before the first deal */
    int8_t market_turn; /* from 0 */
    int8_t held;        /* cards in front of each seat */
    int16_t trade_round;
    int8_t offer_count;
    int8_t taster;
    uint8_t grab_order[SW_MOST_SEATS]; /* of this round's first turn */
    uint8_t deck[SW_MOST_CARDS];       /* of this round, in dealing order */
    uint8_t market[SW_MOST_SEATS];     /* the card that each seat turned up */
    uint8_t hand[SW_MOST_SEATS][SW_MOST_HAND]; /* in the order they came */
    SwOffer offers[SW_MOST_SEATS];     /* that wait for answers, by number */
    SwSandwich plate[SW_MOST_SEATS][SW_MOST_SERVED]; /* what each seat gets, nearest giver first */
    int32_t scores[SW_MOST_SEATS];     /* in all rounds so far, this one included */
} SwGame;

/* What each card alone is worth to a seat, its liking for the family plus its quirk, in millionths. */
typedef struct {
    int32_t taste[SW_KINDS];
} SwPalate;

static inline int sw_family(int card) { return card / 7; }

/* The rules of an edition with its default options. */
static inline SwRules sw_edition(SwEdition edition, int seats) {
    SwRules rules = {.seats = (int8_t)seats, .served = seats == 3 ? 4 : 3, .own_last = edition == SW_FR};
    rules.trade_rounds = edition == SW_FR ? 0 : 3;
    rules.rounds = 3;
    rules.points[0] = 3;
    rules.points[1] = edition == SW_DE && seats != 3 ? 1 : 2;
    rules.points[2] = seats == 3;
    return rules;
}

/* How many cards each seat is dealt in a round. */
static inline int sw_pile(const SwRules *rules) { return 3 * rules->served; }

/* How many seats to the left (to the right, if negative) a seat's sandwich of this number goes. */
static inline int sw_step(const SwRules *rules, int round_no, int place) {
    if (rules->seats == 3) return place < 2 ? 1 : -1;
    return rules->alternate && round_no % 2 == 1 ? -1 - place : 1 + place;
}

/* Who gets a seat's sandwich of this number. */
static inline int sw_receiver(const SwRules *rules, int round_no, int seat, int place) {
    return (seat + sw_step(rules, round_no, place) + SW_MOST_SEATS * rules->seats) % rules->seats;
}

/* Who made the sandwich at this place of a seat's plate, where it has the same number among its maker's. */
static inline int sw_giver(const SwRules *rules, int round_no, int seat, int place) {
    return (seat - sw_step(rules, round_no, place) + SW_MOST_SEATS * rules->seats) % rules->seats;
}

/* The seat that is at this place of the grab order in the present turn. */
static inline int sw_grabber(const SwGame *game, int place) {
    int first = game->phase == SW_GRAB ? game->market_turn : 0;
    return game->grab_order[(first + place) % game->rules.seats];
}

/* Begin a game, before its first deal. */
static inline void sw_start(SwGame *game, SwRules rules) {
    memset(game, 0, sizeof *game);
    game->rules = rules;
    game->round_no = -1;
    game->taster = SW_NOBODY;
}

static inline void sw_turn_up(SwGame *game) {
    int seats = game->rules.seats, first = game->round_no % seats;
    for (int at = 0; at < seats; at++) game->market[(first + at) % seats] = game->deck[game->market_turn * seats + at];
    game->phase = SW_GRAB;
}

/* Deal the next round: a shuffled deck of at least a pile for each seat, and a grab order. */
static inline void sw_deal(SwGame *game, const uint8_t *deck, const uint8_t *grab_order) {
    size_t seats = (size_t)game->rules.seats;
    memcpy(game->deck, deck, seats * (size_t)sw_pile(&game->rules));
    memcpy(game->grab_order, grab_order, seats);
    game->round_no++;
    game->held = 0;
    game->trade_round = 0;
    game->market_turn = 0;
    sw_turn_up(game);
}

/* Find which position each seat gets if it ranks the positions so. Seats with empty hands reach for their best card that
 * is there; it goes to the first of them in `order`, its owner last; and so on. */
static inline void sw_scramble(int seats, uint8_t rankings[][SW_MOST_SEATS], const uint8_t *order, bool own_last,
                               int8_t *taken) {
    bool there[SW_MOST_SEATS];
    uint8_t empty[SW_MOST_SEATS], at[SW_MOST_SEATS] = {0};
    int left = seats;
    for (int seat = 0; seat < seats; seat++) there[seat] = true, taken[seat] = -1;
    memcpy(empty, order, (size_t)seats);
    while (left > 1) {
        int8_t winner[SW_MOST_SEATS];
        memset(winner, -1, sizeof winner);
        for (int turn = 0; turn < left; turn++) {
            int seat = empty[turn], position;
            if (own_last) at[seat] = 0; /* the own card is skipped, and may be wanted at the end */
            while (position = rankings[seat][at[seat]], !there[position] || (own_last && position == seat)) at[seat]++;
            if (winner[position] < 0 || winner[position] == position) winner[position] = (int8_t)seat;
        }
        for (int position = 0; position < seats; position++)
            if (winner[position] >= 0) taken[winner[position]] = (int8_t)position, there[position] = false;
        int kept = 0;
        for (int turn = 0; turn < left; turn++)
            if (taken[empty[turn]] < 0) empty[kept++] = empty[turn];
        left = kept;
    }
    for (int position = 0; left == 1 && position < seats; position++)
        if (there[position]) taken[empty[0]] = (int8_t)position;
}

/* Make the grabs of a turn: each seat's positions of the market, best first. */
static inline void sw_grab(SwGame *game, uint8_t rankings[][SW_MOST_SEATS]) {
    int seats = game->rules.seats;
    uint8_t order[SW_MOST_SEATS];
    int8_t taken[SW_MOST_SEATS];
    for (int place = 0; place < seats; place++) order[place] = (uint8_t)sw_grabber(game, place);
    sw_scramble(seats, rankings, order, game->rules.own_last, taken);
    for (int seat = 0; seat < seats; seat++) game->hand[seat][game->held] = game->market[taken[seat]];
    game->held++;
    if (++game->market_turn < sw_pile(&game->rules)) sw_turn_up(game);
    else game->phase = game->rules.trade_rounds > 0 ? SW_OFFER : SW_SERVE;
}

/* Make the offers of a trade round; `seat` in them isn't read. The grab order numbers them. Without any, trading ends. */
static inline void sw_offer(SwGame *game, const SwOffer *offers) {
    game->offer_count = 0;
    for (int place = 0; place < game->rules.seats; place++) {
        int seat = game->grab_order[place];
        if (offers[seat].to == SW_NOBODY) continue;
        game->offers[game->offer_count] = offers[seat];
        game->offers[game->offer_count++].seat = (int8_t)seat;
    }
    game->phase = game->offer_count > 0 ? SW_ANSWER : SW_SERVE;
}

/* Whether a seat was made an offer. */
static inline bool sw_answers(const SwGame *game, int seat) {
    for (int number = 0; number < game->offer_count; number++)
        if (game->offers[number].to == seat) return true;
    return false;
}

/* Take a card from a hand, and put another at its end; false if it isn't there. */
static inline void sw_replace(uint8_t *hand, int held, int gone, int come) {
    int at = 0;
    while (at < held - 1 && hand[at] != gone) at++;
    memmove(hand + at, hand + at + 1, (size_t)(held - 1 - at));
    hand[held - 1] = (uint8_t)come;
}

static inline bool sw_holds(const SwGame *game, int seat, int card) {
    return memchr(game->hand[seat], card, (size_t)game->held) != NULL;
}

/* Carry out what each seat accepts; those without an offer accept nothing. */
static inline void sw_answer(SwGame *game, const SwAnswer *answers) {
    for (int place = 0; place < game->rules.seats; place++) {
        int seat = game->grab_order[place];
        for (int at = 0; at < answers[seat].count; at++) {
            SwOffer offer = game->offers[answers[seat].accept[at]];
            if (!sw_holds(game, offer.seat, offer.give) || !sw_holds(game, seat, offer.want)) continue;
            sw_replace(game->hand[offer.seat], game->held, offer.give, offer.want);
            sw_replace(game->hand[seat], game->held, offer.want, offer.give);
        }
    }
    game->offer_count = 0;
    game->phase = ++game->trade_round < game->rules.trade_rounds ? SW_OFFER : SW_SERVE;
}

/* Serve each seat's sandwiches; then seat 0 tastes. */
static inline void sw_serve(SwGame *game, SwSandwich servings[][SW_MOST_SERVED]) {
    for (int taster = 0; taster < game->rules.seats; taster++)
        for (int place = 0; place < game->rules.served; place++)
            memcpy(game->plate[taster][place], servings[sw_giver(&game->rules, game->round_no, taster, place)][place],
                   sizeof(SwSandwich));
    game->held = 0;
    game->taster = 0;
    game->phase = SW_TASTE;
}

/* What a sandwich is worth to a palate, in millionths. */
static inline int32_t sw_worth(const SwPalate *palate, const SwSandwich sandwich) {
    int a = sandwich[0], b = sandwich[1], c = sandwich[2];
    int pairs = sw_pairs[sw_family(a)][sw_family(b)] + sw_pairs[sw_family(a)][sw_family(c)] + sw_pairs[sw_family(b)][sw_family(c)];
    return palate->taste[a] + palate->taste[b] + palate->taste[c] + 100000 * pairs;
}

/* Rank the sandwiches of a plate by a palate: their places, best first; of equal ones the nearer giver's. */
static inline void sw_ranking(const SwPalate *palate, SwSandwich *plate, int count, uint8_t *ranking) {
    for (int place = 0; place < count; place++) {
        int at = place;
        while (at > 0 && sw_worth(palate, plate[ranking[at - 1]]) < sw_worth(palate, plate[place])) ranking[at] = ranking[at - 1], at--;
        ranking[at] = (uint8_t)place;
    }
}

/* Score the plate of the taster, ranked by places, best first; then the next seat tastes, or the round is over. */
static inline void sw_taste(SwGame *game, const uint8_t *ranking) {
    for (int rank = 0; rank < game->rules.served; rank++)
        game->scores[sw_giver(&game->rules, game->round_no, game->taster, ranking[rank])] += game->rules.points[rank];
    if (++game->taster < game->rules.seats) return;
    game->taster = SW_NOBODY;
    game->phase = game->round_no + 1 < game->rules.rounds ? SW_DEAL : SW_OVER;
}

#endif
