/* Bread and Chocolate: plays the card that leaves the smallest hand, and discards the lowest numbers. */

#include "arena_kit.h"

#define AVERAGE_COST 8 /* of a card in shram */

static int place(char rank, const char *ranks) { return (int)(strchr(ranks, rank) - ranks); }

/* Return how many cards you draw above, or discard below, when you play this card. */
static int number(const char *card) {
    int steps = place(card[0], "A23456789TJQK");
    return steps < 10 ? steps + 1 : 0;
}

/* Return by how many cards the hand grows when you play a card, in `pagat` and `gamerules`. */
static int hand_growth(const char *card, const char *up) {
    int steps = (place(card[0], "A23456789TJQK") - place(up[0], "A23456789TJQK") + 13) % 13;
    if (steps == 1) return number(card) - 1;      /* one above: draw */
    return steps == 12 ? -number(card) - 1 : -1;  /* one below: discard */
}

/* Return by how much the cost of the hand grows when you play a card, in `shram`. */
static int cost_growth(const char *card, const char *up, const Json *options) {
    static const int ranks[] = {10, 11, 12, 13, 14}, note[] = {10, 10, 10, 10, 11};
    const int *high = is(get(options, "values"), "note") ? note : ranks;
    int cost = strchr("TJQKA", card[0]) != NULL ? high[place(card[0], "TJQKA")] : card[0] - '0';
    bool same_colour = (strchr("dh", card[1]) != NULL) == (strchr("dh", up[1]) != NULL);
    return (same_colour ? cost * AVERAGE_COST : 0) - cost;
}

/* Return the discard of the cards with the lowest numbers: the high ones discard most later. */
static const Json *discard(const Json *hand, long long count) {
    Json *cards = new_array();
    for (int wanted = 0; wanted <= 10; wanted++)
        for each(card, hand) if (number(text(card)) == wanted && cards->count < count) add(cards, card);
    return set(set(new_object(), "type", new_string("discard")), "cards", cards);
}

const Json *choose(const Json *ask, Game *game) {
    const Json *view = get(ask, "view"), *best = NULL;
    const char *up = text(get(view, "up"));
    bool shram = is(get(game->options, "rules"), "shram");
    int least = 0;
    if (is(get(ask, "kind"), "opening")) return set(new_object(), "type", new_string("pass"));
    if (is(get(ask, "kind"), "discard")) return discard(get(view, "hand"), whole(get(view, "discard")));
    for each(move, get(ask, "legal")) {
        const char *card = text(get(move, "card"));
        int growth = shram ? cost_growth(card, up, game->options) : hand_growth(card, up);
        if (best == NULL || growth < least) {
            best = move;
            least = growth;
        }
    }
    return best;
}

#ifndef TEST
int main(void) { return run(choose); }
#endif
