/* A quick player of Bread and Chocolate: it judges each move by a few features and makes the best.
 *
 * It sees its own hand and the table, and takes some dozen nanoseconds for a decision. So the search can have it play
 * thousands of hands to their end. A feature is there or not, and each has a weight, in points; tune.c found them.
 */

#ifndef QUICK_PLAY_H
#define QUICK_PLAY_H

#include "bread_and_chocolate.h"
#include "random.h"

enum {
    SORTS = 3,    /* of effects: to draw, to discard, none */
    PHASES = 4,   /* how soon the turn limit comes */
    MOST_AFTER = 12,
    OTHERS = 5,   /* how many cards the other player with the fewest holds: 1, 2, 3, up to 6, more */
    CARD = 0,     /* sort, rank and colour of the card laid */
    SIZE = CARD + SORTS * 26,                 /* cards that the hand will have, and those of others */
    NEXT = SIZE + MOST_AFTER * OTHERS,        /* which cards near it remain: its rank, one or two away */
    THREAT = NEXT + 16,                       /* with which ranks it could go out on its next turn */
    DANGER = THREAT + 8,                      /* whether others could go out at once, by a discard or a court */
    RESETS = DANGER + 4,                      /* whether its draw turns the piles over */
    LATE = RESETS + 2,                        /* phase, sort and rank */
    KEEP = LATE + PHASES * SORTS * 13,        /* rank and colour of each card that a discard leaves in the hand */
    OPEN = KEEP + 26,                         /* spread, flip or pass, and how many cards fit on the top */
    FEATURES = OPEN + 9,
    MOST_ACTIVE = BC_CARDS
};

typedef struct {
    float of[FEATURES];
    uint8_t order[BC_CARDS]; /* the cards, those it likes to keep least first; `sort_cards` fills it in */
} Weights;

static inline void sort_cards(Weights *weights) {
    for (int card = 0; card < BC_CARDS; card++) {
        float value = weights->of[KEEP + bc_rank(card) * 2 + bc_red(card)];
        int at = card;
        for (; at > 0; at--) {
            int before = weights->order[at - 1];
            if (weights->of[KEEP + bc_rank(before) * 2 + bc_red(before)] <= value) break;
            weights->order[at] = (uint8_t)before;
        }
        weights->order[at] = (uint8_t)card;
    }
}

/* Fill in the weights of a player that wants few cards now, in shram little cost, and sees nothing else. */
static inline void be_greedy(Weights *weights, const BcRules *rules) {
    bool shram = rules->source == BC_SHRAM;
    memset(weights, 0, sizeof *weights);
    for (int at = 0; at < 26; at++) {
        int card = at / 2 * 4 + at % 2;
        float cost = rules->cost[card], number = (float)bc_number(card);
        weights->of[CARD + at] = shram ? cost - 8 * cost : -number; /* a card costs 8 on average */
        weights->of[CARD + 26 + at] = number;
        weights->of[CARD + 52 + at] = shram ? cost : 0;
        weights->of[KEEP + at] = -number;
    }
    for (int fits = 0; fits < 3; fits++) weights->of[OPEN + 6 + fits] = 1;
    sort_cards(weights);
}

/* What the judgement of a turn's moves has in common. */
typedef struct {
    const BcGame *game;
    int fewest, others, phase;
} Sight;

static inline Sight sight_of(const BcGame *game) {
    int fewest = BC_CARDS, left = (game->rules->turn_limit - game->turns) / game->seats;
    for (int seat = 0; seat < game->seats; seat++)
        if (seat != game->to_move && bc_size(game->hand[seat]) < fewest) fewest = bc_size(game->hand[seat]);
    return (Sight){game, fewest, fewest <= 3 ? fewest - 1 : fewest <= 6 ? 3 : 4, left > 20 ? 0 : left > 8 ? 1 : left > 2 ? 2 : 3};
}

enum { PLAY_FEATURES = 7 };

