/* Finds the weights of quick_play.h by playing: policy iteration, with least squares.
 *
 *     cc -O2 -std=c11 -o tune tune.c -lm && ./tune RULES SEATS ROUNDS [POSITIONS] [SEED]
 *
 * In each round it plays hands, and at some decisions tries every move: it makes the move and plays on by the present
 * weights to the end of the hand, a few times with the same chance for all moves. By how many points a move was better
 * than the mean of all moves there is then explained by the features of both, in least squares (ridge regression); the
 * solution is the next weights (Lagoudakis and Parr, "Least-Squares Policy Iteration", 2003, with rollouts for values).
 * It prints the best weights of all rounds, and on standard error by how many points a hand they beat a greedy player.
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "quick_play.h"
#include "weights.h"

enum { TRIES = 12, DISCARDS = 6, RIDGE = 200 };

static double normal[FEATURES][FEATURES + 1];
static BcRules rules;
static int seats;
static const char *const names[] = {"pagat", "gamerules", "shram"};

static void deal(BcGame *game, uint64_t *random) {
    uint8_t deck[BC_CARDS];
    bc_start(game, &rules, seats, seats);
    game->hand_no = (int16_t)(random_below(random, seats) - 1);
    for (int card = 0; card < BC_CARDS; card++) deck[card] = (uint8_t)card;
    shuffle(deck, BC_CARDS, random);
    bc_deal(game, deck);
}

/* By how much a seat leads the mean of the others. */
static double lead(const BcGame *game, int seat) {
    double others = 0;
    for (int other = 0; other < seats; other++) others += other == seat ? 0 : game->scores[other];
    return game->scores[seat] - others / (seats - 1);
}

static int candidates(const BcGame *game, BcMove moves[], const Weights *weights, uint64_t *random) {
    int count = bc_legal(game, moves);
    for (; count < (game->owed > 0 ? DISCARDS : 0) && bc_size(game->hand[game->to_move]) > game->owed; count++) {
        uint8_t cards[BC_CARDS], held = 0;
        moves[count] = (BcMove){.kind = BC_DISCARD, .count = game->owed};
        for (uint64_t hand = game->hand[game->to_move]; hand != 0; hand &= hand - 1) cards[held++] = (uint8_t)bc_lowest(hand);
        shuffle(cards, held, random);
        memcpy(moves[count].cards, cards, (size_t)game->owed);
        if (count == 0) moves[0] = quick_move(game, weights, 0, random);
    }
    return count;
}

/* Add the features of a move to a row. */
static void add_features(const BcGame *game, BcMove move, double row[FEATURES], double part) {
    if (move.kind == BC_PLAY) {
        Sight sight = sight_of(game);
        int features[PLAY_FEATURES];
        features_of(&sight, move.cards[0], features);
        for (int at = 0; at < PLAY_FEATURES; at++) row[features[at]] += part;
    } else if (move.kind == BC_DISCARD) {
        uint64_t hand = game->hand[game->to_move];
        for (int at = 0; at < move.count; at++) hand &= ~bc_bit(move.cards[at]);
        for (; hand != 0; hand &= hand - 1) row[KEEP + bc_rank(bc_lowest(hand)) * 2 + bc_red(bc_lowest(hand))] += part;
    } else {
        row[open_feature(game, move.kind)] += part;
    }
}

/* Try every move of a position, and add what came of it to the equations. */
static void learn(const BcGame *game, const Weights *weights, uint64_t *random) {
    BcMove moves[BC_MOST_MOVES];
    double found[BC_MOST_MOVES] = {0}, mean = 0, average[FEATURES] = {0};
    int count = candidates(game, moves, weights, random), seat = game->to_move;
    if (count < 2) return;
    for (int try = 0; try < TRIES; try++) {
        uint64_t chance = next_random(random);
        for (int at = 0; at < count; at++) {
            BcGame copy = *game;
            uint64_t same = chance;
            bc_move(&copy, moves[at]);
            while (copy.to_move != BC_NOBODY) bc_move(&copy, quick_move(&copy, weights, 0.2f, &same));
            found[at] += lead(&copy, seat) / TRIES;
        }
    }
    for (int at = 0; at < count; at++) {
        mean += found[at] / count;
        add_features(game, moves[at], average, 1.0 / count);
    }
    for (int at = 0; at < count; at++) {
        double row[FEATURES];
        int used[FEATURES], uses = 0;
        for (int one = 0; one < FEATURES; one++) row[one] = -average[one];
        add_features(game, moves[at], row, 1);
        double rest = found[at] - mean; /* what the present weights don't explain */
        for (int one = 0; one < FEATURES; one++)
            if (row[one] != 0) rest -= row[one] * (double)weights->of[one], used[uses++] = one;
        for (int one = 0; one < uses; one++) {
            for (int other = 0; other < uses; other++) normal[used[one]][used[other]] += row[used[one]] * row[used[other]];
            normal[used[one]][FEATURES] += row[used[one]] * rest;
        }
    }
}

