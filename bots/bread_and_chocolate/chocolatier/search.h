/* The search: grows one tree of moves and replies over many guesses of what is hidden.
 *
 * Each walk begins with a new guess, goes down the tree by moves that are legal in it, adds one branch, and lets
 * quick_play.h play the hand on from there. On the way everyone prefers the moves that have served its own seat well, and
 * tries the others now and then (information set Monte Carlo tree search: Cowling, Powley and Whitehouse, 2012). It makes
 * the move that was tried most often. It needs POSIX, for its clocks.
 */

#ifndef SEARCH_H
#define SEARCH_H

#include <math.h>
#include <time.h>

#include "memory.h"
#include "quick_play.h"
#include "weights.h"

enum {
    MOST_DISCARDS_TRIED = 12,
    MOST_BRANCHES = 1 << 17,
    DEEPEST = 200,
    WALKS_BY_CLOCK = 8 /* so many walks, then a look at the clock */
};

#define NOISE 0.2f   /* of quick_play.h */
#define CURIOUS 0.7  /* how often a move that did less well is tried again */

typedef struct {
    double cpu_ms;  /* how long to think, in CPU time */
    double wall_ms; /* but no longer than this by the clock */
    long walks;     /* stop after so many; 0 for no limit */
} Limits;

typedef struct {
    uint64_t key;    /* of the move that leads here; see key_of */
    int first, next; /* the first branch that grows here; the next one beside. 0: none */
    int visits, met; /* how often it was chosen; how often it could have been */
    double sum;      /* of the worths to the seat that chose it */
} Branch;

static Branch branches[MOST_BRANCHES];

/* A number for a move: its kind, and the cards as a set. */
static inline uint64_t key_of(const BcMove *move) {
    uint64_t key = (uint64_t)(move->kind + 1) << BC_CARDS;
    for (int at = 0; at < move->count; at++) key |= bc_bit(move->cards[at]);
    return key;
}

/* What a hand that has ended is worth to a seat, about 1 for a good hand: its lead in points over the mean of the others.
 * One hand of two players varies by about 20 points, in shram by 60. */
static inline double worth_of(const BcGame *game, int seat) {
    double others = 0;
    for (int other = 0; other < game->seats; other++) others += other == seat ? 0 : game->scores[other];
    return (game->scores[seat] - others / (game->seats - 1)) / (game->rules->source == BC_SHRAM ? 60 : 20);
}

