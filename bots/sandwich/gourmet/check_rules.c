/* Compares sandwich.h with Arena's rules: reads test vectors, plays their moves, and looks at every line of them.
 *
 *     cc -O2 -std=c11 -o check_rules check_rules.c -lm
 *     arena games vectors sandwich --ruleset en --seats 3 --seats 6 --games 100 | ./check_rules
 *
 * It prints how many decisions were the same, or the first difference with the number of its line, and then exits with 1.
 */

#define _POSIX_C_SOURCE 200809L

#include <stdio.h>

#include "messages.h"

static long line_number, decisions;

static void check(bool same, const char *what) {
    if (same) return;
    printf("line %ld: %s differs\n", line_number, what);
    exit(1);
}

/* What chance decided in a game. */
enum { MOST_ROUNDS = 32 };
static uint8_t decks[MOST_ROUNDS][SW_MOST_CARDS], grab_orders[MOST_ROUNDS][SW_MOST_SEATS];
static uint8_t shown[MOST_ROUNDS][SW_MOST_SEATS][SW_MOST_SERVED];
static SwPalate palates[SW_MOST_SEATS];
static bool is_free, is_open;

static void keep_chance(const Json *chance, const SwRules *rules) {
    char name[40];
    check(rules->rounds <= MOST_ROUNDS, "the number of rounds, 32 at most,");
    for (int round = 0; round < rules->rounds; round++) {
        snprintf(name, sizeof name, "deck/%d", round);
        check(read_cards(json_get(chance, name), decks[round], SW_MOST_CARDS) >= rules->seats * sw_pile(rules), "the deck");
        snprintf(name, sizeof name, "grab_order/%d", round);
        check(read_numbers(json_get(chance, name), grab_orders[round], SW_MOST_SEATS, rules->seats) == rules->seats, "the grab order");
        for (int seat = 0; seat < rules->seats && is_free; seat++) {
            snprintf(name, sizeof name, "shown/%d/%d", round, seat);
            read_numbers(json_get(chance, name), shown[round][seat], SW_MOST_SERVED, rules->served);
        }
    }
}

/* Do what needs no decision: deal, and taste by palates. */
static void go_on(SwGame *game) {
    while (game->phase == SW_TASTE && !is_free) {
        uint8_t ranking[SW_MOST_SERVED];
        sw_ranking(&palates[game->taster], game->plate[game->taster], game->rules.served, ranking);
        sw_taste(game, ranking);
    }
    if (game->phase == SW_DEAL) sw_deal(game, decks[game->round_no + 1], grab_orders[game->round_no + 1]);
}

static bool same_cards(const Json *list, const uint8_t *cards, int count) {
    uint8_t read[SW_MOST_CARDS];
    return read_cards(list, read, SW_MOST_CARDS) == count && memcmp(read, cards, (size_t)count) == 0;
}

static bool same_number(const Json *value, int number, bool there) {
    return value != NULL && (value->type == JSON_NULL ? !there : there && json_number(value) == number);
}

static bool same_scores(const Json *list, const SwGame *game) {
    int seat = 0;
    for (Json *value = json_first(list); value != NULL && seat < game->rules.seats; value = value->next, seat++)
        if (json_number(value) != game->scores[seat]) return false;
    return seat == game->rules.seats;
}

static void check_view(const SwGame *game, const Json *view) {
    static const char *const phases[] = {"deal", "grab", "offer", "answer", "serve", "taste", "over"};
    const SwRules *rules = &game->rules;
    bool market = game->phase == SW_GRAB, trading = game->phase == SW_OFFER || game->phase == SW_ANSWER;
    uint8_t order[SW_MOST_SEATS], read[SW_MOST_SEATS];
    check(json_number(json_get(view, "round_no")) == game->round_no, "round_no");
    check(json_number(json_get(view, "rounds")) == rules->rounds, "rounds");
    check(json_is(json_get(view, "phase"), phases[game->phase]), "phase");
    check(same_number(json_get(view, "market_turn"), game->market_turn, market), "market_turn");
    check(same_number(json_get(view, "trade_round"), game->trade_round, trading), "trade_round");
    check(same_cards(json_get(view, "market"), game->market, market ? rules->seats : 0), "market");
    check(json_number(json_get(view, "pile")) == (market ? sw_pile(rules) - game->market_turn - 1 : 0), "pile");
    for (int place = 0; place < rules->seats; place++) order[place] = (uint8_t)sw_grabber(game, place);
    check(read_numbers(json_get(view, "grab_order"), read, SW_MOST_SEATS, SW_MOST_SEATS) == rules->seats &&
              memcmp(read, order, (size_t)rules->seats) == 0, "grab_order");
    int seat = 0;
    for (Json *hand = json_first(json_get(view, "hands")); hand != NULL; hand = hand->next, seat++)
        check(seat < rules->seats && same_cards(hand, game->hand[seat], game->held), "hands");
    check(same_scores(json_get(view, "scores"), game), "scores");
    SwOffer offers[SW_MOST_SEATS];
    int count = read_offers(json_get(view, "offers"), offers, rules->seats);
    check(count == game->offer_count && memcmp(offers, game->offers, (size_t)count * sizeof *offers) == 0, "offers");
    check(same_number(json_get(view, "taster"), game->taster, game->phase == SW_TASTE), "taster");
    if (game->phase == SW_TASTE) {
        SwSandwich plate[SW_MOST_SERVED];
        check(read_sandwiches(json_get(view, "read_out"), plate, SW_MOST_SERVED) == rules->served, "read_out");
        for (int place = 0; place < rules->served; place++)
            check(memcmp(plate[place], game->plate[game->taster][shown[game->round_no][game->taster][place]], 3) == 0, "read_out");
    }
    seat = 0;
    for (Json *plate = json_first(json_get(view, "plates")); plate != NULL; plate = plate->next, seat++) {
        int waiting = game->phase == SW_TASTE && seat > game->taster ? rules->served : 0, place = 0;
        for (Json *one = json_first(plate); one != NULL; one = one->next, place++)
            check(place < waiting && (is_open ? same_cards(one, game->plate[seat][place], 3) : one->type == JSON_NULL), "plates");
        check(place == waiting, "plates");
    }
    const Json *own = json_get(view, "seat");
    if (own == NULL) return; /* what spectators see */
    uint8_t receivers[SW_MOST_SERVED];
    check(read_numbers(json_get(view, "receivers"), receivers, SW_MOST_SERVED, rules->seats) == rules->served, "receivers");
    for (int place = 0; place < rules->served; place++)
        check(receivers[place] == sw_receiver(rules, game->round_no, (int)json_number(own), place), "receivers");
}

