#define TEST
#include "bot.c"

#undef NDEBUG
#include <assert.h>

int main(void) {
    /* Tricks are worth what the rules say. */
    assert(points_of(parse("[\"5\", \"4\", \"3\"]"), "5") == 9);
    assert(points_of(parse("[\"3\", \"6\", \"7\", \"4\"]"), "3") == 5);
    assert(points_of(parse("[\"9\", \"O\", \"2\"]"), "9") == -1);
    assert(points_of(parse("[\"2\", \"4\", \"5\", \"1\"]"), "2") == 0);
    assert(points_of(parse("[\"4\", \"4\", \"3\"]"), "4") == 0);

    /* It takes the trick with the most points. */
    const Json *ask = parse("{\"kind\": \"first_card\", \"view\": {\"line\": [\"5\", \"4\", \"3\"]}, \"legal\": ["
                            "{\"type\": \"play\", \"card\": \"O\"}, {\"type\": \"play\", \"card\": \"5\"}]}");
    assert(is(get(choose(ask, NULL), "card"), "5"));

    /* Without a trick it plays its lowest card, and then stops. */
    ask = parse("{\"kind\": \"first_card\", \"view\": {\"line\": [\"8\"]}, \"legal\": ["
                "{\"type\": \"play\", \"card\": \"2\"}, {\"type\": \"play\", \"card\": \"9\"}]}");
    assert(is(get(choose(ask, NULL), "card"), "2"));
    ask = parse("{\"kind\": \"second_card\", \"view\": {\"line\": [\"8\"]}, \"legal\": ["
                "{\"type\": \"play\", \"card\": \"9\"}, {\"type\": \"stop\"}]}");
    assert(is(get(choose(ask, NULL), "type"), "stop"));

    puts("all tests passed");
    return 0;
}