/* Solve the equations by elimination; the ridge keeps them solvable. */
static void solve(Weights *weights) {
    for (int one = 0; one < FEATURES; one++) normal[one][one] += RIDGE;
    for (int pivot = 0; pivot < FEATURES; pivot++)
        for (int row = 0; row < FEATURES; row++) {
            double factor = row == pivot ? 0 : normal[row][pivot] / normal[pivot][pivot];
            for (int at = pivot; at <= FEATURES && factor != 0; at++) normal[row][at] -= factor * normal[pivot][at];
        }
    for (int one = 0; one < FEATURES; one++) weights->of[one] += (float)(normal[one][FEATURES] / normal[one][one]);
    memset(normal, 0, sizeof normal);
    sort_cards(weights);
}

/* By how many points a hand a player at every second seat beats the others. */
static double margin(const Weights *some, const Weights *others, int deals, uint64_t seed, double *error) {
    double sum = 0, squares = 0;
    for (int number = 0; number < deals; number++) {
        uint64_t random = seed * 1000003u + (uint64_t)number;
        double points = 0;
        BcGame dealt;
        deal(&dealt, &random);
        for (int side = 0; side < seats; side++) { /* alone at each seat */
            BcGame game = dealt;
            while (game.to_move != BC_NOBODY)
                bc_move(&game, quick_move(&game, game.to_move == side ? some : others, 0.1f, &random));
            points += lead(&game, side) / seats;
        }
        sum += points;
        squares += points * points;
    }
    double mean = sum / deals;
    *error = sqrt((squares / deals - mean * mean) / deals);
    return mean;
}

int main(int count, char **words) {
    if (count < 4) return fputs("tune RULES SEATS ROUNDS [POSITIONS] [SEED]\n", stderr), 2;
    int source = 0;
    while (source < 2 && strcmp(words[1], names[source]) != 0) source++;
    seats = atoi(words[2]);
    int positions = count > 4 ? atoi(words[4]) : 20000;
    uint64_t random = count > 5 ? strtoull(words[5], NULL, 10) : 1;
    bc_rules(&rules, (BcSource)source, false, source == BC_SHRAM ? 0 : 10, source == BC_SHRAM ? 40 * seats : 500);
    Weights now = *weights_of(&rules), best = now, greedy;
    double error, points, most = 0;
    be_greedy(&greedy, &rules);
    for (int round = 0; round < atoi(words[3]); round++) {
        for (int number = 0; number < positions;) {
            BcGame game;
            deal(&game, &random);
            while (game.to_move != BC_NOBODY) {
                if (random_below(&random, game.opening > 0 ? 2 : 6) == 0) learn(&game, &now, &random), number++;
                bc_move(&game, quick_move(&game, &now, 0.5f, &random));
            }
        }
        solve(&now);
        points = margin(&now, &greedy, 10000, 98, &error);
        fprintf(stderr, "round %d: %+.2f points\n", round + 1, points);
        if (points > most) most = points, best = now;
    }
    points = margin(&best, &greedy, 20000, 99, &error);
    fprintf(stderr, "%+.2f points a hand against greedy play, standard error %.2f\n", points, error);
    for (int at = 0; at < FEATURES; at++) printf("%s%.2ff,", at % 13 ? " " : at ? "\n    " : "    ", (double)best.of[at]);
    puts("");
    return 0;
}
