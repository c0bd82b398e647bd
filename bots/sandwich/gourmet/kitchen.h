/* What sandwiches are worth, and which to make of a hand.
 *
 * A hand of 9 is three sandwiches for three receivers, 1,680 ways to make them. A hand of 12, with 3 seats, is two for the
 * left and two for the right neighbour, 92,400 ways. All are looked at. A hand that isn't full yet has a plan: its cards
 * on sandwiches with places left for a GHOST, the usual card that is still to come.
 */

#ifndef KITCHEN_H
#define KITCHEN_H

#include "palates.h"

enum {
    GHOST = SW_KINDS,
    CARDS = SW_KINDS + 1,
    MOST_TRIPLES = 220,
    WAYS = 1680,
    SIXES = 924,
    SPLITS = 10
};

typedef float Taste[CARDS]; /* what each card alone is worth to somebody */

/* One value for each receiver in turn and each three cards of the hand. */
typedef float Values[SW_MOST_SERVED][MOST_TRIPLES];

static float pair_of[CARDS][CARDS];
static uint8_t triples_9[84][3], triples_12[MOST_TRIPLES][3];
static uint8_t ways[WAYS][3];                /* numbers of triples_9 */
static uint8_t splits[SIXES][SPLITS][2];     /* for each six of twelve cards, the numbers of triples_12 that make it up */
static int16_t other_six[SIXES];             /* the six that are left */

/* A card to come is a little better than most, as it will be chosen. */
static const float ghost_taste = 0.5f, ghost_with_ghost = 0.6f;

static inline int bits_of(const uint8_t *triple) { return 1 << triple[0] | 1 << triple[1] | 1 << triple[2]; }

static inline int write_triples(int cards, uint8_t (*triples)[3]) {
    int count = 0;
    for (int a = 0; a < cards; a++)
        for (int b = a + 1; b < cards; b++)
            for (int c = b + 1; c < cards; c++, count++)
                triples[count][0] = (uint8_t)a, triples[count][1] = (uint8_t)b, triples[count][2] = (uint8_t)c;
    return count;
}

static inline void open_kitchen(void) {
    for (int one = 0; one < SW_KINDS; one++) {
        float best[SW_FAMILIES], sum = 0;
        for (int other = 0; other < SW_KINDS; other++) pair_of[one][other] = 0.1f * sw_pairs[sw_family(one)][sw_family(other)];
        for (int family = 0; family < SW_FAMILIES; family++) {
            int at = family;
            float pair = pair_of[one][7 * family];
            while (at > 0 && best[at - 1] < pair) best[at] = best[at - 1], at--;
            best[at] = pair;
        }
        for (int at = 0; at < 4; at++) sum += best[at] / 4; /* those families are sought that go well with it */
        pair_of[one][GHOST] = pair_of[GHOST][one] = sum;
    }
    pair_of[GHOST][GHOST] = ghost_with_ghost;
    int nines = write_triples(9, triples_9), twelves = write_triples(12, triples_12), way = 0, six_of[1 << 12], sixes = 0;
    for (int a = 0; a < nines; a++)
        for (int b = 0; b < nines; b++)
            for (int c = 0; c < nines; c++)
                if ((bits_of(triples_9[a]) | bits_of(triples_9[b]) | bits_of(triples_9[c])) == 0x1FF)
                    ways[way][0] = (uint8_t)a, ways[way][1] = (uint8_t)b, ways[way++][2] = (uint8_t)c;
    for (int bits = 0; bits < 1 << 12; bits++) {
        int count = 0, split = 0;
        for (int card = 0; card < 12; card++) count += bits >> card & 1;
        if (count != 6) continue;
        for (int one = 0; one < twelves; one++)
            for (int other = one + 1; other < twelves; other++)
                if ((bits_of(triples_12[one]) | bits_of(triples_12[other])) == bits)
                    splits[sixes][split][0] = (uint8_t)one, splits[sixes][split++][1] = (uint8_t)other;
        six_of[bits] = sixes++;
    }
    for (int bits = 0, six = 0; six < sixes; bits++) {
        int count = 0;
        for (int card = 0; card < 12; card++) count += bits >> card & 1;
        if (count == 6) other_six[six++] = (int16_t)six_of[0xFFF ^ bits];
    }
}

