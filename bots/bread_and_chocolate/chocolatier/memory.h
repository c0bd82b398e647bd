/* What one seat knows of a hand, and guesses of the rest: a Markov chain over all histories that fit what it saw.
 *
 * A history says where each card was at each time: `where[card][time]`. A new time begins with each event that changes
 * another player's hand; places in the piles keep their numbers for ever, as nothing is shuffled. The places of cards
 * that this seat saw are known, and so is all that happened to the cards there.
 *
 * A step takes two cards and a stretch of time in which they were apart, from one moment when both were in the same hidden
 * hand, or from the deal, to the next such moment, or to the present. In this stretch they change roles, unless one of
 * them was at a known place. The same step leads back, so all histories are equally likely. But a player who had to draw
 * held no card that fits: a history with such a fault isn't told, though the chain may pass through some.
 */

#ifndef MEMORY_H
#define MEMORY_H

#include <math.h>

#include "bread_and_chocolate.h"
#include "random.h"

enum {
    MOST_TIMES = 1024,
    MOST_LACKS = 1024,
    KNOWN = 0x8000,     /* added to a place whose card was seen */
    FIRST_PLACE = 8,    /* smaller numbers are the hands of seats */
    BURN_IN = 12,       /* sweeps after news, before the next history is told */
    PATIENCE = 2000,    /* sweeps in vain, after which it gives up */
    MOST_RUNS = 16
};

#define FAULT 5.5f      /* the logarithm of how much less likely a history is for each fault */
#define HOT 0.4f        /* the same for some time, when no way leads to a history without a fault */

/* Cards that a player lacked at a time. */
typedef struct {
    int time, seat;
    uint64_t cards;
} Lack;

typedef struct {
    int count;
    uint16_t at[BC_CARDS];
} Places;

typedef struct {
    const BcRules *rules;
    int seat, seats;
    int now, places;            /* the last time; the number of the next place */
    Places stock, up, down;     /* in the order of BcPile */
    int held[BC_MOST_SEATS], top;
    bool spread, lost, news;    /* lost: it knows no history; news: something happened since the last one was told */
    int lack_count, faults;
    float heat;
    int live_count, loose_count;
    uint8_t live[BC_CARDS], loose[BC_CARDS]; /* cards that weren't always known; those that aren't now */
    Lack lacks[MOST_LACKS];
    uint16_t where[BC_CARDS][MOST_TIMES];
    uint8_t card_there[KNOWN]; /* by place, as the last guess has it */
} Memory;

static inline int card_at(const Memory *memory, int place) {
    for (int card = 0; card < BC_CARDS; card++)
        if ((memory->where[card][memory->now] & ~KNOWN) == place) return card;
    return 0;
}

/* ---- steps of the chain ---- */

/* How many faults a history gains if two cards change roles for a time. */
static inline int more_faults(const Memory *memory, int one, int two, int from, int end) {
    int faults = 0;
    for (int at = memory->lack_count - 1; at >= 0 && memory->lacks[at].time >= from; at--) {
        const Lack *lack = &memory->lacks[at];
        if (lack->time >= end) continue;
        int came = (memory->where[one][lack->time] == lack->seat) - (memory->where[two][lack->time] == lack->seat);
        faults += came * ((int)(lack->cards >> two & 1) - (int)(lack->cards >> one & 1));
    }
    return faults;
}

static inline void exchange(Memory *memory, int one, int two, int from, int end) {
    uint16_t *row = memory->where[one], *other = memory->where[two];
    for (int time = from; time < end; time++) {
        uint16_t place = row[time];
        row[time] = other[time];
        other[time] = place;
    }
}

