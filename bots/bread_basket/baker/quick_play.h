/* A quick player of Bread Basket: it judges every move by a few features and makes the best.
 *
 * It takes a third of a microsecond for a decision, and sees nothing but the line and its own hand. So the search can have
 * it play thousands of hands to their end for one decision. How much each feature counts is in weights.h, which
 * tune.c has found by playing hands against itself.
 */

#ifndef QUICK_PLAY_H
#define QUICK_PLAY_H

#include "bread_basket.h"

/* Random numbers: SplitMix64 (Steele, Lea and Flood, 2014). */
static inline uint64_t next_random(uint64_t *random) {
    uint64_t mixed = *random += 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
    return mixed ^ mixed >> 31;
}

/* A number from 0 up to but excluding `end`. */
static inline int random_below(uint64_t *random, int end) {
    return (int)((next_random(random) >> 32) * (uint64_t)end >> 32);
}

static inline void shuffle(uint8_t *cards, int count, uint64_t *random) {
    for (int at = count - 1; at > 0; at--) {
        int other = random_below(random, at + 1);
        uint8_t card = cards[at];
        cards[at] = cards[other];
        cards[other] = card;
    }
}

/* What a move is judged by: one row of weights for each kind of move, one column for each feature. */
enum { FIRST, SECOND, STOPPING, FETCHING, ROWS };
enum {
    ALWAYS, /* 1: how good this kind of move is by itself */
    POINTS, /* that it scores */
    DANGER, /* the most points that one card could then take; 0 if no other player has cards */
    DANGERS, /* a tenth of the sum of that over all ranks */
    CHANCE, /* the most points that a card of the own hand could then take */
    RANK,   /* of the card that is played or fetched */
    TWIN,   /* whether the hand holds another of it */
    CHEF,   /* whether it is a Chef */
    AHEAD,  /* how many more cards the hand has than any other */
    COLUMNS
};
typedef float Weights[ROWS][COLUMNS];

/* Arrays by rank have this size, a multiple of what a vector register holds; ranks are 0 to 10. */
enum { RANKS = 16 };

/* What each rank would take at the end of a line, in points; far below zero if nothing. */
typedef struct {
    int16_t now[RANKS];
    int16_t sandwich[RANKS], soup[RANKS]; /* the same with one more card in between, before that card's own points */
} Offers;

enum { NO_OFFER = -100 };

static inline void offers_of(const uint8_t *line, int count, Offers *offers) {
    for (int rank = 0; rank < RANKS; rank++) offers->now[rank] = offers->sandwich[rank] = offers->soup[rank] = NO_OFFER;
    int highest = -1, lowest = BB_TEN + 1, values = 0;
    for (int at = count - 1, inside = 0; at >= 0 && (highest < BB_TEN || lowest > BB_ONION); at--, inside++) {
        int rank = bb_rank(line[at]);
        if (rank > highest) {
            if (inside >= 1) offers->sandwich[rank] = (int16_t)(values + 2);
            if (inside >= 2) offers->now[rank] = (int16_t)(values + 2);
            highest = rank;
            if (rank < lowest) lowest = rank;
        } else if (rank < lowest) {
            if (inside >= 1) offers->soup[rank] = (int16_t)(inside + 2);
            if (inside >= 2) offers->now[rank] = (int16_t)(inside + 2);
            lowest = rank;
        }
        values += bb_value(line[at]);
    }
}

/* What the line offers after a card that takes nothing. */
static inline void offers_after(const Offers *before, int card, int16_t after[RANKS]) {
    int16_t rank = (int16_t)bb_rank(card), value = (int16_t)bb_value(card);
    for (int16_t other = 0; other < RANKS; other++) {
        int16_t higher = (int16_t)(before->sandwich[other] + value), lower = (int16_t)(before->soup[other] + 1);
        after[other] = other > rank ? higher : other < rank ? lower : NO_OFFER;
    }
}

