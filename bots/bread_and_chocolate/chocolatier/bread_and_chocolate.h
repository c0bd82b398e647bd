/* Bread and Chocolate in C: its rules, complete, in one file that needs nothing but C11.
 *
 * All three rulesets (pagat and gamerules for 2 seats, shram for 2 to 5) with all their options. The rules in words are
 * Arena's page on Bread and Chocolate (rules version 1, sources 001, 003 and 004); in every ruleset this file makes the
 * moves of Arena's own rules.
 *
 *     static BcRules rules;
 *     bc_rules(&rules, BC_PAGAT, false, 10, 500);  whose rules, values of the note, going_out, turn_limit
 *     BcGame game;
 *     bc_start(&game, &rules, 2, 10);              2 seats, 10 hands
 *     uint8_t deck[BC_CARDS];
 *     while (bc_deals_next(&game)) {
 *         for (int card = 0; card < BC_CARDS; card++) deck[card] = card;  shuffle it as you like
 *         bc_deal(&game, deck);
 *         while (game.to_move != BC_NOBODY) {
 *             BcMove legal[BC_MOST_MOVES];
 *             int count = bc_legal(&game, legal);
 *             bc_move(&game, legal[0]);            any of them
 *         }
 *     }                                            game.scores has the result
 *
 * A card is a number, 4 * rank + suit: ranks from 0 for an ace to 12 for a king, suits c d h s. A hand is a set of cards,
 * one bit each. A game is a plain struct: copy it with `=` to play on in a copy. `bc_move` doesn't check its move, and so
 * is quick enough for playouts. If `game.log` is set, it is called with everything that happens.
 */

#ifndef BREAD_AND_CHOCOLATE_H
#define BREAD_AND_CHOCOLATE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    BC_CARDS = 52,
    BC_MOST_SEATS = 5,
    BC_MOST_MOVES = BC_CARDS,
    BC_MOST_DISCARDS = 10,
    BC_HAND_SIZE = 6,
    BC_ROOM = BC_MOST_DISCARDS + 1, /* a hand of at least so many cards has room for every discard */
    BC_NOBODY = -1
};

typedef enum { BC_PAGAT, BC_GAMERULES, BC_SHRAM } BcSource;
typedef enum { BC_PLAY, BC_DISCARD, BC_DRAW, BC_SPREAD, BC_FLIP, BC_PASS } BcKind;

typedef struct {
    int8_t kind;  /* a BcKind */
    int8_t count; /* of cards: 1 to play, several to discard, otherwise 0 */
    uint8_t cards[BC_MOST_DISCARDS];
} BcMove;

typedef struct {
    BcSource source;
    int going_out, turn_limit;
    uint64_t reach[2][BC_ROOM + 1][BC_CARDS]; /* [spread][cards held][top]: the cards that fit on the top */
    int8_t effect[BC_CARDS][BC_CARDS];        /* [top][card]: how many cards to draw or, below 0, to discard */
    int8_t cost[BC_CARDS];                    /* of a card that is left in a hand */
} BcRules;

typedef enum {
    BC_DEALT, BC_SPREADS, BC_FLIPPED, BC_PASSED, BC_PLAYED, BC_STUCK, BC_DREW, BC_DISCARDED, BC_RESET, BC_REFILLED, BC_ENDED
} BcEventKind;

/* One event of Arena, with its cards: all that were turned up, drawn or discarded; the one played; the new top. */
typedef struct {
    BcEventKind kind;
    int seat, count;
    uint8_t cards[BC_CARDS];
} BcEvent;

typedef struct {
    uint8_t count;
    uint8_t cards[BC_CARDS];
} BcPile;

typedef struct BcGame {
    const BcRules *rules;
    void (*log)(void *reader, const struct BcGame *game, const BcEvent *event); /* or NULL */
    void *reader;
    int8_t seats;
    int8_t to_move;                  /* whose turn it is; BC_NOBODY between hands and when the game is over */
    int8_t opening;                  /* how many players may still act in the opening */
    int8_t owed;                     /* how many cards have to be discarded now */
    bool spread;                     /* whether any card of the top's rank fits */
    int16_t hands, hand_no;          /* in the whole game; the current one, from 0, or -1 before the first */
    int16_t turns;                   /* made in this hand */
    uint64_t hand[BC_MOST_SEATS];
    BcPile stock, up, down;          /* the last card of the stock is drawn first; the last of the others is their top */
    int32_t scores[BC_MOST_SEATS];
} BcGame;