static inline int triples_of(int cards) { return cards == 9 ? 84 : MOST_TRIPLES; }
static inline uint8_t (*triples_for(int cards))[3] { return cards == 9 ? triples_9 : triples_12; }

static inline float together(const uint8_t *three) {
    return pair_of[three[0]][three[1]] + pair_of[three[0]][three[2]] + pair_of[three[1]][three[2]];
}

static inline float worth(const uint8_t *three, const float *taste) {
    return taste[three[0]] + taste[three[1]] + taste[three[2]] + together(three);
}

/* Write what each three cards of a full hand are worth to each receiver. */
static inline void values_of(const uint8_t *hand, int cards, float *const *tastes, Values values) {
    uint8_t(*triples)[3] = triples_for(cards);
    for (int number = 0; number < triples_of(cards); number++) {
        uint8_t three[3] = {hand[triples[number][0]], hand[triples[number][1]], hand[triples[number][2]]};
        float pairs = together(three);
        for (int place = 0; place < cards / 3; place++)
            values[place][number] = pairs + tastes[place][three[0]] + tastes[place][three[1]] + tastes[place][three[2]];
    }
}

/* Write the numbers of the triples, one for each receiver, that have the highest sum of values; return the sum. */
static inline float best_serving(int cards, Values values, uint8_t *chosen) {
    float best = -1e9f;
    if (cards == 9) {
        int found = 0;
        for (int way = 0; way < WAYS; way++) {
            float sum = values[0][ways[way][0]] + values[1][ways[way][1]] + values[2][ways[way][2]];
            if (sum > best) best = sum, found = way;
        }
        memcpy(chosen, ways[found], 3);
        return best;
    }
    float side[2][SIXES];
    uint8_t split_of[2][SIXES];
    for (int right = 0; right < 2; right++)
        for (int six = 0; six < SIXES; six++) {
            side[right][six] = -1e9f;
            for (int split = 0; split < SPLITS; split++) {
                float sum = values[2 * right][splits[six][split][0]] + values[2 * right + 1][splits[six][split][1]];
                if (sum > side[right][six]) side[right][six] = sum, split_of[right][six] = (uint8_t)split;
            }
        }
    for (int six = 0; six < SIXES; six++) {
        int rest = other_six[six];
        float sum = side[0][six] + side[1][rest];
        if (sum <= best) continue;
        best = sum;
        memcpy(chosen, splits[six][split_of[0][six]], 2);
        memcpy(chosen + 2, splits[rest][split_of[1][rest]], 2);
    }
    return best;
}

/* How likely each way to serve is for somebody who is the surer of a way the more it is worth: the exponential of
 * `sureness` times its sum of values, over the same of all ways. */
typedef struct {
    float high[SW_MOST_SERVED]; /* what was taken from each exponent */
    Values weights;
    double sum;
    double side[2][SIXES];
} Likely;

static inline void likely_servings(int cards, Values values, float sureness, Likely *likely) {
    likely->sum = 0;
    for (int place = 0; place < cards / 3; place++) {
        likely->high[place] = -1e9f;
        for (int number = 0; number < triples_of(cards); number++)
            if (values[place][number] > likely->high[place]) likely->high[place] = values[place][number];
        for (int number = 0; number < triples_of(cards); number++)
            likely->weights[place][number] = expf(sureness * (values[place][number] - likely->high[place]));
    }
    if (cards == 9) {
        for (int way = 0; way < WAYS; way++)
            likely->sum += likely->weights[0][ways[way][0]] * likely->weights[1][ways[way][1]] * likely->weights[2][ways[way][2]];
        return;
    }
    for (int right = 0; right < 2; right++)
        for (int six = 0; six < SIXES; six++) {
            likely->side[right][six] = 0;
            for (int split = 0; split < SPLITS; split++)
                likely->side[right][six] += likely->weights[2 * right][splits[six][split][0]] * likely->weights[2 * right + 1][splits[six][split][1]];
        }
    for (int six = 0; six < SIXES; six++) likely->sum += likely->side[0][six] * likely->side[1][other_six[six]];
}

