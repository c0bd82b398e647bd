/* The weights of quick_play.h, found by tune.c: for 2 seats, and for more. */

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
    {0.00f, 0.12f, -0.03f, -0.85f, 2.58f, -0.05f, 0.39f, -0.81f, 0.00f},
    {0.01f, 0.29f, -0.51f, -0.16f, 0.26f, -0.07f, -0.06f, -1.34f, 0.00f},
    {1.50f, 0.00f, -0.51f, -0.16f, 0.18f, 0.00f, 0.00f, 0.00f, 0.02f},
    {-3.11f, 0.61f, 0.24f, -0.01f, 0.99f, 0.54f, -0.15f, -0.01f, 0.01f},
};

static inline const float (*weights_of(int seats))[COLUMNS] { return seats == 2 ? weights_2 : weights_more; }

#endif
