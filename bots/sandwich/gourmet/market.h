/* Grabs and trades: what to take, by playing the market on to the serving many times, and which exchanges gain points. */

#ifndef MARKET_H
#define MARKET_H

#include "mind.h"

static const float grab_noise = 0.35f; /* standard deviation by which others judge a card otherwise */
enum { TRIED = 32 /* palates that judge the end of one playout */, REACHES = 150 /* scrambles that judge a ranking */ };

/* About normal, with mean 0 and standard deviation 1. */
static inline float noise(uint64_t *random) {
    uint64_t bits = next_random(random);
    float sum = (float)(bits & 0xFFFF) + (float)(bits >> 16 & 0xFFFF) + (float)(bits >> 32 & 0xFFFF) + (float)(bits >> 48);
    return (sum / 65536 - 2) * 1.7320508f;
}

static inline void rank_by(const float *gains, int count, uint8_t *ranking) {
    for (int place = 0; place < count; place++) {
        int at = place;
        while (at > 0 && gains[ranking[at - 1]] < gains[place]) ranking[at] = ranking[at - 1], at--;
        ranking[at] = (uint8_t)place;
    }
}

/* A market as it is played on: each seat has a plan, and takes what gains it most. */
typedef struct {
    int seats, served, pile;
    float *tastes[SW_MOST_SEATS][SW_MOST_SERVED]; /* by seat, of its receivers */
    Plan plan[SW_MOST_SEATS];
} Table;

static inline void take(Table *table, int seat, int card) {
    int place = 0;
    gain_of(&table->plan[seat], table->served, table->tastes[seat], card, &place);
    put(&table->plan[seat], place, card);
    improve(&table->plan[seat], table->served, table->tastes[seat], 1);
}

static inline void write_gains(const Table *table, int seat, const uint8_t *market, float *gains) {
    int place;
    for (int position = 0; position < table->seats; position++)
        gains[position] = gain_of(&table->plan[seat], table->served, table->tastes[seat], market[position], &place);
}

/* Play the turns that are left, with these cards to come. */
static inline void play_market(Table *table, const SwGame *game, int turn, const uint8_t *cards, uint64_t *random) {
    int seats = table->seats;
    for (; turn < table->pile; turn++, cards += seats) {
        uint8_t rankings[SW_MOST_SEATS][SW_MOST_SEATS], order[SW_MOST_SEATS];
        int8_t taken[SW_MOST_SEATS];
        for (int seat = 0; seat < seats; seat++) {
            float gains[SW_MOST_SEATS];
            write_gains(table, seat, cards, gains);
            for (int position = 0; position < seats; position++) gains[position] += grab_noise * noise(random);
            rank_by(gains, seats, rankings[seat]);
            order[seat] = game->grab_order[(turn + seat) % seats];
        }
        sw_scramble(seats, rankings, order, game->rules.own_last, taken);
        for (int seat = 0; seat < seats; seat++) take(table, seat, cards[taken[seat]]);
    }
}

/* The points that a seat can expect to gain on the others if all serve what they have planned, by some palates from number
 * `first` on. */
static inline float points_of_plans(Mind *mind, const Table *table, int first) {
    const SwRules *rules = &mind->game.rules;
    float sum = 0, counts[SW_MOST_SEATS];
    write_rivalry(mind, counts);
    for (int seat = 0; seat < rules->seats; seat++) counts[seat] = seat == mind->seat ? 1 : -counts[seat];
    for (int place = 0; place < rules->served; place++) {
        int taster = sw_receiver(rules, mind->game.round_no, mind->seat, place), giver[SW_MOST_SERVED];
        if (rules->seats == 3 && place % 2 == 1) continue; /* the same plate */
        for (int its = 0; its < rules->served; its++) giver[its] = sw_giver(rules, mind->game.round_no, taster, its);
        for (int tried = 0; tried < TRIED; tried++) {
            const float *taste = mind->belief[taster].sample[(first + tried * (SAMPLES / TRIED)) % SAMPLES];
            float worths[SW_MOST_SERVED];
            int above[SW_MOST_SERVED] = {0};
            for (int its = 0; its < rules->served; its++) {
                worths[its] = worth(table->plan[giver[its]].made[its], taste);
                for (int other = 0; other < its; other++) above[worths[other] < worths[its] ? other : its]++;
            }
            for (int its = 0; its < rules->served; its++) sum += counts[giver[its]] * (float)rules->points[above[its]];
        }
    }
    return sum / TRIED;
}

/* Cards that may be in the piles. */
static inline int unseen_cards(const Mind *mind, uint8_t *cards) {
    const SwGame *game = &mind->game;
    uint8_t left[SW_KINDS];
    int count = 0;
    memset(left, mind->boxes, sizeof left);
    for (int seat = 0; seat < game->rules.seats; seat++) {
        left[game->market[seat]]--;
        for (int at = 0; at < game->held; at++) left[game->hand[seat][at]]--;
    }
    for (int card = 0; card < SW_KINDS; card++)
        for (int copy = 0; copy < (int8_t)left[card]; copy++) cards[count++] = (uint8_t)card;
    return count;
}

/* Write the next order in lexical order of its first places; false if there is none. */
static inline bool next_pick(uint8_t *order, int count, int places) {
    for (int low = places, high = count - 1; low < high; low++, high--) { /* what follows counts as if it were the last */
        uint8_t one = order[low];
        order[low] = order[high], order[high] = one;
    }
    int at = count - 2;
    while (at >= 0 && order[at] >= order[at + 1]) at--;
    if (at < 0) return false;
    int other = count - 1;
    while (order[other] <= order[at]) other--;
    uint8_t one = order[at];
    order[at] = order[other], order[other] = one;
    for (int low = at + 1, high = count - 1; low < high; low++, high--) {
        one = order[low];
        order[low] = order[high], order[high] = one;
    }
    return true;
}

