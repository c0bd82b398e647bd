/* gourmet: a bot for Sandwich, in C.
 *
 *     sandwich.h   the rules, usable alone
 *     palates.h    palates that agree with all tastings
 *     kitchen.h    what sandwiches are worth, and all ways to make them of a hand
 *     mind.h       what it knows of tasters and cooks, and what it serves
 *     market.h     what it grabs: it plays the market on to the serving, many times
 *     trading.h    what it offers and accepts
 *     messages.h, json.h   read Arena's messages
 *
 * This file talks with Arena. Arguments: --ms N, the milliseconds of CPU time for each grab (default: a thirtieth of the
 * time for a move), and --worlds N, the most playouts for each card of a market; without --ms, it makes them all, however
 * long that takes, and plays the same game again. Other decisions take some milliseconds.
 */

#define _POSIX_C_SOURCE 200809L

#include <stdio.h>

#include "messages.h"
#include "trading.h"

static Mind mind;
static SwPalate palate;            /* its own */
static SwOffer offers[SW_MOST_SEATS]; /* of the present trade round */
static int offer_count;
static double ms_wanted;           /* --ms; 0 if it wasn't given */
static long most_worlds;

static void hear(const Json *event) {
    const Json *kind = json_get(event, "kind");
    int seats = mind.game.rules.seats;
    if (json_is(kind, "dealt")) {
        mind.game.round_no = (int16_t)json_whole(json_get(event, "round_no"), 0, 999);
    } else if (json_is(kind, "tasted")) {
        SwSandwich ranked[SW_MOST_SERVED];
        uint8_t makers[SW_MOST_SERVED];
        int taster = json_whole(json_get(event, "taster"), 0, seats - 1), served = mind.game.rules.served;
        if (read_sandwiches(json_get(event, "sandwiches"), ranked, SW_MOST_SERVED) == served &&
            read_numbers(json_get(event, "makers"), makers, SW_MOST_SERVED, seats) == served)
            hear_tasting(&mind, taster, ranked, makers);
    } else if (json_is(kind, "round_ended")) {
        hear_end(&mind);
    } else if (json_is(kind, "offered")) {
        offer_count = read_offers(json_get(event, "offers"), offers, seats);
    } else if (json_is(kind, "traded")) {
        uint8_t done[SW_MOST_SEATS] = {0};
        for (Json *trade = json_first(json_get(event, "trades")); trade != NULL; trade = trade->next)
            done[json_whole(json_get(trade, "number"), 0, SW_MOST_SEATS - 1)] = 1;
        hear_trades(&mind, offers, offer_count, done);
    }
}

/* Take the table as a view shows it. */
static void look_at(const Json *view) {
    SwGame *game = &mind.game;
    uint8_t order[SW_MOST_SEATS];
    int seats = game->rules.seats, seat = 0;
    bool market = json_is(json_get(view, "phase"), "grab");
    game->phase = market ? SW_GRAB : SW_SERVE;
    game->round_no = (int16_t)json_whole(json_get(view, "round_no"), 0, 999);
    game->market_turn = (int8_t)json_whole(json_get(view, "market_turn"), 0, SW_MOST_HAND - 1);
    read_cards(json_get(view, "market"), game->market, seats);
    if (read_numbers(json_get(view, "grab_order"), order, SW_MOST_SEATS, seats) == seats)
        for (int place = 0; place < seats; place++)
            game->grab_order[(place + (market ? game->market_turn : 0)) % seats] = order[place];
    for (Json *hand = json_first(json_get(view, "hands")); hand != NULL && seat < seats; hand = hand->next)
        game->held = (int8_t)read_cards(hand, game->hand[seat++], SW_MOST_HAND);
    game->offer_count = (int8_t)read_offers(json_get(view, "offers"), game->offers, seats);
    seat = 0;
    for (Json *value = json_first(json_get(view, "scores")); value != NULL && seat < seats; value = value->next)
        game->scores[seat++] = json_whole(value, 0, INT32_MAX / 2);
}

/* ---- talking with Arena ---- */

static void start(const Json *message) {
    const Json *options = json_get(message, "options");
    int seats = json_whole(json_get(message, "seats"), 3, SW_MOST_SEATS);
    begin(&mind, read_rules(options, seats), json_whole(json_get(message, "seat"), 0, seats - 1),
          json_whole(json_get(options, "boxes"), 1, 2), (uint64_t)json_number(json_get(message, "bot_seed")));
    palate = read_palate(json_get(message, "private"));
    offer_count = 0;
}

static void write_numbers(const uint8_t *numbers, int count) {
    for (int at = 0; at < count; at++) printf("%s%d", at ? "," : "", numbers[at]);
}

