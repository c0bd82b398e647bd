/* Sandwich: combines ingredients that go well together, and never trades. */

#include "arena_kit.h"

#define MOST 64 /* more than there are cards in a hand, positions in a market or sandwiches to taste */

static const char *family_of(const Json *card, const Game *game) {
    for each(family, get(game->private_, "families"))
        for each(other, family) if (is(other, text(card))) return family->key;
    return "";
}

/* Return how well two ingredients go together. */
static double pair(const Json *one, const Json *other, const Game *game) {
    return get(get(get(game->private_, "pairs"), family_of(one, game)), family_of(other, game))->number;
}

/* Return how well a card goes with the two cards of the hand that suit it best. */
static double best_pairs(const Json *card, const Json *hand, const Game *game) {
    double best = -1e9, second = -1e9;
    for each(other, hand) {
        double fit = pair(card, other, game);
        if (fit > best) {
            second = best;
            best = fit;
        } else if (fit > second) second = fit;
    }
    return (hand->count > 0 ? best : 0) + (hand->count > 1 ? second : 0);
}

static double together(const Json *a, const Json *b, const Json *c, const Game *game) {
    return pair(a, b, game) + pair(a, c, game) + pair(b, c, game);
}

/* Return the worth of a sandwich to your own palate. */
static double worth_to_me(const Json *sandwich, const Game *game) {
    double worth = together(at(sandwich, 0), at(sandwich, 1), at(sandwich, 2), game);
    for each(card, sandwich) {
        worth += get(get(game->private_, "likings"), family_of(card, game))->number;
        worth += get(get(game->private_, "quirks"), text(card))->number;
    }
    return worth;
}

/* Return the positions of `count` values, the highest first. */
static Json *highest_first(const double *values, int count) {
    Json *order = new_array();
    bool used[MOST] = {false};
    for (int turn = 0; turn < count; turn++) {
        int best = -1;
        for (int place = 0; place < count; place++)
            if (!used[place] && (best < 0 || values[place] > values[best])) best = place;
        used[best] = true;
        add(order, new_number(best));
    }
    return order;
}

/* Make sandwiches of all cards, each the best possible from the cards that are left. */
static Json *sandwiches(const Json *hand, const Game *game) {
    const Json *left[MOST];
    int count = 0;
    for each(card, hand) if (count < MOST) left[count++] = card;
    Json *made = new_array();
    while (count >= 3) {
        int best[3] = {0, 1, 2}, kept = 0;
        double most = -1e9;
        for (int a = 0; a < count; a++)
            for (int b = a + 1; b < count; b++)
                for (int c = b + 1; c < count; c++) {
                    double worth = together(left[a], left[b], left[c], game);
                    if (worth > most) {
                        most = worth;
                        best[0] = a, best[1] = b, best[2] = c;
                    }
                }
        add(made, add(add(add(new_array(), left[best[0]]), left[best[1]]), left[best[2]]));
        for (int place = 0; place < count; place++)
            if (place != best[0] && place != best[1] && place != best[2]) left[kept++] = left[place];
        count = kept;
    }
    return made;
}

const Json *choose(const Json *ask, Game *game) {
    const Json *view = get(ask, "view"), *kind = get(ask, "kind"), *hand = at(get(view, "hands"), game->seat);
    double values[MOST];
    int count = 0;
    if (is(kind, "grab")) {
        for each(card, get(view, "market")) if (count < MOST) values[count++] = best_pairs(card, hand, game);
        return set(set(new_object(), "type", new_string("grab")), "order", highest_first(values, count));
    }
    if (is(kind, "offer")) return set(new_object(), "type", new_string("no_offer"));
    if (is(kind, "answer")) return set(set(new_object(), "type", new_string("answer")), "accept", new_array());
    if (is(kind, "serve"))
        return set(set(new_object(), "type", new_string("serve")), "sandwiches", sandwiches(hand, game));
    for each(sandwich, get(view, "read_out")) if (count < MOST) values[count++] = worth_to_me(sandwich, game);
    return set(set(new_object(), "type", new_string("taste")), "ranking", highest_first(values, count));
}

#ifndef TEST
int main(void) { return run(choose); }
#endif
