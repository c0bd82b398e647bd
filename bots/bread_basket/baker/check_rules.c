/* Compares bread_basket.h with Arena's rules: reads test vectors, plays their moves, and looks at every line of them.
 *
 *     cc -O2 -std=c11 -o check_rules check_rules.c
 *     arena games vectors bread-basket --ruleset extra --seats 2 --seats 6 --games 100 | ./check_rules
 *
 * It prints how many decisions were the same, or the first difference with the number of its line, and then exits with 1.
 */

#define _POSIX_C_SOURCE 200809L

#include <stdio.h>

#include "bread_basket.h"
#include "json.h"

static const char *const names[BB_KINDS] = {"O", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "C"};
static long line_number, decisions;

enum { MOST_HANDS = 1000 };
static uint8_t decks[MOST_HANDS][BB_MOST_CARDS];
static int deck_count, cards_of_deck;

static void check(bool same, const char *what) {
    if (same) return;
    printf("line %ld: %s differs\n", line_number, what);
    exit(1);
}

static int card_of(const Json *name) {
    for (int card = 0; card < BB_KINDS; card++)
        if (json_is(name, names[card])) return card;
    check(false, "the name of a card");
    return -1;
}

static int move_of(const Json *move) {
    if (json_is(json_get(move, "type"), "stop")) return BB_STOP;
    if (json_is(json_get(move, "type"), "play")) return card_of(json_get(move, "card"));
    return BB_FETCH + (int)json_number(json_get(move, "position"));
}

static bool same_cards(const Json *list, const uint8_t *cards, int count) {
    int at = 0;
    for (Json *name = json_first(list); name != NULL; name = name->next, at++)
        if (at >= count || card_of(name) != cards[at]) return false;
    return at == count;
}

static bool same_numbers(const Json *list, const BbGame *game, bool scores) {
    int seat = 0;
    for (Json *value = json_first(list); value != NULL && seat < game->seats; value = value->next, seat++)
        if (json_number(value) != (scores ? game->scores[seat] : game->held[seat])) return false;
    return seat == game->seats;
}

/* Keep the decks of all hands of a game, as chance shuffled them. */
static void keep_decks(const Json *chance) {
    deck_count = 0;
    for (Json *deck = json_first(chance); deck != NULL && deck_count < MOST_HANDS; deck = deck->next) {
        uint8_t *cards = decks[deck_count++];
        cards_of_deck = 0;
        for (Json *name = json_first(deck); name != NULL && cards_of_deck < BB_MOST_CARDS; name = name->next)
            cards[cards_of_deck++] = (uint8_t)card_of(name);
    }
}

static void deal_if_due(BbGame *game) {
    if (!bb_deals_next(game)) return;
    check(game->hand_no + 1 < deck_count, "the number of decks");
    bb_deal(game, decks[game->hand_no + 1], cards_of_deck);
}

static void check_view(const BbGame *game, const Json *view) {
    const Json *turn = json_get(view, "turn"), *hand = json_get(view, "hand");
    uint8_t held[BB_KINDS] = {0}, played = (uint8_t)game->played;
    check(json_number(json_get(view, "hand_no")) == game->hand_no, "hand_no");
    check(turn != NULL && (turn->type == JSON_NULL ? game->to_move == BB_NOBODY : json_number(turn) == game->to_move), "turn");
    check(same_cards(json_get(view, "played"), &played, game->played != BB_NOTHING), "played");
    check(same_cards(json_get(view, "line"), game->line, game->line_count), "line");
    check(json_number(json_get(view, "stock")) == game->stock_end - game->stock_at, "stock");
    check(json_number(json_get(view, "aside")) == game->aside, "aside");
    check(same_numbers(json_get(view, "held"), game, false), "held");
    check(same_numbers(json_get(view, "scores"), game, true), "scores");
    if (hand == NULL) return; /* what spectators see */
    for (Json *name = json_first(hand); name != NULL; name = name->next) held[card_of(name)]++;
    check(memcmp(held, game->hand[(int)json_number(json_get(view, "seat"))], sizeof held) == 0, "hand");
}

static void check_turn(const BbGame *game, const Json *asked) {
    int16_t legal[BB_MOST_MOVES];
    int count = bb_legal(game, legal), at = 0;
    check(json_number(json_get(asked, "seat")) == game->to_move, "the seat whose turn it is");
    check(json_is(json_get(asked, "kind"), game->played == BB_NOTHING ? "first_card" : "second_card"), "kind");
    check_view(game, json_get(asked, "view"));
    for (Json *move = json_first(json_get(asked, "legal")); move != NULL; move = move->next, at++)
        check(at < count && move_of(move) == legal[at], "legal");
    check(at == count, "the number of legal moves");
}

int main(void) {
    char *line = NULL;
    size_t size = 0;
    BbGame game;
    bb_start(&game, 2, 0, false);
    while (getline(&line, &size, stdin) > 0) {
        line_number++;
        Json *read = json_read(line);
        const Json *type = json_get(read, "type"), *options = json_get(read, "options");
        check(read != NULL, "what is JSON");
        if (json_is(type, "deal")) {
            check(json_number(json_get(read, "rules_version")) == 1, "the version of the rules");
            keep_decks(json_get(read, "chance"));
            bb_start(&game, json_whole(json_get(read, "seats"), 2, BB_MOST_SEATS),
                     json_whole(json_get(options, "hands"), 1, MOST_HANDS), json_number(json_get(options, "chef_second")) != 0);
            deal_if_due(&game);
        } else if (json_is(type, "turn")) {
            check_turn(&game, json_first(json_get(read, "asks")));
            bb_move(&game, move_of(json_get(json_first(json_get(read, "moves")), "move")));
            deal_if_due(&game);
            check(same_numbers(json_get(read, "scores"), &game, true), "scores after the move");
            decisions++;
        } else if (json_is(type, "end")) {
            check(game.to_move == BB_NOBODY && !bb_deals_next(&game), "the end of the game");
            check_view(&game, json_get(read, "view"));
            check(same_numbers(json_get(read, "scores"), &game, true), "scores at the end");
        }
    }
    printf("%ld decisions are the same\n", decisions);
    free(line);
    return 0;
}
