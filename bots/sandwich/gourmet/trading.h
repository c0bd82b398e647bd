/* Trades: offers what gains most points if it is accepted, as likely as that is, and accepts what gains points. */

#ifndef TRADING_H
#define TRADING_H

#include "market.h"

enum {
    ROUGHLY = 4,     /* every fourth palate judges a trade */
    IMAGINED_ROUGHLY = 16,
    MOST_TRADES = 24 /* trades that are judged by points */
};
static const float least_gain = 0.05f; /* in points */

/* The points that a seat can expect with these hands and rivals. */
static inline float outlook(Mind *mind, Rivals *rivals) {
    static Values points;
    uint8_t chosen[SW_MOST_SERVED];
    points_of(mind, mind->game.hand[mind->seat], rivals, ROUGHLY, points);
    return best_serving(sw_pile(&mind->game.rules), points, chosen);
}

static inline void swap_cards(SwGame *game, int seat, int give, int other, int want) {
    sw_replace(game->hand[seat], game->held, give, want);
    sw_replace(game->hand[other], game->held, want, give);
}

/* The points to be expected if two seats exchange two cards; `rivals` are those before. */
static inline float outlook_after(Mind *mind, const Rivals *rivals, int give, int other, int want) {
    static Rivals after;
    SwGame before = mind->game;
    after = *rivals;
    swap_cards(&mind->game, mind->seat, give, other, want);
    if (is_rival(mind, other)) {
        imagine_servings(mind, other, mind->game.hand[other], after.serving[other], after.count);
        shuffle_servings(after.serving[other], after.count, &mind->random);
    }
    float points = outlook(mind, &after);
    mind->game = before;
    return points;
}

/* What a plan gains if one card replaces another, and nothing else changes. */
static inline float plan_gain(const Plan *plan, int served, float *const *tastes, int gone, int come) {
    float best = -1e9f;
    for (int place = 0; place < served; place++)
        for (int at = 0; at < 3; at++) {
            uint8_t three[3];
            memcpy(three, plan->made[place], 3);
            if (three[at] != gone) continue;
            three[at] = (uint8_t)come;
            best = fmaxf(best, worth(three, tastes[place]) - worth(plan->made[place], tastes[place]));
        }
    return best;
}

typedef struct {
    SwOffer offer;
    float promise; /* before it is judged by points */
    float chance;
} Trade;

static inline void keep_trade(Trade *trades, int *count, Trade one) {
    int at = *count < MOST_TRADES ? (*count)++ : MOST_TRADES - 1;
    if (at == MOST_TRADES - 1 && trades[at].promise >= one.promise && trades[at].chance > 0) return;
    for (; at > 0 && trades[at - 1].promise < one.promise; at--) trades[at] = trades[at - 1];
    trades[at] = one;
}

/* Choose an offer; its `to` is SW_NOBODY if none promises a gain. */
static inline SwOffer choose_offer(Mind *mind) {
    static Rivals rivals;
    const SwGame *game = &mind->game;
    int seats = game->rules.seats, served = game->rules.served, own = mind->seat, count = 0;
    SwOffer best = {.to = SW_NOBODY};
    Trade trades[MOST_TRADES] = {{.chance = 0}};
    float *tastes[SW_MOST_SEATS][SW_MOST_SERVED], highest = least_gain;
    Plan plans[SW_MOST_SEATS];
    if (!mind->ideas.trades) return best;
    imagine_all(mind);
    for (int seat = 0; seat < seats; seat++) {
        tastes_of(mind, seat, true, tastes[seat]);
        plans[seat] = plan_of(game->hand[seat], game->held, served, tastes[seat]);
    }
    for (int to = 0; to < seats; to++) {
        const Cook *cook = &mind->cook[to];
        float open = (cook->accepted + 1) / (cook->accepted + cook->refused + 1.5f);
        for (int mine = 0; to != own && mine < game->held; mine++)
            for (int its = 0; its < game->held; its++) {
                int give = game->hand[own][mine], want = game->hand[to][its];
                if (give == want) continue;
                float gain = plan_gain(&plans[own], served, tastes[own], give, want);
                float theirs = plan_gain(&plans[to], served, tastes[to], want, give);
                if (theirs < 0 || gain < -0.3f) continue;
                Trade one = {{(int8_t)own, (int8_t)to, (uint8_t)give, (uint8_t)want}, 0, open / (1 + expf((0.2f - theirs) * 12))};
                one.promise = one.chance * (gain + 0.3f);
                keep_trade(trades, &count, one);
            }
    }
    if (count == 0) return best;
    rivals.count = IMAGINED_ROUGHLY;
    imagine_rivals(mind, &rivals);
    float now = outlook(mind, &rivals);
    for (int at = 0; at < count; at++) {
        SwOffer offer = trades[at].offer;
        float gain = outlook_after(mind, &rivals, offer.give, offer.to, offer.want) - now;
        if (gain > least_gain && gain * trades[at].chance > highest * 0.5f) highest = 2 * gain * trades[at].chance, best = offer;
    }
    return best;
}

/* Choose which offers to accept: again and again the one that gains most. */
static inline void choose_answer(Mind *mind, SwAnswer *answer) {
    static Rivals rivals;
    SwGame before = mind->game;
    bool taken[SW_MOST_SEATS] = {false};
    answer->count = 0;
    if (!mind->ideas.trades) return;
    imagine_all(mind);
    rivals.count = IMAGINED_ROUGHLY;
    for (;;) {
        int found = -1;
        imagine_rivals(mind, &rivals);
        float highest = outlook(mind, &rivals) + least_gain;
        for (int number = 0; number < before.offer_count; number++) {
            SwOffer offer = before.offers[number];
            if (offer.to != mind->seat || taken[number]) continue;
            if (!sw_holds(&mind->game, mind->seat, offer.want) || !sw_holds(&mind->game, offer.seat, offer.give)) continue;
            float points = outlook_after(mind, &rivals, offer.want, offer.seat, offer.give);
            if (points > highest) highest = points, found = number;
        }
        if (found < 0) break;
        SwOffer offer = before.offers[found];
        swap_cards(&mind->game, mind->seat, offer.want, offer.seat, offer.give);
        taken[found] = true;
        answer->accept[answer->count++] = (uint8_t)found;
    }
    mind->game = before;
}

/* Hear which offers were accepted: others that refuse what gains them are asked less often. */
static inline void hear_trades(Mind *mind, const SwOffer *offers, int count, const uint8_t *done) {
    for (int number = 0; number < count; number++) {
        if (offers[number].seat != mind->seat) continue;
        Cook *cook = &mind->cook[offers[number].to];
        if (done[number]) cook->accepted++;
        else cook->refused++;
    }
}

#endif