static inline int bc_rank(int card) { return card / 4; }
static inline bool bc_red(int card) { return card % 4 == 1 || card % 4 == 2; }
static inline uint64_t bc_bit(int card) { return (uint64_t)1 << card; }
static inline int bc_size(uint64_t hand) { return __builtin_popcountll(hand); }
static inline int bc_lowest(uint64_t hand) { return __builtin_ctzll(hand); } /* of a hand with cards */
static inline int bc_top(const BcPile *pile) { return pile->cards[pile->count - 1]; }

/* The number of a card in pagat and gamerules: an ace 1, 2 to 10 as printed, J Q K none. */
static inline int bc_number(int card) { return bc_rank(card) < 10 ? bc_rank(card) + 1 : 0; }

/* How high a card is in shram: 0 for a 2 to 12 for an ace. */
static inline int bc_height(int card) { return (bc_rank(card) + 12) % 13; }

/* Fill in the tables of a ruleset. `note`: courts cost 10 and aces 11 in shram, not 11 to 14. */
static inline void bc_rules(BcRules *rules, BcSource source, bool note, int going_out, int turn_limit) {
    memset(rules, 0, sizeof *rules);
    rules->source = source;
    rules->going_out = going_out;
    rules->turn_limit = turn_limit;
    for (int card = 0; card < BC_CARDS; card++) {
        int cost = bc_height(card) + 2;
        if (note && cost > 10) cost = cost == 14 ? 11 : 10;
        rules->cost[card] = (int8_t)(source == BC_SHRAM ? cost : 1);
    }
    for (int top = 0; top < BC_CARDS; top++)
        for (int card = 0; card < BC_CARDS; card++) {
            int above = (bc_rank(card) - bc_rank(top) + 13) % 13, step = bc_height(card) - bc_height(top);
            if (source == BC_SHRAM)
                rules->effect[top][card] = bc_red(card) == bc_red(top) ? rules->cost[card] : 0;
            else
                rules->effect[top][card] = (int8_t)(above == 1 ? bc_number(card) : above == 12 ? -bc_number(card) : 0);
            for (int spread = 0; spread < 2; spread++)
                for (int held = 0; held <= BC_ROOM && card != top; held++) {
                    bool fits = above == 1 || (above == 12 && bc_number(card) <= held - 1) ||
                                (above == 0 && (spread || (bc_red(top) && !bc_red(card))));
                    if (source == BC_SHRAM) fits = step == 1 || step == -1;
                    if (fits) rules->reach[spread][held][top] |= bc_bit(card);
                }
        }
}

/* The cards that a player with so many cards may lay on a top. */
static inline uint64_t bc_reach(const BcRules *rules, int top, bool spread, int held) {
    return rules->reach[spread][held < BC_ROOM ? held : BC_ROOM][top];
}

/* The cards that the seat to move may lay, outside the opening and discards. */
static inline uint64_t bc_playable(const BcGame *game) {
    uint64_t hand = game->hand[game->to_move];
    return hand & bc_reach(game->rules, bc_top(&game->up), game->spread, bc_size(hand));
}

/* Begin a game before its first deal: 2 seats, or in shram 2 to 5, and at least one hand. */
static inline void bc_start(BcGame *game, const BcRules *rules, int seats, int hands) {
    memset(game, 0, sizeof *game);
    game->rules = rules;
    game->seats = (int8_t)seats;
    game->hands = (int16_t)hands;
    game->hand_no = -1;
    game->to_move = BC_NOBODY;
}

/* Whether the next thing to do is to deal a hand. */
static inline bool bc_deals_next(const BcGame *game) {
    return game->to_move == BC_NOBODY && game->hand_no + 1 < game->hands;
}

static inline void bc_tell(const BcGame *game, BcEventKind kind, int seat, const uint8_t *cards, int count) {
    if (game->log == NULL) return;
    BcEvent event = {.kind = kind, .seat = seat, .count = count};
    if (count > 0) memcpy(event.cards, cards, (size_t)count);
    game->log(game->reader, game, &event);
}

