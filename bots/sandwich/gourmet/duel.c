/* Lets gourmets with different ideas play against each other, without Arena.
 *
 *     cc -O2 -std=c11 -o duel duel.c -lm && ./duel EDITION SEATS DEALS WORLDS IDEAS IDEAS [SEED]
 *
 * EDITION is fr, en, es or de. WORLDS is a number of playouts, or a time for each grab such as 10ms. IDEAS are letters: l learns tastes, o outdoes the others' sandwiches, p plays the market on,
 * r takes account of what others reach for, t trades; - for none. c grabs as Arena's learner does, by what the hand would be
 * with random cards for the rest of it. Every second seat has the first ideas, the rest the
 * second; each deal is played again with the sides exchanged. It prints by how many points a game a seat with the first
 * ideas leads, the share of pairs of seats it wins, and their standard errors. With an odd number of seats, the second
 * ideas have one seat less in one of the two games. Points are those to be expected when sandwiches are served, over all
 * palates that agree with the tastings so far: they have the same mean as those scored, and less luck.
 */

#define _POSIX_C_SOURCE 200809L

#include <stdio.h>

#include "market.h"
#include "trading.h"

static Ideas ideas_of(const char *letters) {
    return (Ideas){strchr(letters, 'l') != NULL, strchr(letters, 'o') != NULL, strchr(letters, 'p') != NULL,
                   strchr(letters, 'r') != NULL, strchr(letters, 't') != NULL};
}

enum { EVALUATIONS = 24 }; /* of learner */

static void grab_as_learner(Mind *mind, uint8_t *ranking) {
    const SwGame *game = &mind->game;
    int seats = game->rules.seats, served = game->rules.served, pile = sw_pile(&game->rules);
    float *tastes[SW_MOST_SERVED], sums[SW_MOST_SEATS] = {0};
    uint8_t unseen[SW_MOST_CARDS], hand[SW_MOST_HAND];
    int hidden = unseen_cards(mind, unseen), tries = game->market_turn == pile - 1 ? 1 : EVALUATIONS / seats;
    imagine_all(mind);
    tastes_of(mind, mind->seat, true, tastes);
    for (int number = 0; number < tries; number++) {
        shuffle(unseen, hidden, &mind->random);
        for (int position = 0; position < seats; position++) {
            memcpy(hand, game->hand[mind->seat], (size_t)game->held);
            memcpy(hand + game->held, unseen, (size_t)(pile - game->held));
            hand[pile - 1] = game->market[position];
            Plan plan = plan_of(hand, pile, served, tastes);
            for (int place = 0; place < served; place++) sums[position] += worth(plan.made[place], tastes[place]);
        }
    }
    rank_by(sums, seats, ranking);
}

static void seats_shuffled(uint8_t *cards, int count, uint64_t *random) {
    for (int at = 0; at < count; at++) cards[at] = (uint8_t)at;
    shuffle(cards, count, random);
}

static void hear_of_tastings(Mind *minds, SwGame *game, const SwPalate *palates) {
    int seats = game->rules.seats, round_no = game->round_no;
    while (game->phase == SW_TASTE) {
        uint8_t ranking[SW_MOST_SERVED], makers[SW_MOST_SERVED];
        SwSandwich ranked[SW_MOST_SERVED];
        int taster = game->taster;
        sw_ranking(&palates[taster], game->plate[taster], game->rules.served, ranking);
        for (int rank = 0; rank < game->rules.served; rank++) {
            memcpy(ranked[rank], game->plate[taster][ranking[rank]], 3);
            makers[rank] = (uint8_t)sw_giver(&game->rules, round_no, taster, ranking[rank]);
        }
        for (int seat = 0; seat < seats; seat++) hear_tasting(&minds[seat], taster, ranked, makers);
        sw_taste(game, ranking);
    }
    for (int seat = 0; seat < seats; seat++) hear_end(&minds[seat]);
}

/* Add the points to be expected by the palates that one of the minds imagines. */
static void add_expected(Mind *mind, const SwGame *game, double *expected) {
    imagine_all(mind);
    for (int taster = 0; taster < game->rules.seats; taster++)
        for (int place = 0; place < game->rules.served; place++) {
            int whole = 0;
            for (int sample = 0; sample < SAMPLES; sample++) {
                const float *taste = mind->belief[taster].sample[sample];
                float mine = worth(game->plate[taster][place], taste);
                int above = 0;
                for (int other = 0; other < game->rules.served; other++) above += worth(game->plate[taster][other], taste) > mine;
                whole += game->rules.points[above];
            }
            expected[sw_giver(&game->rules, game->round_no, taster, place)] += (double)whole / SAMPLES;
        }
}