typedef struct {
    int16_t held[RANKS]; /* -1 for ranks of the own hand, otherwise 0 */
    bool alone;          /* no other player has cards */
    int ahead;
} Player;

static inline float judged(const float *weights, const Player *player, const int16_t offers[RANKS], int points, int card,
                           bool twin) {
    int danger = 0, dangers = 0, chance = 0;
    for (int rank = 0; rank < RANKS; rank++) {
        int16_t offer = offers[rank] > 0 ? offers[rank] : 0, own = offer & player->held[rank];
        danger = offer > danger ? offer : danger;
        chance = own > chance ? own : chance;
        dangers += offer;
    }
    if (player->alone) danger = dangers = 0;
    return weights[ALWAYS] + weights[POINTS] * (float)points + weights[DANGER] * (float)danger +
           weights[DANGERS] * 0.1f * (float)dangers + weights[CHANCE] * (float)chance +
           weights[RANK] * (float)bb_rank(card) + (twin ? weights[TWIN] : 0) + (card == BB_CHEF ? weights[CHEF] : 0) +
           weights[AHEAD] * (float)player->ahead;
}

/* Between -1 and 1, those near 0 more often. */
static inline float wobble(uint64_t *random) {
    uint64_t bits = next_random(random);
    return (float)((int)(bits & 0xffff) + (int)(bits >> 16 & 0xffff) - 0x10000) / 0x10000;
}

/* Return a move for the seat whose turn it is. `noise`: by how much a judgement may be off, so that it plays a little
 * differently each time; 0 for its best move. */
static inline int quick_move(const BbGame *game, const Weights weights, float noise, uint64_t *random) {
    const uint8_t *hand = game->hand[game->to_move];
    bool is_first = game->played == BB_NOTHING;
    Player player = {.alone = true, .ahead = -1};
    int most = 0;
    for (int seat = 0; seat < game->seats; seat++)
        if (seat != game->to_move && game->held[seat] > most) most = game->held[seat];
    player.alone = most == 0;
    player.ahead = game->held[game->to_move] - most;
    for (int card = 0; card < BB_KINDS; card++)
        if (hand[card] > 0) player.held[bb_rank(card)] = -1;
    Offers offers, rest;
    int16_t after[RANKS];
    offers_of(game->line, game->line_count, &offers);
    float best = -1e9f;
    int move = BB_STOP;
    for (int card = 0; card < BB_KINDS; card++) {
        if (hand[card] == 0) continue;
        int rank = bb_rank(card), points = offers.now[rank], first;
        const int16_t *then = after;
        if (points == NO_OFFER) {
            points = 0;
            offers_after(&offers, card, after);
        } else {
            for (first = game->line_count - 1; bb_rank(game->line[first]) != rank;) first--;
            offers_of(game->line, first, &rest);
            then = rest.now;
        }
        float score = judged(weights[is_first ? FIRST : SECOND], &player, then, points, card, hand[card] > 1);
        if (noise > 0) score += noise * wobble(random);
        if (score > best) best = score, move = card;
    }
    if (!is_first) {
        float score = judged(weights[STOPPING], &player, offers.now, 0, BB_ONION, false);
        if (noise > 0) score += noise * wobble(random);
        if (score > best) best = score, move = BB_STOP;
    }
    if (hand[BB_CHEF] > 0 && is_first) { /* after a card, where chef_second allows it, it would use Chefs too soon */
        for (int position = 0; position < game->line_count; position++) {
            BbGame next = *game;
            bb_move(&next, BB_FETCH + position);
            int card = game->line[position], rank = bb_rank(card);
            int points = next.scores[game->to_move] - game->scores[game->to_move];
            int16_t before = player.held[rank];
            offers_of(next.line, next.line_count, &rest);
            player.held[rank] = -1;
            float score = judged(weights[FETCHING], &player, rest.now, points, card, hand[card] > 0);
            player.held[rank] = before;
            if (noise > 0) score += noise * wobble(random);
            if (score > best) best = score, move = BB_FETCH + position;
        }
    }
    return move;
}

#endif