static void write_grab(void) {
    uint8_t ranking[SW_MOST_SEATS];
    choose_grab(&mind, ranking);
    printf("{\"type\":\"grab\",\"order\":[");
    write_numbers(ranking, mind.game.rules.seats);
    printf("]},\"note\":\"%ld worlds\"}\n", mind.worlds);
}

static void write_serving(void) {
    Serving serving;
    choose_serving(&mind, serving);
    printf("{\"type\":\"serve\",\"sandwiches\":[");
    for (int place = 0; place < mind.game.rules.served; place++)
        printf("%s[\"%s\",\"%s\",\"%s\"]", place ? "," : "", sw_names[serving[place][0]], sw_names[serving[place][1]],
               sw_names[serving[place][2]]);
    puts("]}}");
}

static void write_offer(void) {
    SwOffer offer = choose_offer(&mind);
    if (offer.to == SW_NOBODY) puts("{\"type\":\"no_offer\"}}");
    else
        printf("{\"type\":\"offer\",\"to\":%d,\"give\":\"%s\",\"want\":\"%s\"}}\n", offer.to, sw_names[offer.give], sw_names[offer.want]);
}

static void write_answer(void) {
    SwAnswer accepted;
    choose_answer(&mind, &accepted);
    printf("{\"type\":\"answer\",\"accept\":[");
    write_numbers(accepted.accept, accepted.count);
    puts("]}}");
}

/* In free tasting it ranks by its own palate. */
static void write_ranking(const Json *view) {
    SwSandwich plate[SW_MOST_SERVED];
    uint8_t ranking[SW_MOST_SERVED];
    int count = read_sandwiches(json_get(view, "read_out"), plate, SW_MOST_SERVED);
    sw_ranking(&palate, plate, count, ranking);
    printf("{\"type\":\"taste\",\"ranking\":[");
    write_numbers(ranking, count);
    puts("]}}");
}

static void answer(const Json *ask) {
    const Json *time = json_get(ask, "time"), *view = json_get(ask, "view"), *kind = json_get(ask, "kind");
    double move_ms = json_number(json_get(time, "move_ms")), bank_ms = json_number(json_get(time, "bank_ms"));
    mind.limits = (Limits){
        .cpu_ms = ms_wanted > 0 ? ms_wanted : move_ms / 30 + bank_ms / 10000,
        .wall_ms = move_ms / 2 + bank_ms / 50, /* never near the limit, even on a busy machine */
        .worlds = most_worlds,
    };
    if (most_worlds > 0 && ms_wanted == 0) mind.limits.cpu_ms = mind.limits.wall_ms = 1e9;
    look_at(view);
    printf("{\"type\":\"move\",\"id\":%.0f,\"move\":", json_number(json_get(ask, "id")));
    if (json_is(kind, "grab")) write_grab();
    else if (json_is(kind, "serve")) write_serving();
    else if (json_is(kind, "offer")) write_offer();
    else if (json_is(kind, "answer")) write_answer();
    else write_ranking(view);
}

int main(int count, char **words) {
    for (int at = 1; at < count; at += 2) {
        char *end = NULL;
        double number = at + 1 < count ? strtod(words[at + 1], &end) : 0;
        bool is_ms = strcmp(words[at], "--ms") == 0;
        if (!is_ms && strcmp(words[at], "--worlds") != 0)
            return fprintf(stderr, "gourmet: no such argument: %s; there are --ms N and --worlds N\n", words[at]), 2;
        if (end == NULL || *end != '\0' || !(number > 0 && number < 1e9))
            return fprintf(stderr, "gourmet: %s needs a number above 0\n", words[at]), 2;
        if (is_ms) ms_wanted = number;
        else most_worlds = (long)ceil(number);
    }
    char *line = NULL;
    size_t size = 0;
    open_kitchen();
    while (getline(&line, &size, stdin) > 0) {
        Json *message = json_read(line);
        const Json *type = json_get(message, "type");
        if (message == NULL) return fputs("gourmet: a message is no JSON\n", stderr), 1;
        if (json_is(type, "start")) start(message); /* before the events of the deal */
        for (Json *event = json_first(json_get(message, "events")); event != NULL; event = event->next) hear(event);
        if (json_is(type, "hello")) puts("{\"type\":\"hello\",\"protocol\":1}");
        else if (json_is(type, "start")) puts("{\"type\":\"ready\"}");
        else if (json_is(type, "ask")) answer(message);
        else if (json_is(type, "quit")) break;
        fflush(stdout);
    }
    free(line);
    return 0;
}
