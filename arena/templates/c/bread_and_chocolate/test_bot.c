#define TEST
#include "bot.c"

#undef NDEBUG
#include <assert.h>

int main(void) {
    /* It would rather discard than draw. */
    Game *game = new_game("{\"options\": {\"rules\": \"pagat\"}}");
    const Json *ask = parse("{\"kind\": \"play\", \"view\": {\"up\": \"8h\"}, \"legal\": ["
                            "{\"type\": \"play\", \"card\": \"7c\"}, {\"type\": \"play\", \"card\": \"9d\"}]}");
    assert(is(get(choose(ask, game), "card"), "7c"));

    /* It discards the lowest numbers. */
    ask = parse("{\"kind\": \"discard\", \"view\": {\"hand\": [\"2c\", \"Kd\", \"9d\", \"Ts\"], \"discard\": 2}}");
    const Json *cards = get(choose(ask, game), "cards");
    assert(cards->count == 2 && is(at(cards, 0), "Kd") && is(at(cards, 1), "2c"));

    /* In shram it prefers the other colour. */
    game = new_game("{\"options\": {\"rules\": \"shram\", \"values\": \"ranks\"}}");
    ask = parse("{\"kind\": \"play\", \"view\": {\"up\": \"8h\"}, \"legal\": ["
                "{\"type\": \"play\", \"card\": \"7d\"}, {\"type\": \"play\", \"card\": \"9c\"}]}");
    assert(is(get(choose(ask, game), "card"), "9c"));

    puts("all tests passed");
    return 0;
}