/* Draw a way to serve. */
static inline void draw_serving(int cards, Likely *likely, uint64_t *random, uint8_t *chosen) {
    double left = likely->sum * random_part(random);
    if (cards == 9) {
        int way = -1;
        while (way < WAYS - 1 && left >= 0) {
            way++;
            left -= likely->weights[0][ways[way][0]] * likely->weights[1][ways[way][1]] * likely->weights[2][ways[way][2]];
        }
        memcpy(chosen, ways[way], 3);
        return;
    }
    int six = -1;
    while (six < SIXES - 1 && left >= 0) six++, left -= likely->side[0][six] * likely->side[1][other_six[six]];
    for (int right = 0; right < 2; right++) {
        int at = right ? other_six[six] : six, split = -1;
        double part = likely->side[right][at] * random_part(random);
        while (split < SPLITS - 1 && part >= 0) {
            split++;
            part -= likely->weights[2 * right][splits[at][split][0]] * likely->weights[2 * right + 1][splits[at][split][1]];
        }
        memcpy(chosen + 2 * right, splits[at][split], 2);
    }
}

/* ---- plans ---- */

typedef struct {
    uint8_t made[SW_MOST_SERVED][3];
} Plan;

/* Exchange cards between two sandwiches wherever it makes both together better, at most so many times over. */
static inline void improve(Plan *plan, int served, float *const *tastes, int passes) {
    bool better = true;
    for (int pass = 0; pass < passes && better; pass++) {
        better = false;
        for (int i = 0; i < served; i++)
            for (int j = i + 1; j < served; j++) {
                uint8_t *one = plan->made[i], *two = plan->made[j];
                float now = worth(one, tastes[i]) + worth(two, tastes[j]) + 1e-4f;
                for (int x = 0; x < 3; x++)
                    for (int y = 0; y < 3; y++) {
                        uint8_t a = one[x], b = two[y];
                        if (a == b) continue;
                        one[x] = b, two[y] = a;
                        float sum = worth(one, tastes[i]) + worth(two, tastes[j]);
                        if (sum > now) now = sum + 1e-4f, better = true;
                        else one[x] = a, two[y] = b;
                    }
            }
    }
}

/* Plan with a hand, ghosts for the cards to come. */
static inline Plan plan_of(const uint8_t *hand, int held, int served, float *const *tastes) {
    Plan plan;
    for (int at = 0; at < 3 * served; at++) plan.made[at % served][at / served] = at < held ? hand[at] : GHOST;
    improve(&plan, served, tastes, 20);
    return plan;
}

/* Return what a plan gains if a card takes the place of a ghost, and which sandwich it goes to. */
static inline float gain_of(const Plan *plan, int served, float *const *tastes, int card, int *place) {
    float best = -1e9f;
    for (int number = 0; number < served; number++) {
        const uint8_t *one = plan->made[number];
        int at = one[0] == GHOST ? 0 : one[1] == GHOST ? 1 : one[2] == GHOST ? 2 : -1;
        if (at < 0) continue;
        int b = one[(at + 1) % 3], c = one[(at + 2) % 3];
        const float *row = pair_of[card], *ghost = pair_of[GHOST];
        float gain = tastes[number][card] - tastes[number][GHOST] + row[b] + row[c] - ghost[b] - ghost[c];
        if (gain > best) best = gain, *place = number;
    }
    return best;
}

static inline void put(Plan *plan, int place, int card) {
    uint8_t *one = plan->made[place];
    one[one[0] == GHOST ? 0 : one[1] == GHOST ? 1 : 2] = (uint8_t)card;
}

#endif
