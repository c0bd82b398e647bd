/* Finds the weights of quick_play.h: hands against itself, the better variants averaged, again and again.
 *
 *     cc -O2 -std=c11 -o tune tune.c -lm && ./tune SEATS ROUNDS [SEED]
 *
 * starts from weights.h and prints a table for it, and on standard error by how many points a hand these weights beat a
 * plain greedy player. The same arguments give the same table; a round takes half a second. With 0 rounds it only
 * measures. It is an evolution strategy (Rechenberg, 1973): 14 variants of the weights play 600 deals against the current
 * ones, each deal twice with the sides exchanged, and the four best are averaged. Weights that are 0 stay 0.
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "quick_play.h"
#include "weights.h"

enum { VARIANTS = 14, PARENTS = 4, DEALS = 600 };

typedef struct {
    Weights weights;
    double margin;
} Variant;

/* Takes what it can, and otherwise plays any card. */
static int greedy_move(const BbGame *game, uint64_t *random) {
    Offers offers;
    const uint8_t *hand = game->hand[game->to_move];
    int best = 0, move = BB_STOP;
    offers_of(game->line, game->line_count, &offers);
    for (int card = 0; card < BB_KINDS; card++)
        if (hand[card] > 0 && offers.now[bb_rank(card)] > best) best = offers.now[bb_rank(card)], move = card;
    if (move == BB_STOP && game->played == BB_NOTHING) {
        int left = random_below(random, game->held[game->to_move]);
        for (move = 0; left >= hand[move]; move++) left -= hand[move];
    }
    return move;
}

static int move_by(const Variant *player, const BbGame *game, uint64_t *random) {
    return player == NULL ? greedy_move(game, random) : quick_move(game, player->weights, 0, random);
}

/* By how many points a hand the players at every second seat beat the others; NULL is the greedy player. */
static double margin(const Variant *some, const Variant *others, int seats, int deals, uint64_t seed, double *error) {
    double sum = 0, squares = 0;
    for (int number = 0; number < deals; number++) {
        uint8_t deck[BB_MOST_CARDS];
        uint64_t random = seed * 1000003u + (uint64_t)number;
        int cards = bb_deck(BB_TENS, deck), points = 0;
        shuffle(deck, cards, &random);
        for (int side = 0; side < 2; side++) {
            BbGame game;
            bb_start(&game, seats, 1, false);
            bb_deal(&game, deck, cards);
            while (game.to_move != BB_NOBODY)
                bb_move(&game, move_by((game.to_move + side) % 2 ? others : some, &game, &random));
            for (int seat = 0; seat < seats; seat++)
                points += (seat + side) % 2 ? -game.scores[seat] : game.scores[seat];
        }
        double each = (double)points / seats;
        sum += each;
        squares += each * each;
    }
    double mean = sum / deals;
    if (error != NULL) *error = sqrt((squares / deals - mean * mean) / deals);
    return mean;
}

static double normal(uint64_t *random) {
    double one = (double)(next_random(random) >> 11) * 0x1p-53 + 1e-18, two = (double)(next_random(random) >> 11) * 0x1p-53;
    return sqrt(-2 * log(one)) * cos(6.283185307179586 * two);
}

static int better(const void *one, const void *other) {
    double difference = ((const Variant *)other)->margin - ((const Variant *)one)->margin;
    return difference > 0 ? 1 : difference < 0 ? -1 : 0;
}

int main(int count, char **words) {
    if (count < 3) return fputs("tune SEATS ROUNDS [SEED]; SEATS is 2, 4 or 6\n", stderr), 2;
    int seats = atoi(words[1]);
    uint64_t random = count > 3 ? strtoull(words[3], NULL, 10) : 1;
    static Variant now, variants[VARIANTS];
    memcpy(now.weights, weights_of(seats), sizeof now.weights);
    double step = 0.5, error;
    for (int round = 0; round < atoi(words[2]); round++) {
        uint64_t seed = next_random(&random) >> 20;
        for (int number = 0; number < VARIANTS; number++) {
            Variant *one = &variants[number];
            *one = now;
            for (int at = 0; at < ROWS * COLUMNS; at++) {
                float *weight = &one->weights[0][0] + at;
                if (*weight != 0) *weight += (float)(step * (0.2 + 0.3 * fabs(*weight)) * normal(&random));
            }
            one->margin = margin(one, &now, seats, DEALS, seed, NULL) + 0.3 * margin(one, NULL, seats, DEALS / 3, seed + 5, NULL);
        }
        qsort(variants, VARIANTS, sizeof *variants, better);
        for (int at = 0; at < ROWS * COLUMNS; at++) {
            float sum = 0;
            for (int number = 0; number < PARENTS; number++) sum += (&variants[number].weights[0][0])[at];
            (&now.weights[0][0])[at] = sum / PARENTS;
        }
        step = step > 0.08 ? step * 0.985 : 0.08;
    }
    double points = margin(&now, NULL, seats, 3000, 99, &error);
    fprintf(stderr, "%+.2f points a hand against greedy play, standard error %.2f\n", points, error);
    for (int row = 0; row < ROWS; row++) {
        printf("    {");
        for (int column = 0; column < COLUMNS; column++) printf("%s%.2ff", column ? ", " : "", (double)now.weights[row][column]);
        puts("},");
    }
    return 0;
}
