/* A bot for any game: it plays a random legal move. */

#include "arena_kit.h"

const Json *choose(const Json *ask, Game *game) {
    const Json *legal = get(ask, "legal");
    if (legal->count > 0) return rng_choice(game, legal);
    return get(ask, "example"); /* there are too many moves to list: build your own in this form */
}

#ifndef TEST
int main(void) { return run(choose); }
#endif