static inline double ms_by(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Write the moves that are worth comparing: the legal ones, or the quick player's discard and some that differ from it. */
static inline int candidates_of(const BcGame *game, const Weights *weights, BcMove found[BC_MOST_MOVES], uint64_t *random) {
    int count = bc_legal(game, found);
    if (count > 0) return count;
    for (int draw = 0; draw < 4 * MOST_DISCARDS_TRIED && count < MOST_DISCARDS_TRIED; draw++) {
        Weights other = *weights;
        for (int at = KEEP; at < OPEN && draw > 0; at++) other.of[at] += 0.15f * (float)draw * random_part(random);
        sort_cards(&other);
        BcMove move = quick_move(game, &other, 0, random);
        bool known = false;
        for (int at = 0; at < count; at++) known |= key_of(&found[at]) == key_of(&move);
        if (!known) found[count++] = move;
    }
    return count;
}

/* The branch of a move, or 0. */
static inline int branch_of(int from, uint64_t key) {
    int branch = branches[from].first;
    while (branch != 0 && branches[branch].key != key) branch = branches[branch].next;
    return branch;
}

/* Choose among moves at a branch: one that was never tried, the quick player's first, or the one that promises most. */
static inline int chosen(const BcGame *game, int from, const BcMove *moves, int count, const Weights *weights,
                         uint64_t *random) {
    int own[BC_MOST_MOVES], fresh = 0, best = 0;
    for (int at = 0; at < count; at++) {
        own[at] = branch_of(from, key_of(&moves[at]));
        if (own[at] == 0) fresh++;
        else branches[own[at]].met++;
    }
    if (fresh > 0) {
        BcMove quick = quick_move(game, weights, 0, random);
        int skip = random_below(random, fresh);
        for (int at = 0; at < count; at++) {
            if (own[at] != 0) continue;
            if (key_of(&moves[at]) == key_of(&quick)) return at;
            if (skip-- == 0) best = at;
        }
        return best;
    }
    double most = -1e18;
    for (int at = 0; at < count; at++) {
        const Branch *branch = &branches[own[at]];
        double hope = branch->sum / branch->visits + CURIOUS * sqrt(log(branch->met + 1.0) / branch->visits);
        if (hope > most) most = hope, best = at;
    }
    return best;
}

/* Go down the tree in one world to a new branch, play on, and note the result in all branches on the way. */
static inline void walk(BcGame game, const BcMove *moves, int count, const Weights *weights, int *grown, uint64_t *random) {
    int path[DEEPEST], movers[DEEPEST], depth = 0, at = 0;
    bool new = false;
    while (!new && game.to_move != BC_NOBODY && depth < DEEPEST) {
        BcMove legal[BC_MOST_MOVES];
        if (depth > 0) {
            count = bc_legal(&game, legal);
            if (count == 0) legal[count++] = quick_move(&game, weights, 0, random);
            moves = legal;
        }
        int which = count > 1 ? chosen(&game, at, moves, count, weights, random) : 0;
        uint64_t key = key_of(&moves[which]);
        int branch = branch_of(at, key);
        if (branch == 0) {
            if (*grown == MOST_BRANCHES) break;
            branch = (*grown)++;
            branches[branch] = (Branch){.key = key, .next = branches[at].first, .met = 1};
            branches[at].first = branch;
            new = count > 1;
        }
        movers[depth] = game.to_move;
        path[depth++] = at = branch;
        bc_move(&game, moves[which]);
    }
    while (game.to_move != BC_NOBODY) bc_move(&game, quick_move(&game, weights, NOISE, random));
    double worths[BC_MOST_SEATS];
    for (int seat = 0; seat < game.seats; seat++) worths[seat] = worth_of(&game, seat);
    for (int step = 0; step < depth; step++) {
        branches[path[step]].visits++;
        branches[path[step]].sum += worths[movers[step]];
    }
}

/* Return the best move, and in `walks` how many walks were made. The game is what the seat sees besides the cards. */
static inline BcMove search(Memory *memory, const BcGame *seen, Limits limits, uint64_t *random, long *walks) {
    BcMove moves[BC_MOST_MOVES];
    BcGame world = *seen;
    world.log = NULL;
    const Weights *weights = weights_of(seen->rules);
    double cpu = ms_by(CLOCK_PROCESS_CPUTIME_ID), wall = ms_by(CLOCK_MONOTONIC), used = 0;
    guess(memory, &world, 1, random);
    int count = candidates_of(&world, weights, moves, random), grown = 1, most = -1, best = 0;
    long made = 0;
    branches[0] = (Branch){0};
    while (count > 1 && used < 1) {
        walk(world, moves, count, weights, &grown, random);
        guess(memory, &world, 1, random);
        if (++made % WALKS_BY_CLOCK == 0)
            used = fmax((ms_by(CLOCK_PROCESS_CPUTIME_ID) - cpu) / limits.cpu_ms, (ms_by(CLOCK_MONOTONIC) - wall) / limits.wall_ms);
        if (limits.walks > 0) used = fmax(used, (double)made / (double)limits.walks);
    }
    for (int at = 0; at < count; at++) {
        int branch = branch_of(0, key_of(&moves[at]));
        if (branch != 0 && branches[branch].visits > most) most = branches[branch].visits, best = at;
    }
    *walks = made;
    return moves[best];
}

#endif
