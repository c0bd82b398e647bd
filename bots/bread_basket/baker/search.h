/* The search: deals the hidden cards many times, and plays every move on to the end of the hand in each of these worlds.
 *
 * All moves meet the same worlds with the same chance, so that luck doesn't tell between them. After each part of the
 * time the worse half of the moves is dropped (sequential halving: Karnin, Koren and Somekh, 2013), so that most worlds
 * go to the moves that matter. quick_play.h plays for all seats. It needs POSIX, for its clocks.
 */

#ifndef SEARCH_H
#define SEARCH_H

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "bread_basket.h"
#include "quick_play.h"
#include "weights.h"

/* A game as one seat sees it. */
typedef struct {
    BbGame game;                    /* in hands of others, only the cards that everybody knows; stock[] is unknown */
    int seat;
    uint8_t unseen[BB_MOST_CARDS];  /* the cards that may be in other hands or in the stock */
    int unseen_count;
} Seen;

typedef struct {
    double cpu_ms;  /* how long to think, in CPU time */
    double wall_ms; /* but no longer than this by the clock */
    long worlds;    /* stop after so many; 0 for no limit */
    float noise;    /* of quick_play.h */
} Limits;

typedef struct {
    int16_t move;
    double sum; /* of the worths in all worlds so far */
} Candidate;

/* Deal all unseen cards: every way to do it is equally likely. */
static inline void deal_world(const Seen *seen, BbGame *world, uint64_t *random) {
    uint8_t cards[BB_MOST_CARDS];
    int left = seen->unseen_count;
    memcpy(cards, seen->unseen, (size_t)left);
    shuffle(cards, left, random);
    *world = seen->game;
    for (int seat = 0; seat < world->seats; seat++) {
        int hidden = world->held[seat];
        for (int card = 0; card < BB_KINDS; card++) hidden -= world->hand[seat][card];
        while (hidden-- > 0) world->hand[seat][cards[--left]]++;
    }
    memcpy(world->stock + world->stock_at, cards, (size_t)(world->stock_end - world->stock_at));
}

/* What a hand that has ended is worth to a seat: for each other seat, how surely it will finish above it. A lead of 15
 * points with one hand to play is about one standard deviation. */
static inline double worth_of(const BbGame *game, int seat) {
    int left = game->hands - game->hand_no - 1;
    double scale = 15 * sqrt(left > 1 ? left : 1), worth = 0;
    for (int other = 0; other < game->seats; other++) {
        int lead = game->scores[seat] - game->scores[other];
        if (other != seat) worth += tanh(lead / scale) + 0.002 * lead;
    }
    return worth / (game->seats - 1);
}

static inline double ms_by(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static inline int by_sum(const void *one, const void *other) {
    double difference = ((const Candidate *)other)->sum - ((const Candidate *)one)->sum;
    return difference > 0 ? 1 : difference < 0 ? -1 : 0;
}

/* Return the best of all legal moves, and in `worlds` how many worlds it was tried in. */
static inline int search(const Seen *seen, Limits limits, uint64_t *random, long *worlds) {
    Candidate moves[BB_MOST_MOVES];
    int16_t legal[BB_MOST_MOVES];
    int count = bb_legal(&seen->game, legal), rounds = 0;
    const float(*weights)[COLUMNS] = weights_of(seen->game.seats);
    double cpu = ms_by(CLOCK_PROCESS_CPUTIME_ID), wall = ms_by(CLOCK_MONOTONIC);
    for (int at = 0; at < count; at++) moves[at] = (Candidate){legal[at], 0};
    for (int left = count; left > 1; left = (left + 1) / 2) rounds++;
    long tried = 0;
    double used = 0; /* the part of the time, or of the worlds, that is over */
    for (int round = 1; count > 1; round++) {
        do {
            BbGame world;
            deal_world(seen, &world, random);
            uint64_t chance = next_random(random);
            for (int at = 0; at < count; at++) {
                BbGame game = world;
                uint64_t same = chance;
                bb_move(&game, moves[at].move);
                while (game.to_move != BB_NOBODY) bb_move(&game, quick_move(&game, weights, limits.noise, &same));
                moves[at].sum += worth_of(&game, seen->seat);
            }
            tried++;
            used = fmax((ms_by(CLOCK_PROCESS_CPUTIME_ID) - cpu) / limits.cpu_ms,
                        (ms_by(CLOCK_MONOTONIC) - wall) / limits.wall_ms);
            if (limits.worlds > 0) used = fmax(used, (double)tried / (double)limits.worlds);
        } while (used * rounds < round);
        qsort(moves, (size_t)count, sizeof *moves, by_sum);
        count = (count + 1) / 2;
    }
    *worlds = tried;
    return moves[0].move;
}

#endif