/* Deal the next hand from a shuffled deck: one card at a time, clockwise, then the down card and the up card. */
static inline void bc_deal(BcGame *game, const uint8_t deck[BC_CARDS]) {
    int seats = game->seats, dealt = seats * BC_HAND_SIZE, begins = ++game->hand_no % seats;
    memset(game->hand, 0, sizeof game->hand);
    for (int at = 0; at < dealt; at++) game->hand[(begins + at) % seats] |= bc_bit(deck[at]);
    game->down.cards[0] = deck[dealt];
    game->up.cards[0] = deck[dealt + 1];
    game->down.count = game->up.count = 1;
    game->stock.count = 0;
    for (int at = BC_CARDS - 1; at > dealt + 1; at--) game->stock.cards[game->stock.count++] = deck[at];
    game->to_move = (int8_t)begins;
    game->opening = (int8_t)seats;
    game->owed = 0;
    game->spread = false;
    game->turns = 0;
    bc_tell(game, BC_DEALT, (begins + seats - 1) % seats, game->up.cards, 1);
}

/* Write every legal move once, in Arena's order; return how many there are. There are too many discards to list, unless
 * all cards must go: then it returns 0, and any `game->owed` different cards of the hand are legal, in any order. */
static inline int bc_legal(const BcGame *game, BcMove legal[BC_MOST_MOVES]) {
    int count = 0;
    if (game->to_move == BC_NOBODY) return 0;
    uint64_t hand = game->hand[game->to_move];
    if (game->owed > 0) {
        if (game->owed < bc_size(hand)) return 0;
        legal[0] = (BcMove){.kind = BC_DISCARD};
        for (; hand != 0; hand &= hand - 1) legal[0].cards[legal[0].count++] = (uint8_t)bc_lowest(hand);
        return 1;
    }
    if (game->opening > 0) {
        if (game->rules->source == BC_SHRAM || bc_red(bc_top(&game->up))) legal[count++] = (BcMove){.kind = BC_SPREAD};
        legal[count++] = (BcMove){.kind = BC_FLIP};
        legal[count++] = (BcMove){.kind = BC_PASS};
        return count;
    }
    for (uint64_t cards = bc_playable(game); cards != 0; cards &= cards - 1)
        legal[count++] = (BcMove){.kind = BC_PLAY, .count = 1, .cards = {(uint8_t)bc_lowest(cards)}};
    if (count == 0) legal[count++] = (BcMove){.kind = BC_DRAW};
    return count;
}

/* ---- what follows from a move ---- */

static inline void bc_take(BcGame *game, int count) {
    uint8_t drawn[BC_CARDS];
    for (int at = 0; at < count; at++) {
        drawn[at] = game->stock.cards[--game->stock.count];
        game->hand[game->to_move] |= bc_bit(drawn[at]);
    }
    bc_tell(game, BC_DREW, game->to_move, drawn, count);
}

static inline void bc_turn_over(BcPile *pile) {
    for (int low = 0, high = pile->count - 1; low < high; low++, high--) {
        uint8_t card = pile->cards[low];
        pile->cards[low] = pile->cards[high];
        pile->cards[high] = card;
    }
}

/* Turn over the up pile to form the stock, and the down pile to form the up pile; the rest of the stock lies down. */
static inline void bc_reset(BcGame *game) {
    BcPile left = game->stock;
    bc_turn_over(&game->up);
    bc_turn_over(&game->down);
    game->stock = game->up;
    game->up = game->down;
    game->down = left;
    game->spread = false;
    uint8_t top = (uint8_t)bc_top(&game->up);
    bc_tell(game, BC_RESET, BC_NOBODY, &top, 1);
}

/* In shram, turn over the up pile except its top to form the stock. */
static inline void bc_refill(BcGame *game) {
    uint8_t top = (uint8_t)bc_top(&game->up);
    if (game->up.count == 1) return;
    game->up.count--;
    bc_turn_over(&game->up);
    game->stock = game->up;
    game->up.count = 1;
    game->up.cards[0] = top;
    bc_tell(game, BC_REFILLED, BC_NOBODY, &top, 1);
}

