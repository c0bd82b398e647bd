/* Palates that agree with all rankings that were seen, each as likely as it is to be drawn.
 *
 * A palate is 64 normal figures: 8 likings, with standard deviation 1, and 56 quirks, with 0.5. That one sandwich was ranked
 * above another means that a sum of some of them is positive. A palate moves on from sample to sample as in Pakman and
 * Paninski, "Exact Hamiltonian Monte Carlo for truncated multivariate Gaussians", 2014: with a random speed on an arc, and
 * back from each wall where a ranking would change. Arena's own guesser does the same in Python.
 */

#ifndef PALATES_H
#define PALATES_H

#include <math.h>

#include "sandwich.h"

enum {
    FIGURES = SW_FAMILIES + SW_KINDS,
    MOST_WALLS = 72,  /* the latest ones; older ones are forgotten */
    MOST_TERMS = 12,
    SAMPLES = 192,    /* palates kept of each seat */
    PUSHES = 200,     /* the most rounds that look for a first palate */
    BURN_IN = 12      /* moves after news, before the next sample is kept */
};

/* ---- random numbers ---- */

static inline uint64_t next_random(uint64_t *random) { /* splitmix64, by Sebastiano Vigna */
    uint64_t z = *random += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* A whole number from 0 to below a bound. */
static inline int random_below(uint64_t *random, int bound) {
    return (int)(((next_random(random) >> 32) * (uint64_t)bound) >> 32);
}

/* A number from 0 to below 1. */
static inline double random_part(uint64_t *random) { return (double)(next_random(random) >> 11) * 0x1p-53; }

static inline void shuffle(uint8_t *cards, int count, uint64_t *random) {
    for (int at = count - 1; at > 0; at--) {
        int other = random_below(random, at + 1);
        uint8_t card = cards[at];
        cards[at] = cards[other];
        cards[other] = card;
    }
}

/* ---- what is known of a palate ---- */

/* One sandwich is worth more than another: the sum of weights times figures, plus an offset, is above 0. */
typedef struct {
    int terms;
    uint8_t figure[MOST_TERMS];
    double weight[MOST_TERMS];
    double offset;
} Wall;

typedef struct {
    int walls, fresh; /* fresh ones are unknown to the last sample */
    Wall wall[MOST_WALLS];
    double value[MOST_WALLS];               /* in the last sample, without the offset */
    double product[MOST_WALLS][MOST_WALLS]; /* of the weights of each two walls */
} Knowledge;

static inline double wall_value(const Wall *wall, const double *figures) {
    double sum = 0;
    for (int term = 0; term < wall->terms; term++) sum += wall->weight[term] * figures[wall->figure[term]];
    return sum;
}

static inline void push(const Wall *wall, double *figures, double by) {
    for (int term = 0; term < wall->terms; term++) figures[wall->figure[term]] += by * wall->weight[term];
}

static inline double pair_sum(const SwSandwich one) {
    int a = sw_family(one[0]), b = sw_family(one[1]), c = sw_family(one[2]);
    return 0.1 * (sw_pairs[a][b] + sw_pairs[a][c] + sw_pairs[b][c]);
}

static inline Wall wall_of(const SwSandwich better, const SwSandwich worse) {
    double weights[FIGURES] = {0};
    Wall wall = {.offset = pair_sum(better) - pair_sum(worse)};
    for (int at = 0; at < 3; at++) {
        weights[sw_family(better[at])] += 1, weights[SW_FAMILIES + better[at]] += 0.5;
        weights[sw_family(worse[at])] -= 1, weights[SW_FAMILIES + worse[at]] -= 0.5;
    }
    for (int figure = 0; figure < FIGURES; figure++)
        if (weights[figure] != 0) wall.figure[wall.terms] = (uint8_t)figure, wall.weight[wall.terms++] = weights[figure];
    return wall;
}

/* Learn from a ranking, best first. Equal sandwiches say nothing. */
static inline void learn(Knowledge *known, SwSandwich *ranked, int count) {
    for (int rank = 0; rank + 1 < count; rank++) {
        Wall wall = wall_of(ranked[rank], ranked[rank + 1]);
        if (wall.terms == 0) continue;
        if (known->walls == MOST_WALLS) memmove(known->wall, known->wall + 1, sizeof(Wall) * (size_t)--known->walls);
        known->wall[known->walls++] = wall;
        known->fresh++;
    }
}

/* ---- samples ---- */

static inline void normals(double *figures, uint64_t *random) { /* Box and Muller */
    for (int at = 0; at < FIGURES; at += 2) {
        double radius = sqrt(-2 * log(1 - random_part(random))), angle = 6.283185307179586 * random_part(random);
        figures[at] = radius * cos(angle), figures[at + 1] = radius * sin(angle);
    }
}

/* Move on, and write the figures, each divided by its standard deviation. */
static inline void move_on(Knowledge *known, double *figures, uint64_t *random) {
    double speed[MOST_WALLS], left = 1.5707963267948966, *place = known->value;
    normals(figures, random);
    for (int at = 0; at < known->walls; at++) speed[at] = wall_value(&known->wall[at], figures);
    while (known->walls > 0) {
        double least = left;
        int hit = -1;
        for (int at = 0; at < known->walls; at++) {
            double radius = hypot(place[at], speed[at]), level = -known->wall[at].offset;
            if (radius <= fabs(level)) continue;
            double angle = atan2(speed[at], place[at]) + acos(level / radius);
            if (angle <= 0) angle += 6.283185307179586;
            if (angle < least) least = angle, hit = at;
        }
        double c = cos(least), s = sin(least);
        for (int at = 0; at < known->walls; at++) {
            double was = place[at];
            place[at] = c * was + s * speed[at], speed[at] = c * speed[at] - s * was;
        }
        if (hit < 0) break;
        left -= least;
        double by = -2 * speed[hit] / known->product[hit][hit];
        for (int at = 0; at < known->walls; at++) speed[at] += by * known->product[hit][at];
        push(&known->wall[hit], figures, by * sin(left));
    }
}

/* Find figures on the right side of all walls; forget walls for which there are none. */
static inline void find_first(Knowledge *known, uint64_t *random) {
    double figures[FIGURES];
    bool held = false;
    int kept = 0;
    normals(figures, random);
    for (int round = 0; round < PUSHES && !held; round++) {
        held = true;
        for (int at = 0; at < known->walls; at++) {
            const Wall *wall = &known->wall[at];
            double short_by = wall_value(wall, figures) + wall->offset, square = 0;
            if (short_by > 0) continue;
            held = false;
            for (int term = 0; term < wall->terms; term++) square += wall->weight[term] * wall->weight[term];
            push(wall, figures, (random_part(random) - short_by) / square);
        }
    }
    for (int at = 0; at < known->walls; at++)
        if (wall_value(&known->wall[at], figures) + known->wall[at].offset > 0) known->wall[kept++] = known->wall[at];
    known->walls = kept;
    known->fresh = 0;
    for (int one = 0; one < kept; one++) {
        double weights[FIGURES] = {0};
        push(&known->wall[one], weights, 1);
        known->value[one] = wall_value(&known->wall[one], figures);
        for (int other = 0; other < kept; other++) known->product[one][other] = wall_value(&known->wall[other], weights);
    }
    for (int move = 0; move < BURN_IN; move++) move_on(known, figures, random);
}

/* Write what each card alone is worth in each of some palates. */
static inline void imagine(Knowledge *known, float tastes[SAMPLES][SW_KINDS], uint64_t *random) {
    double figures[FIGURES];
    if (known->fresh > 0) find_first(known, random);
    for (int sample = 0; sample < SAMPLES; sample++) {
        move_on(known, figures, random);
        for (int card = 0; card < SW_KINDS; card++)
            tastes[sample][card] = (float)(figures[sw_family(card)] + 0.5 * figures[SW_FAMILIES + card]);
    }
}

#endif
