/* Random numbers: SplitMix64 (Steele, Lea and Flood, 2014). */

#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

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

/* A number from 0 up to but excluding 1. */
static inline float random_part(uint64_t *random) { return (float)(next_random(random) >> 40) * 0x1p-24f; }

static inline void shuffle(uint8_t *cards, int count, uint64_t *random) {
    for (int at = count - 1; at > 0; at--) {
        int other = random_below(random, at + 1);
        uint8_t card = cards[at];
        cards[at] = cards[other];
        cards[other] = card;
    }
}

#endif