static void play(SwRules rules, const Ideas *ideas, const bool *completes, Limits limits, uint64_t seed, int32_t *scores, double *expected) {
    static Mind minds[SW_MOST_SEATS];
    SwPalate palates[SW_MOST_SEATS];
    SwGame game;
    uint64_t random = seed;
    int seats = rules.seats;
    sw_start(&game, rules);
    for (int seat = 0; seat < seats; seat++) {
        double figures[FIGURES];
        normals(figures, &random);
        for (int card = 0; card < SW_KINDS; card++)
            palates[seat].taste[card] = (int32_t)(1e6 * (figures[sw_family(card)] + 0.5 * figures[SW_FAMILIES + card]));
        begin(&minds[seat], rules, seat, 1, next_random(&random));
        minds[seat].ideas = ideas[seat];
        minds[seat].limits = limits;
    }
    while (game.phase != SW_OVER) {
        uint8_t deck[SW_KINDS], order[SW_MOST_SEATS], rankings[SW_MOST_SEATS][SW_MOST_SEATS];
        Serving servings[SW_MOST_SEATS];
        SwOffer offers[SW_MOST_SEATS];
        SwAnswer answers[SW_MOST_SEATS] = {{0}};
        for (int seat = 0; seat < seats; seat++) minds[seat].game = game;
        switch (game.phase) {
        case SW_DEAL:
            seats_shuffled(deck, SW_KINDS, &random), seats_shuffled(order, seats, &random);
            sw_deal(&game, deck, order);
            break;
        case SW_GRAB:
            for (int seat = 0; seat < seats; seat++)
                if (completes[seat]) grab_as_learner(&minds[seat], rankings[seat]);
                else choose_grab(&minds[seat], rankings[seat]);
            sw_grab(&game, rankings);
            break;
        case SW_OFFER:
            for (int seat = 0; seat < seats; seat++) offers[seat] = choose_offer(&minds[seat]);
            sw_offer(&game, offers);
            break;
        case SW_ANSWER:
            for (int seat = 0; seat < seats; seat++)
                if (sw_answers(&game, seat)) choose_answer(&minds[seat], &answers[seat]);
            sw_answer(&game, answers);
            break;
        case SW_SERVE:
            for (int seat = 0; seat < seats; seat++) choose_serving(&minds[seat], servings[seat]);
            sw_serve(&game, servings);
            add_expected(&minds[0], &game, expected);
            break;
        default:
            hear_of_tastings(minds, &game, palates);
        }
    }
    memcpy(scores, game.scores, sizeof game.scores);
}

int main(int count, char **words) {
    if (count < 7) return fputs("duel EDITION SEATS DEALS WORLDS IDEAS IDEAS [SEED]\n", stderr), 2;
    const char *editions[] = {"fr", "en", "es", "de"};
    int edition = 0, seats = atoi(words[2]), deals = atoi(words[3]);
    while (edition < 3 && strcmp(words[1], editions[edition]) != 0) edition++;
    Ideas both[2] = {ideas_of(words[5]), ideas_of(words[6])};
    uint64_t random = count > 7 ? strtoull(words[7], NULL, 10) : 1;
    double limit = atof(words[4]);
    Limits limits = {1e9, 1e9, (long)limit};
    if (strstr(words[4], "ms") != NULL) limits = (Limits){limit, 1e9, 0};
    double leads = 0, squares = 0, shares = 0, share_squares = 0;
    open_kitchen();
    for (int deal = 0; deal < deals; deal++) {
        double lead = 0, share = 0;
        uint64_t seed = next_random(&random);
        for (int side = 0; side < 2; side++) {
            Ideas ideas[SW_MOST_SEATS];
            bool completes[SW_MOST_SEATS];
            int32_t scores[SW_MOST_SEATS];
            double won = 0, points = 0, expected[SW_MOST_SEATS] = {0};
            int pairs = 0;
            for (int seat = 0; seat < seats; seat++) {
                ideas[seat] = both[(seat + side) % 2];
                completes[seat] = strchr(words[5 + (seat + side) % 2], 'c') != NULL;
            }
            play(sw_edition((SwEdition)edition, seats), ideas, completes, limits, seed, scores, expected);
            for (int one = 0; one < seats; one++)
                for (int other = 0; other < seats; other++)
                    if ((one + side) % 2 == 0 && (other + side) % 2 == 1) {
                        pairs++, points += expected[one] - expected[other];
                        won += scores[one] > scores[other] ? 1 : scores[one] == scores[other] ? 0.5 : 0;
                    }
            lead += points / pairs / 2, share += won / pairs / 2;
        }
        leads += lead, squares += lead * lead, shares += share, share_squares += share * share;
    }
    double mean = leads / deals, part = shares / deals;
    printf("%+.2f ± %.2f points, share %.3f ± %.3f\n", mean, sqrt((squares / deals - mean * mean) / deals), part,
           sqrt((share_squares / deals - part * part) / deals));
    return 0;
}