/* Try one step with two cards. */
static inline void step(Memory *memory, int one, int two, uint64_t *random) {
    const uint16_t *row = memory->where[one], *other = memory->where[two];
    int begins[MOST_RUNS], ends[MOST_RUNS], runs = 0;
    for (int time = 0; time <= memory->now && runs < MOST_RUNS;) {
        int known = 0, from = time;
        for (; time <= memory->now && row[time] != other[time]; time++) known |= row[time] | other[time];
        if (time > from && !(known & KNOWN)) begins[runs] = from, ends[runs++] = time;
        time++;
    }
    if (runs == 0) return;
    int run = runs > 1 ? random_below(random, runs) : 0;
    int faults = more_faults(memory, one, two, begins[run], ends[run]);
    if (faults > 0 && random_part(random) >= expf(-memory->heat * (float)faults)) return;
    memory->faults += faults;
    exchange(memory, one, two, begins[run], ends[run]);
}

static inline void sweep(Memory *memory, uint64_t *random) {
    for (int number = 0; number < memory->loose_count; number++) {
        int one = number % 4 != 0 ? memory->loose[number] : memory->live[random_below(random, memory->live_count)];
        int two = memory->live[random_below(random, memory->live_count)];
        if (one != two) step(memory, one, two, random);
    }
}

static inline void find_loose(Memory *memory) {
    memory->live_count = memory->loose_count = 0;
    for (int card = 0; card < BC_CARDS; card++) {
        const uint16_t *row = memory->where[card];
        int known = KNOWN;
        for (int time = 0; time <= memory->now; time++) known &= row[time];
        if (!known) memory->live[memory->live_count++] = (uint8_t)card;
        if (!(row[memory->now] & KNOWN)) memory->loose[memory->loose_count++] = (uint8_t)card;
    }
}

static inline void set_heat(Memory *memory, int sweeps) { memory->heat = sweeps % 24 < 16 ? FAULT : HOT; }

/* Go on until there is no fault, or patience ends. */
static inline void mend(Memory *memory, uint64_t *random) {
    for (int sweeps = 0; memory->faults > 0 && sweeps < PATIENCE; sweeps++) {
        set_heat(memory, sweeps);
        sweep(memory, random);
    }
    memory->heat = FAULT;
}

/* ---- what it hears ---- */

static inline void begin_time(Memory *memory) {
    if (memory->now + 1 == MOST_TIMES) {
        memory->lost = true;
        return;
    }
    for (int card = 0; card < BC_CARDS; card++) memory->where[card][memory->now + 1] = memory->where[card][memory->now];
    memory->now++;
}

/* Change the history such that a card is at a place from the last moment when it was with the card there. */
static inline bool bring(Memory *memory, int card, int place) {
    int other = card_at(memory, place), from = memory->now + 1, known = 0;
    if (other == card) return true;
    for (; from > 0 && memory->where[card][from - 1] != memory->where[other][from - 1]; from--)
        known |= memory->where[card][from - 1] | memory->where[other][from - 1];
    if (known & KNOWN) return false;
    memory->faults += more_faults(memory, card, other, from, memory->now + 1);
    exchange(memory, card, other, from, memory->now + 1);
    return true;
}

/* Hear which card lies at a place. */
static inline void see(Memory *memory, int card, int place, uint64_t *random) {
    uint16_t *row = memory->where[card];
    if (row[memory->now] != (place | KNOWN)) {
        find_loose(memory);
        for (int sweeps = 0; !bring(memory, card, place); sweeps++) {
            if (sweeps == PATIENCE) {
                memory->lost = true;
                return;
            }
            set_heat(memory, sweeps);
            sweep(memory, random);
        }
        memory->heat = FAULT;
    }
    for (int time = memory->now; time >= 0; time--)
        if ((row[time] & ~KNOWN) == place) row[time] |= KNOWN;
    memory->news = true;
}

static inline void add_lack(Memory *memory, int seat, uint64_t cards) {
    if (cards == 0 || memory->lack_count == MOST_LACKS) return;
    memory->lacks[memory->lack_count++] = (Lack){memory->now, seat, cards};
    for (; cards != 0; cards &= cards - 1) memory->faults += memory->where[bc_lowest(cards)][memory->now] == seat;
}

