#define TEST
#include "bot.c"

#undef NDEBUG
#include <assert.h>

static const char *START =
    "{\"seat\": 0, \"private\": {"
    " \"families\": {\"cheese\": [\"brie\", \"feta\"], \"fish\": [\"tuna\", \"trout\"], \"fruit\": [\"fig\", \"pear\"]},"
    " \"pairs\": {\"cheese\": {\"cheese\": 0, \"fish\": -1, \"fruit\": 1},"
    "             \"fish\": {\"cheese\": -1, \"fish\": 0.5, \"fruit\": -1},"
    "             \"fruit\": {\"cheese\": 1, \"fish\": -1, \"fruit\": 0}},"
    " \"likings\": {\"cheese\": 1, \"fish\": -1, \"fruit\": 0}, \"quirks\": {}}}";

int main(void) {
    Game *game = new_game(START);

    /* It reaches first for what goes with its hand. */
    const Json *ask = parse("{\"kind\": \"grab\", \"view\": {\"market\": [\"tuna\", \"fig\", \"feta\"],"
                            " \"hands\": [[\"brie\"], [], []]}}");
    const Json *order = get(choose(ask, game), "order");
    assert(whole(at(order, 0)) == 1 && whole(at(order, 1)) == 2 && whole(at(order, 2)) == 0);

    /* It serves each card once, the best sandwich first. */
    ask = parse("{\"kind\": \"serve\", \"view\": {\"hands\": ["
                "[\"brie\", \"tuna\", \"fig\", \"feta\", \"trout\", \"pear\"]]}}");
    const Json *served = get(choose(ask, game), "sandwiches"), *first = at(served, 0), *second = at(served, 1);
    assert(served->count == 2);
    assert(is(at(first, 0), "brie") && is(at(first, 1), "fig") && is(at(first, 2), "feta"));
    assert(is(at(second, 0), "tuna") && is(at(second, 1), "trout") && is(at(second, 2), "pear"));

    /* It ranks what it tastes by its own palate. */
    ask = parse("{\"kind\": \"taste\", \"view\": {\"hands\": [[]], \"read_out\": ["
                "[\"tuna\", \"trout\", \"fig\"], [\"brie\", \"feta\", \"pear\"]]}}");
    const Json *ranking = get(choose(ask, game), "ranking");
    assert(whole(at(ranking, 0)) == 1 && whole(at(ranking, 1)) == 0);

    puts("all tests passed");
    return 0;
}
