#define TEST
#include "bot.c"

#undef NDEBUG
#include <assert.h>

int main(void) {
    Game *game = new_game("{\"bot_seed\": 1}");

    /* It plays one of the legal moves. */
    const Json *ask = parse("{\"legal\": [{\"card\": \"7\"}, {\"card\": \"8\"}]}");
    for (int time = 0; time < 20; time++) {
        const Json *card = get(choose(ask, game), "card");
        assert(is(card, "7") || is(card, "8"));
    }

    /* Without a list it plays the example. */
    ask = parse("{\"example\": {\"order\": [1, 0]}}");
    assert(whole(at(get(choose(ask, game), "order"), 0)) == 1);

    puts("all tests passed");
    return 0;
}