/* Draw at least one card for the seat to move, as far as its ruleset allows. */
static inline void bc_draw(BcGame *game, int count) {
    BcPile *stock = &game->stock;
    switch (game->rules->source) {
    case BC_PAGAT:
        if (count < stock->count) {
            bc_take(game, count);
            return;
        }
        if (stock->count > 1) bc_take(game, stock->count - 1);
        bc_reset(game);
        return;
    case BC_GAMERULES:
        if (stock->count <= 1) bc_reset(game);
        while (count > 0 && stock->count > 1) {
            int taken = count < stock->count ? count : stock->count - 1;
            bc_take(game, taken);
            count -= taken;
            if (stock->count == 1) bc_reset(game);
        }
        return;
    case BC_SHRAM:
        if (stock->count == 0) bc_refill(game);
        while (count > 0 && stock->count > 0) {
            int taken = count < stock->count ? count : stock->count;
            bc_take(game, taken);
            count -= taken;
            if (stock->count == 0) bc_refill(game);
        }
    }
}

/* Turn up cards from the stock until the colour of the top changes: a spread in the opening. */
static inline void bc_turn_up(BcGame *game) {
    bool red = bc_red(bc_top(&game->up));
    int before = game->up.count;
    while (game->stock.count > 0 && bc_red(bc_top(&game->up)) == red)
        game->up.cards[game->up.count++] = game->stock.cards[--game->stock.count];
    bc_tell(game, BC_SPREADS, game->to_move, game->up.cards + before, game->up.count - before);
    if (game->stock.count == 0 && game->rules->source == BC_SHRAM) bc_refill(game);
}

static inline void bc_flip(BcGame *game) {
    uint8_t *up = &game->up.cards[game->up.count - 1], *down = &game->down.cards[game->down.count - 1], card = *up;
    *up = *down;
    *down = card;
    bc_tell(game, BC_FLIPPED, game->to_move, (uint8_t[]){*up, *down}, 2);
}

static inline void bc_end_turn(BcGame *game) {
    int mover = game->to_move, winner = game->hand[mover] == 0 ? mover : BC_NOBODY;
    game->turns++;
    if (winner == BC_NOBODY && game->turns < game->rules->turn_limit) {
        game->to_move = (int8_t)(mover + 1 < game->seats ? mover + 1 : 0);
        return;
    }
    if (winner != BC_NOBODY) game->scores[winner] += game->rules->going_out;
    for (int seat = 0; seat < game->seats; seat++)
        for (uint64_t cards = game->hand[seat]; cards != 0; cards &= cards - 1)
            game->scores[seat] -= game->rules->cost[bc_lowest(cards)];
    game->to_move = BC_NOBODY;
    bc_tell(game, BC_ENDED, winner, NULL, 0);
}

/* Make a legal move, unchecked, and everything that follows until the next decision or the end of the hand. */
static inline void bc_move(BcGame *game, BcMove move) {
    int seat = game->to_move, card = move.cards[0], top, effect;
    switch (move.kind) {
    case BC_PLAY:
        top = bc_top(&game->up);
        effect = game->rules->effect[top][card];
        game->hand[seat] &= ~bc_bit(card);
        game->up.cards[game->up.count++] = (uint8_t)card;
        game->spread = bc_rank(card) == bc_rank(top);
        bc_tell(game, BC_PLAYED, seat, move.cards, 1);
        if (effect < 0) {
            game->owed = (int8_t)-effect;
            return;
        }
        if (effect > 0) bc_draw(game, effect);
        break;
    case BC_DRAW:
        bc_tell(game, BC_STUCK, seat, NULL, 0);
        bc_draw(game, 1);
        if (game->rules->source == BC_GAMERULES) game->spread = false;
        break;
    case BC_DISCARD:
        for (int at = 0; at < move.count; at++) {
            game->hand[seat] &= ~bc_bit(move.cards[at]);
            game->down.cards[game->down.count++] = move.cards[at];
        }
        game->owed = 0;
        bc_tell(game, BC_DISCARDED, seat, move.cards, move.count);
        break;
    default: /* an opening: a spread or a flip ends it, except in shram */
        if (move.kind == BC_SPREAD) bc_turn_up(game);
        else if (move.kind == BC_FLIP) bc_flip(game);
        else bc_tell(game, BC_PASSED, seat, NULL, 0);
        game->opening = (int8_t)(move.kind != BC_PASS && game->rules->source != BC_SHRAM ? 0 : game->opening - 1);
        game->to_move = (int8_t)(seat + 1 < game->seats ? seat + 1 : 0);
        return;
    }
    bc_end_turn(game);
}

#endif