static void check_asks(const SwGame *game, const Json *asks) {
    int seat = 0;
    for (Json *asked = json_first(asks); asked != NULL; asked = asked->next, seat++, decisions++) {
        while (seat < game->rules.seats && ((game->phase == SW_ANSWER && !sw_answers(game, seat)) ||
                                            (game->phase == SW_TASTE && seat != game->taster)))
            seat++;
        check(json_number(json_get(asked, "seat")) == seat, "the seat that decides");
        check_view(game, json_get(asked, "view"));
    }
    check(json_count(asks) == (game->phase == SW_TASTE ? 1 : json_count(asks)), "who decides");
    check(game->phase == SW_TASTE || game->phase == SW_ANSWER || seat == game->rules.seats, "who decides");
    while (game->phase == SW_ANSWER && seat < game->rules.seats) check(!sw_answers(game, seat++), "who decides");
}

static void make_moves(SwGame *game, const Json *moves) {
    uint8_t orders[SW_MOST_SEATS][SW_MOST_SEATS] = {{0}}, ranking[SW_MOST_SERVED] = {0};
    SwOffer offers[SW_MOST_SEATS];
    SwAnswer answers[SW_MOST_SEATS] = {{0}};
    SwSandwich servings[SW_MOST_SEATS][SW_MOST_SERVED];
    int seats = game->rules.seats;
    for (int seat = 0; seat < seats; seat++) offers[seat].to = SW_NOBODY;
    for (Json *made = json_first(moves); made != NULL; made = made->next) {
        int seat = json_whole(json_get(made, "seat"), 0, seats - 1);
        const Json *move = json_get(made, "move"), *type = json_get(move, "type");
        if (json_is(type, "grab")) read_numbers(json_get(move, "order"), orders[seat], SW_MOST_SEATS, seats);
        else if (json_is(type, "offer"))
            offers[seat] = (SwOffer){(int8_t)seat, (int8_t)json_whole(json_get(move, "to"), 0, seats - 1),
                                     (uint8_t)card_of(json_get(move, "give")), (uint8_t)card_of(json_get(move, "want"))};
        else if (json_is(type, "answer"))
            answers[seat].count = (int8_t)read_numbers(json_get(move, "accept"), answers[seat].accept, SW_MOST_SEATS, seats);
        else if (json_is(type, "serve"))
            check(read_sandwiches(json_get(move, "sandwiches"), servings[seat], SW_MOST_SERVED) == game->rules.served, "a serving");
        else if (json_is(type, "taste")) {
            read_numbers(json_get(move, "ranking"), ranking, SW_MOST_SERVED, game->rules.served);
            for (int rank = 0; rank < game->rules.served; rank++)
                ranking[rank] = shown[game->round_no][game->taster][ranking[rank]];
        }
    }
    if (game->phase == SW_GRAB) sw_grab(game, orders);
    else if (game->phase == SW_OFFER) sw_offer(game, offers);
    else if (game->phase == SW_ANSWER) sw_answer(game, answers);
    else if (game->phase == SW_SERVE) sw_serve(game, servings);
    else if (game->phase == SW_TASTE) sw_taste(game, ranking);
    go_on(game);
}

int main(void) {
    char *line = NULL;
    size_t size = 0;
    SwGame game;
    sw_start(&game, sw_edition(SW_FR, 3));
    while (getline(&line, &size, stdin) > 0) {
        line_number++;
        Json *read = json_read(line);
        const Json *type = json_get(read, "type"), *options = json_get(read, "options");
        check(read != NULL, "what is JSON");
        if (json_is(type, "deal")) {
            int seats = json_whole(json_get(read, "seats"), 3, SW_MOST_SEATS), seat = 0;
            check(json_number(json_get(read, "rules_version")) == 1, "the version of the rules");
            is_free = json_is(json_get(options, "tasting"), "free");
            is_open = json_number(json_get(options, "open")) != 0;
            sw_start(&game, read_rules(options, seats));
            keep_chance(json_get(read, "chance"), &game.rules);
            for (Json *own = json_first(json_get(read, "private")); own != NULL && seat < seats; own = own->next)
                palates[seat++] = read_palate(own);
            go_on(&game);
        } else if (json_is(type, "turn")) {
            check_asks(&game, json_get(read, "asks"));
            make_moves(&game, json_get(read, "moves"));
            check(same_scores(json_get(read, "scores"), &game), "scores after the moves");
        } else if (json_is(type, "end")) {
            check(game.phase == SW_OVER, "the end of the game");
            check_view(&game, json_get(read, "view"));
            check(same_scores(json_get(read, "scores"), &game), "scores at the end");
        }
    }
    printf("%ld decisions are the same\n", decisions);
    free(line);
    return 0;
}