/* Put a card from a pile's list of places there, or a new place on a pile. */
static inline uint16_t new_place(Memory *memory, Places *pile) {
    uint16_t place = (uint16_t)memory->places++;
    if (memory->places == KNOWN || pile->count == BC_CARDS) memory->lost = true;
    else pile->at[pile->count++] = place;
    return place;
}

/* Let a card of a hidden hand go to a place: this card, or any if it is -1. */
static inline void leave(Memory *memory, int seat, int card, int place, uint64_t *random) {
    uint8_t hand[BC_CARDS];
    int count = 0;
    for (int own = 0; own < BC_CARDS; own++)
        if (memory->where[own][memory->now] == seat) hand[count++] = (uint8_t)own;
    if (count == 0) {
        memory->lost = true;
        return;
    }
    shuffle(hand, count, random);
    int gone = hand[0];
    for (int at = 0; at < count && card >= 0; at++) { /* best itself, or one that may have had its role until now */
        int known = 0, from = memory->now;
        if (hand[at] == card) {
            gone = card;
            break;
        }
        for (; from >= 0 && memory->where[card][from] != memory->where[hand[at]][from]; from--)
            known |= memory->where[card][from] | memory->where[hand[at]][from];
        if (!(known & KNOWN)) gone = hand[at];
    }
    memory->where[gone][memory->now] = (uint16_t)place;
}

static inline void turn_over(Places *pile) {
    for (int low = 0, high = pile->count - 1; low < high; low++, high--) {
        uint16_t place = pile->at[low];
        pile->at[low] = pile->at[high];
        pile->at[high] = place;
    }
}

/* Forget everything but the table as it is now: hand, top, numbers of cards. */
static inline void look_only(Memory *memory, uint64_t hand, int top, const int *held, int stock, int up, int down,
                             uint64_t *random) {
    uint8_t cards[BC_CARDS];
    int left = 0, counts[] = {stock, up - 1, down};
    Places *piles[] = {&memory->stock, &memory->up, &memory->down};
    for (int card = 0; card < BC_CARDS; card++)
        if (card != top && !(hand >> card & 1)) cards[left++] = (uint8_t)card;
    shuffle(cards, left, random);
    memory->now = memory->lack_count = memory->faults = 0;
    memory->places = FIRST_PLACE;
    memory->heat = FAULT;
    memory->lost = false;
    memory->news = true;
    memory->top = top;
    for (int pile = 0; pile < 3; pile++) {
        piles[pile]->count = 0;
        while (counts[pile]-- > 0 && left > 0) memory->where[cards[--left]][0] = new_place(memory, piles[pile]);
    }
    memory->where[top][0] = new_place(memory, &memory->up) | KNOWN;
    for (int seat = 0; seat < memory->seats; seat++) {
        memory->held[seat] = held[seat];
        for (int at = 0; at < held[seat] && left > 0 && seat != memory->seat; at++)
            memory->where[cards[--left]][0] = (uint16_t)seat;
    }
    for (; hand != 0; hand &= hand - 1) memory->where[bc_lowest(hand)][0] = (uint16_t)(memory->seat | KNOWN);
    if (left > 0) memory->lost = true;
}

/* The cards of this seat. */
static inline uint64_t own_hand(const Memory *memory) {
    uint64_t hand = 0;
    for (int card = 0; card < BC_CARDS; card++)
        if (memory->where[card][memory->now] == (memory->seat | KNOWN)) hand |= bc_bit(card);
    return hand;
}