/* Write the features of laying a card. */
static inline void features_of(const Sight *sight, int card, int features[PLAY_FEATURES]) {
    const BcGame *game = sight->game;
    int effect = game->rules->effect[bc_top(&game->up)][card], rank = bc_rank(card);
    int sort = effect > 0 ? 0 : effect < 0 ? 1 : 2;
    uint64_t hand = game->hand[game->to_move] & ~bc_bit(card);
    int after = bc_size(hand) + effect;
    /* Ranks lie in a circle of 13 groups of four bits. */
    uint64_t circle = hand | hand << 52;
#define HAS(step) ((circle >> 4 * ((rank + (step)) % 13) & 15) != 0)
    int near = HAS(0) | HAS(2) << 1 | HAS(11) << 2 | (HAS(1) | HAS(12)) << 3;
#undef HAS
    features[0] = CARD + sort * 26 + rank * 2 + bc_red(card);
    features[1] = SIZE + (after < 0 ? 0 : after < MOST_AFTER ? after : MOST_AFTER - 1) * OTHERS + sight->others;
    features[2] = NEXT + near;
    int last = after - 2, below = (rank + 12) % 13; /* a card of rank `last` below the top discards all others */
    int threat = 0;
    if (last >= 0 && last < 10 && hand >> 4 * last & 15)
        threat = (last == below) | (last == rank) << 1 | (last == (rank + 11) % 13) << 2;
    bool exact = below < 10 && sight->fewest == below + 2;
    bool court = sight->fewest == 1 && (below >= 10 || (rank + 1) % 13 >= 10);
    features[5] = THREAT + threat;
    features[6] = DANGER + exact + 2 * court;
    features[3] = RESETS + (effect > 0 && effect >= game->stock.count);
    features[4] = LATE + (sight->phase * SORTS + sort) * 13 + rank;
}

static inline int open_feature(const BcGame *game, int kind) {
    uint64_t hand = game->hand[game->to_move];
    int fits = bc_size(hand & bc_reach(game->rules, bc_top(&game->up), false, bc_size(hand)));
    return OPEN + (kind - BC_SPREAD) * 3 + (fits < 2 ? fits : 2);
}

/* Return a move for the seat whose turn it is. `noise`: by how many points a judgement may be off. */
static inline BcMove quick_move(const BcGame *game, const Weights *weights, float noise, uint64_t *random) {
    uint64_t hand = game->hand[game->to_move];
    if (game->owed > 0) {
        BcMove move = {.kind = BC_DISCARD};
        int last = bc_size(hand) - game->owed - 2; /* a card of this rank could discard all others next time */
        if (last >= 0 && last < 10 && game->rules->source != BC_SHRAM) {
            uint64_t useful = hand & ((uint64_t)15 << 4 * last);
            if (useful != 0) hand &= ~(useful & -useful);
        }
        for (int at = 0; move.count < game->owed; at++)
            if (hand >> weights->order[at] & 1) move.cards[move.count++] = weights->order[at];
        return move;
    }
    if (game->opening > 0) {
        BcMove legal[BC_MOST_MOVES];
        int count = bc_legal(game, legal), best = 0;
        for (int at = 1; at < count; at++)
            if (weights->of[open_feature(game, legal[at].kind)] > weights->of[open_feature(game, legal[best].kind)]) best = at;
        return legal[best];
    }
    uint64_t cards = bc_playable(game);
    if (cards == 0) return (BcMove){.kind = BC_DRAW};
    BcMove move = {.kind = BC_PLAY, .count = 1, .cards = {(uint8_t)bc_lowest(cards)}};
    if ((cards & (cards - 1)) == 0) return move;
    Sight sight = sight_of(game);
    float best = -1e9f;
    for (; cards != 0; cards &= cards - 1) {
        int features[PLAY_FEATURES], card = bc_lowest(cards);
        float value = noise * random_part(random);
        features_of(&sight, card, features);
        for (int at = 0; at < PLAY_FEATURES; at++) value += weights->of[features[at]];
        if (value > best) best = value, move.cards[0] = (uint8_t)card;
    }
    return move;
}

#endif
