/* Bread Basket: takes the trick with the most points, or else plays its lowest card. */

#include "arena_kit.h"

#define LONGEST 128 /* no line has as many cards */

static int rank(const char *card) {
    if (*card == 'O') return 0;
    return *card == 'C' ? 10 : atoi(card);
}

static int value(const char *card) { return *card == 'O' ? -5 : rank(card); }

/* Return the points that a card brings at the end of the line. */
static int points_of(const Json *line, const char *card) {
    const char *cards[LONGEST];
    int count = 0, end = rank(card);
    for each(other, line) if (count < LONGEST) cards[count++] = text(other);
    int start = count - 1;
    while (start >= 0 && rank(cards[start]) != end) start--;
    int inside = count - 1 - start, lower = 0, higher = 0, points = 2;
    if (start < 0 || inside < 2) return 0;
    for (int place = start + 1; place < count; place++) {
        lower += rank(cards[place]) < end;
        higher += rank(cards[place]) > end;
        points += value(cards[place]);
    }
    if (lower == inside) return points;      /* a sandwich */
    return higher == inside ? inside + 2 : 0; /* a soup */
}

const Json *choose(const Json *ask, Game *game) {
    const Json *legal = get(ask, "legal"), *line = get(get(ask, "view"), "line"), *best = NULL;
    int most = 0;
    (void)game;
    for each(move, legal) {
        if (!is(get(move, "type"), "play")) continue;
        int points = points_of(line, text(get(move, "card")));
        if (points > most) {
            best = move;
            most = points;
        }
    }
    if (best != NULL) return best;
    if (is(get(ask, "kind"), "second_card")) return set(new_object(), "type", new_string("stop"));
    return at(legal, 0); /* the lowest card */
}

#ifndef TEST
int main(void) { return run(choose); }
#endif
