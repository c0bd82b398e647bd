/* What one seat knows and thinks: palates of the tasters, habits of the other cooks, and what it does about them. It needs
 * POSIX, for its clocks.
 *
 * Points go by rank: a sandwich has to beat those that the same taster gets from others. All hands lie open, so what the
 * others will serve can be guessed, and all rankings are public, so everybody can know the same of the tasters.
 */

#ifndef MIND_H
#define MIND_H

#include <stdlib.h>
#include <time.h>

#include "kitchen.h"

enum {
    HABITS = 7,      /* ways in which others may choose what to serve */
    IMAGINED = 48,   /* servings imagined of each other cook */
    MOST_PICKS = 720 /* rankings of the market that are compared */
};

/* The habits: whether tastes count for a cook, and how sure it is of the best serving. */
static const struct {
    bool by_taste;
    float sureness, first; /* how likely before anything was seen */
} habits[HABITS] = {
    {true, 1, 0.10f}, {true, 3, 0.20f}, {true, 10, 0.30f}, {false, 1, 0.05f}, {false, 3, 0.10f}, {false, 10, 0.10f}, {true, 0, 0.15f},
};

typedef struct {
    double cpu_ms;  /* how long to think, in CPU time */
    double wall_ms; /* but no longer than this by the clock */
    long worlds;    /* stop after so many; 0 for no limit */
} Limits;

/* Which of its ideas it uses; duel.c measures what each is worth. */
typedef struct {
    bool learns;   /* what tasters like */
    bool outdoes;  /* serves to beat the others' sandwiches, not to please most */
    bool looks;    /* plays the market on, instead of filling its plan */
    bool reaches;  /* takes account of what others will reach for */
    bool trades;
} Ideas;

typedef struct {
    Knowledge known;
    float sample[SAMPLES][SW_KINDS]; /* what each card alone is worth in each palate */
    Taste mean;
    bool stale; /* whether samples and mean are to be made anew */
} Belief;

typedef struct {
    double log_weight[HABITS];
    float accepted, refused; /* offers that it gained by */
} Cook;

typedef uint8_t Serving[SW_MOST_SERVED][3];

typedef struct {
    SwGame game; /* deck is unknown */
    int seat, boxes;
    uint64_t random;
    Limits limits;
    Ideas ideas;
    long worlds; /* that the last decision took */
    Belief belief[SW_MOST_SEATS];
    Cook cook[SW_MOST_SEATS];
    SwSandwich ranked[SW_MOST_SEATS][SW_MOST_SERVED]; /* in this round, by taster, best first */
    Serving served[SW_MOST_SEATS];                    /* in this round, by maker */
    int served_count[SW_MOST_SEATS];
    bool tasted[SW_MOST_SEATS];
} Mind;

static Taste nobodys;