/* Choose the ranking that brings the best card, others reaching for what they gain by, with noise. `worths` are those of
 * the cards, `by_worth` their positions from the best. */
static inline void reach(Mind *mind, float gains[][SW_MOST_SEATS], const double *worths, const uint8_t *by_worth, uint8_t *best) {
    int seats = mind->game.rules.seats, own = mind->seat, places = seats <= 5 ? seats : 3;
    static uint8_t rankings[REACHES][SW_MOST_SEATS][SW_MOST_SEATS];
    uint8_t order[SW_MOST_SEATS], pick[SW_MOST_SEATS];
    double highest = -1e300;
    for (int place = 0; place < seats; place++) order[place] = (uint8_t)sw_grabber(&mind->game, place), pick[place] = (uint8_t)place;
    for (int number = 0; number < REACHES; number++)
        for (int seat = 0; seat < seats; seat++) {
            float judged[SW_MOST_SEATS];
            if (seat == own) continue;
            for (int position = 0; position < seats; position++) judged[position] = gains[seat][position] + grab_noise * noise(&mind->random);
            rank_by(judged, seats, rankings[number][seat]);
        }
    int tried = 0;
    do {
        uint8_t mine[SW_MOST_SEATS];
        double sum = 0;
        for (int place = 0; place < seats; place++) mine[place] = by_worth[pick[place]];
        for (int number = 0; number < REACHES / (seats > 5 ? 5 : 1); number++) {
            int8_t taken[SW_MOST_SEATS];
            memcpy(rankings[number][own], mine, sizeof mine);
            sw_scramble(seats, rankings[number], order, mind->game.rules.own_last, taken);
            sum += worths[taken[own]];
        }
        if (sum > highest + 1e-9) highest = sum, memcpy(best, mine, sizeof mine);
    } while (++tried < MOST_PICKS && next_pick(pick, seats, places));
}

/* Choose a ranking of the market. */
static inline void choose_grab(Mind *mind, uint8_t *ranking) {
    const SwGame *game = &mind->game;
    int seats = game->rules.seats, own = mind->seat, turn = game->market_turn;
    double cpu = ms_by(CLOCK_PROCESS_CPUTIME_ID), wall = ms_by(CLOCK_MONOTONIC), worths[SW_MOST_SEATS] = {0}, used;
    float gains[SW_MOST_SEATS][SW_MOST_SEATS];
    uint8_t unseen[SW_MOST_CARDS], by_worth[SW_MOST_SEATS];
    Table now = {.seats = seats, .served = game->rules.served, .pile = sw_pile(&game->rules)};
    imagine_all(mind);
    for (int seat = 0; seat < seats; seat++) {
        tastes_of(mind, seat, true, now.tastes[seat]);
        now.plan[seat] = plan_of(game->hand[seat], game->held, now.served, now.tastes[seat]);
        write_gains(&now, seat, game->market, gains[seat]);
    }
    mind->worlds = 0;
    if (!mind->ideas.looks) {
        rank_by(gains[own], seats, ranking);
        return;
    }
    int hidden = unseen_cards(mind, unseen);
    do {
        float noises[SW_MOST_SEATS][SW_MOST_SEATS];
        int first = random_below(&mind->random, SAMPLES);
        shuffle(unseen, hidden, &mind->random);
        uint64_t chance = next_random(&mind->random);
        for (int seat = 0; seat < seats; seat++)
            for (int position = 0; position < seats; position++) noises[seat][position] = gains[seat][position] + grab_noise * noise(&mind->random);
        for (int wanted = 0; wanted < seats; wanted++) { /* what if it gets this card? */
            Table table = now;
            uint8_t rankings[SW_MOST_SEATS][SW_MOST_SEATS], order[SW_MOST_SEATS];
            int8_t taken[SW_MOST_SEATS];
            uint64_t same = chance;
            int placed = 1;
            for (int seat = 0; seat < seats; seat++) {
                float judged[SW_MOST_SEATS];
                memcpy(judged, noises[seat], sizeof judged);
                judged[wanted] = seat == own ? 1e9f : -1e9f;
                rank_by(judged, seats, rankings[seat]);
                int grabber = sw_grabber(game, seat);
                if (grabber != own) order[placed++] = (uint8_t)grabber;
            }
            order[0] = (uint8_t)own;
            sw_scramble(seats, rankings, order, game->rules.own_last && wanted != own, taken);
            for (int seat = 0; seat < seats; seat++) take(&table, seat, game->market[taken[seat]]);
            play_market(&table, game, turn + 1, unseen, &same);
            for (int seat = 0; seat < seats; seat++) improve(&table.plan[seat], table.served, table.tastes[seat], 3);
            worths[wanted] += points_of_plans(mind, &table, first);
        }
        mind->worlds++;
        used = fmax((ms_by(CLOCK_PROCESS_CPUTIME_ID) - cpu) / mind->limits.cpu_ms, (ms_by(CLOCK_MONOTONIC) - wall) / mind->limits.wall_ms);
        if (mind->limits.worlds > 0) used = fmax(used, (double)mind->worlds / (double)mind->limits.worlds);
    } while (used < 1);
    float sums[SW_MOST_SEATS];
    for (int position = 0; position < seats; position++) sums[position] = (float)(worths[position] / (double)mind->worlds);
    rank_by(sums, seats, by_worth);
    memcpy(ranking, by_worth, sizeof by_worth);
    if (mind->ideas.reaches) reach(mind, gains, worths, by_worth, ranking);
}

#endif
