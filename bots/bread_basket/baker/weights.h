/* The weights of quick_play.h, for 2 seats and for more: rows are kinds of moves, columns are features.
 *
 * tune.c has found them from a first guess in 350 and 300 rounds; the rank of a card, say, hardly counts for a first card,
 * and the own next trick a lot. Those for more seats were found at tables of four.
 */

#ifndef WEIGHTS_H
#define WEIGHTS_H

#include "quick_play.h"

static const Weights weights_2 = {
    {0.00f, 1.00f, 0.02f, -1.10f, 0.86f, -0.04f, 0.37f, -0.42f, 0.00f},
    {0.12f, 0.57f, -0.52f, 0.09f, 0.20f, -0.07f, -0.10f, -1.67f, 0.00f},
    {2.02f, 0.00f, -0.20f, -0.56f, 0.01f, 0.00f, 0.00f, 0.00f, -0.10f},
    {-5.35f, 0.60f, 0.24f, 0.33f, 0.86f, 1.01f, -0.12f, 0.57f, 0.24f},
};
static const Weights weights_more = {
    {0.00f, 1.41f, -0.00f, -1.67f, 1.27f, -0.02f, 0.55f, -0.91f, 0.00f},
    {0.19f, 1.49f, -0.30f, -0.50f, 0.22f, -0.20f, -0.07f, -1.12f, 0.00f},
    {1.95f, 0.00f, -0.11f, 0.44f, -0.27f, 0.00f, 0.00f, 0.00f, -0.02f},
    {-3.56f, 0.49f, -0.32f, -0.38f, 1.11f, 0.84f, -0.93f, 0.50f, 0.35f},
};

static inline const float (*weights_of(int seats))[COLUMNS] { return seats == 2 ? weights_2 : weights_more; }

#endif