static inline double ms_by(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* ---- learning ---- */

static inline void begin(Mind *mind, SwRules rules, int seat, int boxes, uint64_t seed) {
    memset(mind, 0, sizeof *mind);
    sw_start(&mind->game, rules);
    mind->seat = seat, mind->boxes = boxes, mind->random = seed;
    mind->ideas = (Ideas){true, true, true, true, true};
    for (int other = 0; other < rules.seats; other++) {
        mind->belief[other].stale = true;
        for (int habit = 0; habit < HABITS; habit++) mind->cook[other].log_weight[habit] = log(habits[habit].first);
    }
}

/* Make samples and means where something new was heard. */
static inline void imagine_all(Mind *mind) {
    for (int seat = 0; seat < mind->game.rules.seats; seat++) {
        Belief *belief = &mind->belief[seat];
        if (!belief->stale) continue;
        belief->stale = false;
        imagine(&belief->known, belief->sample, &mind->random);
        for (int card = 0; card < SW_KINDS; card++) {
            float sum = 0;
            for (int sample = 0; sample < SAMPLES; sample++) sum += belief->sample[sample][card];
            belief->mean[card] = mind->ideas.learns ? sum / SAMPLES : 0;
        }
        belief->mean[GHOST] = ghost_taste;
    }
    nobodys[GHOST] = ghost_taste;
}

static inline void tastes_of(Mind *mind, int seat, bool by_taste, float **tastes) {
    const SwRules *rules = &mind->game.rules;
    for (int place = 0; place < rules->served; place++)
        tastes[place] = by_taste ? mind->belief[sw_receiver(rules, mind->game.round_no, seat, place)].mean : nobodys;
}

static inline int three_among(const uint8_t *hand, int cards, const uint8_t *three) {
    uint8_t(*triples)[3] = triples_for(cards);
    for (int number = 0; number < triples_of(cards); number++) {
        int found = 0;
        bool used[3] = {false};
        for (int at = 0; at < 3; at++)
            for (int other = 0; other < 3; other++)
                if (!used[other] && hand[triples[number][at]] == three[other]) {
                    used[other] = true, found++;
                    break;
                }
        if (found == 3) return number;
    }
    return 0;
}

/* Learn a cook's habit from what it served. */
static inline void learn_habit(Mind *mind, int seat) {
    static Likely likely;
    static Values values;
    int cards = sw_pile(&mind->game.rules);
    uint8_t hand[SW_MOST_HAND], chosen[SW_MOST_SERVED];
    float *tastes[SW_MOST_SERVED];
    memcpy(hand, mind->served[seat], (size_t)cards);
    for (int place = 0; place < cards / 3; place++) chosen[place] = (uint8_t)three_among(hand, cards, mind->served[seat][place]);
    for (int habit = 0; habit < HABITS; habit++) {
        tastes_of(mind, seat, habits[habit].by_taste, tastes);
        values_of(hand, cards, tastes, values);
        likely_servings(cards, values, habits[habit].sureness, &likely);
        double log_chance = -log(likely.sum);
        for (int place = 0; place < cards / 3; place++)
            log_chance += habits[habit].sureness * (values[place][chosen[place]] - likely.high[place]);
        mind->cook[seat].log_weight[habit] += log_chance;
    }
}

/* Hear that a taster ranked its sandwiches, the best first. */
static inline void hear_tasting(Mind *mind, int taster, SwSandwich *ranked, const uint8_t *makers) {
    const SwRules *rules = &mind->game.rules;
    memcpy(mind->ranked[taster], ranked, sizeof(SwSandwich) * (size_t)rules->served);
    mind->tasted[taster] = true;
    for (int rank = 0; rank < rules->served; rank++) {
        int maker = makers[rank], place = 0;
        while (place < rules->served - 1 && sw_receiver(rules, mind->game.round_no, maker, place) != taster) place++;
        if (rules->seats == 3 && mind->served_count[maker] & 1 << place) place++;
        memcpy(mind->served[maker][place], ranked[rank], 3);
        mind->served_count[maker] |= 1 << place;
    }
}

/* Hear that the round is over. */
static inline void hear_end(Mind *mind) {
    const SwRules *rules = &mind->game.rules;
    imagine_all(mind);
    for (int seat = 0; seat < rules->seats; seat++) {
        if (seat != mind->seat && mind->served_count[seat] == (1 << rules->served) - 1) learn_habit(mind, seat);
        mind->served_count[seat] = 0;
    }
    for (int seat = 0; seat < rules->seats; seat++) {
        if (mind->tasted[seat]) learn(&mind->belief[seat].known, mind->ranked[seat], rules->served), mind->belief[seat].stale = true;
        mind->tasted[seat] = false;
    }
}

/* ---- serving ---- */

static inline void sandwiches_of(const uint8_t *hand, int cards, const uint8_t *chosen, Serving serving) {
    uint8_t(*triples)[3] = triples_for(cards);
    for (int place = 0; place < cards / 3; place++)
        for (int at = 0; at < 3; at++) serving[place][at] = hand[triples[chosen[place]][at]];
}

/* Imagine what another cook will serve of a full hand, by what is known of its habits. */
static inline void imagine_servings(Mind *mind, int seat, const uint8_t *hand, Serving *servings, int count) {
    static Likely likely;
    static Values values;
    int cards = sw_pile(&mind->game.rules), done = 0;
    double high = -1e300, sum = 0, before = 0;
    const double *log_weight = mind->cook[seat].log_weight;
    for (int habit = 0; habit < HABITS; habit++) high = fmax(high, log_weight[habit]);
    for (int habit = 0; habit < HABITS; habit++) sum += exp(log_weight[habit] - high);
    for (int habit = 0; habit < HABITS; habit++) {
        before += exp(log_weight[habit] - high) / sum;
        int until = habit == HABITS - 1 ? count : (int)(before * count + 0.5);
        if (until <= done) continue;
        float *tastes[SW_MOST_SERVED];
        tastes_of(mind, seat, habits[habit].by_taste, tastes);
        values_of(hand, cards, tastes, values);
        likely_servings(cards, values, habits[habit].sureness, &likely);
        for (; done < until; done++) {
            uint8_t chosen[SW_MOST_SERVED];
            draw_serving(cards, &likely, &mind->random, chosen);
            sandwiches_of(hand, cards, chosen, servings[done]);
        }
    }
}

/* What others may serve, by seat; those are imagined who serve somebody that this seat serves, too. */
typedef struct {
    int count;
    Serving serving[SW_MOST_SEATS][IMAGINED];
} Rivals;

static inline bool is_rival(const Mind *mind, int other) {
    const SwRules *rules = &mind->game.rules;
    if (other == mind->seat) return false;
    for (int place = 0; place < rules->served; place++)
        for (int its = 0; its < rules->served; its++)
            if (sw_receiver(rules, mind->game.round_no, mind->seat, place) == sw_receiver(rules, mind->game.round_no, other, its)) return true;
    return false;
}

static inline void shuffle_servings(Serving *servings, int count, uint64_t *random) {
    for (int at = count - 1; at > 0; at--) {
        int other = random_below(random, at + 1);
        Serving one;
        memcpy(one, servings[at], sizeof one);
        memcpy(servings[at], servings[other], sizeof one);
        memcpy(servings[other], one, sizeof one);
    }
}

static inline void imagine_rivals(Mind *mind, Rivals *rivals) {
    for (int seat = 0; seat < mind->game.rules.seats; seat++) {
        if (!is_rival(mind, seat)) continue;
        imagine_servings(mind, seat, mind->game.hand[seat], rivals->serving[seat], rivals->count);
        shuffle_servings(rivals->serving[seat], rivals->count, &mind->random);
    }
}

/* Write how much a point of each other seat counts, all together as much as an own one: that of a seat with about as many
 * points counts most, as it is easily overtaken. */
static inline void write_rivalry(const Mind *mind, float *rivalry) {
    const SwGame *game = &mind->game;
    float sum = 0, spread = 9.0f * (float)(game->rules.rounds - game->round_no); /* variance of a lead, in what is left */
    for (int seat = 0; seat < game->rules.seats; seat++) {
        float lead = (float)(game->scores[seat] - game->scores[mind->seat]);
        rivalry[seat] = seat == mind->seat ? 0 : 0.02f + expf(-lead * lead / (2 * spread));
        sum += rivalry[seat];
    }
    for (int seat = 0; seat < game->rules.seats; seat++) rivalry[seat] /= sum;
}

/* Write how many points each three cards of a hand can be expected to gain on the others with each receiver, by every
 * `stride`th palate. */
static inline void points_of(Mind *mind, const uint8_t *hand, Rivals *rivals, int stride, Values points) {
    const SwRules *rules = &mind->game.rules;
    int cards = sw_pile(rules), count = triples_of(cards), of_others = rules->seats == 3 ? 2 : rules->served - 1;
    uint8_t(*triples)[3] = triples_for(cards);
    float pairs[MOST_TRIPLES], worth_at[SW_MOST_SERVED], rivalry[SW_MOST_SEATS];
    const int16_t *scored = rules->points;
    write_rivalry(mind, rivalry);
    for (int number = 0; number < count; number++) {
        uint8_t three[3] = {hand[triples[number][0]], hand[triples[number][1]], hand[triples[number][2]]};
        pairs[number] = together(three);
    }
    for (int better = 0; better <= of_others; better++) /* with 3 seats, its other sandwich is above or below */
        worth_at[better] = rules->seats == 3 ? 0.5f * (float)(rules->points[better] + rules->points[better + 1]) : (float)rules->points[better];
    memset(points, 0, sizeof(Values));
    for (int place = 0; place < rules->served; place++) {
        int taster = sw_receiver(rules, mind->game.round_no, mind->seat, place), samples = 0;
        if (rules->seats == 3 && place % 2 == 1) { /* the same taster as before */
            memcpy(points[place], points[place - 1], sizeof points[place]);
            continue;
        }
        for (int sample = 0; sample < SAMPLES; sample += stride, samples++) {
            const float *taste = mind->belief[taster].sample[sample];
            float own[SW_MOST_HAND], others[2] = {-1e9f, -1e9f};
            int at = 0, by[2] = {0, 0};
            for (int card = 0; card < cards; card++) own[card] = taste[hand[card]];
            for (int its = 0; its < rules->served; its++) {
                int giver = sw_giver(rules, mind->game.round_no, taster, its);
                if (giver == mind->seat) continue;
                others[at] = worth(rivals->serving[giver][samples % rivals->count][its], taste);
                by[at++] = giver;
            }
            float first = rivalry[by[others[1] > others[0]]], second = rivalry[by[others[1] <= others[0]]], all = first + second;
            float leads[3] = {scored[0] - first * scored[1] - second * scored[2], scored[1] - first * scored[0] - second * scored[2],
                              scored[2] - first * scored[0] - second * scored[1]};
            if (rules->seats == 3) for (int above = 0; above < 3; above++) leads[above] = (1 + all / 2) * worth_at[above];
            for (int number = 0; number < count; number++) {
                float mine = pairs[number] + own[triples[number][0]] + own[triples[number][1]] + own[triples[number][2]];
                points[place][number] += leads[(others[0] > mine) + (others[1] > mine)];
            }
        }
        for (int number = 0; number < count; number++) points[place][number] /= (float)samples;
    }
}

/* Choose what to serve. */
static inline void choose_serving(Mind *mind, Serving serving) {
    static Rivals rivals;
    static Values values, pleased;
    int cards = sw_pile(&mind->game.rules);
    const uint8_t *hand = mind->game.hand[mind->seat];
    uint8_t chosen[SW_MOST_SERVED];
    float *tastes[SW_MOST_SERVED];
    imagine_all(mind);
    tastes_of(mind, mind->seat, true, tastes);
    values_of(hand, cards, tastes, pleased);
    if (mind->ideas.outdoes) {
        rivals.count = IMAGINED;
        imagine_rivals(mind, &rivals);
        points_of(mind, hand, &rivals, 1, values);
        for (int place = 0; place < cards / 3; place++) /* where points are equal, please */
            for (int number = 0; number < triples_of(cards); number++) values[place][number] += 1e-3f * pleased[place][number];
    } else memcpy(values, pleased, sizeof values);
    best_serving(cards, values, chosen);
    sandwiches_of(hand, cards, chosen, serving);
}

#endif