/* Hear an event; its cards are -1, in effect, if `shown` is false. What was dealt is told by `look_only`. */
static inline void hear(Memory *memory, const BcEvent *event, bool shown, uint64_t *random) {
    int seat = event->seat;
    bool own = seat == memory->seat;
    if (memory->lost) return;
    memory->news = true;
    switch (event->kind) {
    case BC_SPREADS:
        for (int at = 0; at < event->count && memory->stock.count > 0 && !memory->lost; at++) {
            memory->up.at[memory->up.count++] = memory->stock.at[--memory->stock.count];
            see(memory, memory->top = event->cards[at], memory->up.at[memory->up.count - 1], random);
        }
        break;
    case BC_FLIPPED: {
        uint16_t *up = &memory->up.at[memory->up.count - 1], *down = &memory->down.at[memory->down.count - 1], place = *up;
        *up = *down;
        *down = place;
        see(memory, memory->top = event->cards[0], *up, random);
        break;
    }
    case BC_PLAYED: {
        int card = event->cards[0];
        uint16_t place = new_place(memory, &memory->up);
        if (memory->lost) return;
        if (own) {
            memory->where[card][memory->now] = place | KNOWN;
        } else {
            begin_time(memory);
            if (memory->lost) return;
            leave(memory, seat, card, place, random);
            see(memory, card, place, random);
        }
        memory->held[seat]--;
        memory->spread = bc_rank(card) == bc_rank(memory->top);
        memory->top = card;
        break;
    }
    case BC_STUCK:
        if (!own) add_lack(memory, seat, bc_reach(memory->rules, memory->top, memory->spread, memory->held[seat]));
        if (memory->rules->source == BC_GAMERULES) memory->spread = false;
        break;
    case BC_DREW:
        memory->held[seat] += event->count;
        if (!own) begin_time(memory);
        for (int at = 0; at < event->count && memory->stock.count > 0 && !memory->lost; at++) {
            int place = memory->stock.at[--memory->stock.count];
            if (own && shown) see(memory, event->cards[at], place, random);
            memory->where[card_at(memory, place)][memory->now] = (uint16_t)(own ? seat | KNOWN : seat);
        }
        break;
    case BC_DISCARDED:
        memory->held[seat] -= event->count;
        if (!own) begin_time(memory);
        for (int at = 0; at < event->count && !memory->lost; at++) {
            uint16_t place = new_place(memory, &memory->down);
            if (own) memory->where[event->cards[at]][memory->now] = place | KNOWN;
            else leave(memory, seat, -1, place, random);
        }
        break;
    case BC_RESET: {
        Places left = memory->stock;
        turn_over(&memory->up);
        turn_over(&memory->down);
        memory->stock = memory->up;
        memory->up = memory->down;
        memory->down = left;
        memory->spread = false;
        if (memory->up.count > 0) see(memory, memory->top = event->cards[0], memory->up.at[memory->up.count - 1], random);
        break;
    }
    case BC_REFILLED: {
        uint16_t top = memory->up.at[memory->up.count - 1];
        memory->up.count--;
        turn_over(&memory->up);
        memory->stock = memory->up;
        memory->up.count = 1;
        memory->up.at[0] = top;
        break;
    }
    default:
        break;
    }
    if (!memory->lost && memory->faults > 0) {
        find_loose(memory);
        mend(memory, random);
    }
}

/* ---- what it guesses ---- */

/* Go on to another history, and write the cards of all hands and piles into a game. It has to be found, not lost. */
static inline void guess(Memory *memory, BcGame *game, int sweeps, uint64_t *random) {
    if (memory->news) find_loose(memory), sweeps = BURN_IN;
    memory->news = false;
    while (sweeps-- > 0) sweep(memory, random);
    mend(memory, random);
    memset(game->hand, 0, sizeof game->hand);
    const Places *from[] = {&memory->stock, &memory->up, &memory->down};
    BcPile *to[] = {&game->stock, &game->up, &game->down};
    for (int card = 0; card < BC_CARDS; card++) {
        int place = memory->where[card][memory->now] & ~KNOWN;
        if (place < FIRST_PLACE) game->hand[place] |= bc_bit(card);
        else memory->card_there[place] = (uint8_t)card;
    }
    for (int pile = 0; pile < 3; pile++) {
        to[pile]->count = (uint8_t)from[pile]->count;
        for (int at = 0; at < from[pile]->count; at++) to[pile]->cards[at] = memory->card_there[from[pile]->at[at]];
    }
}

#endif
