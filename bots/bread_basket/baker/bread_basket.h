/* Bread Basket in C: its rules, complete, in one file that needs nothing but C11.
 *
 * All decks (tens, none, extra), 2 to 6 seats, and the option chef_second. The rules in words are Arena's page on Bread
 * Basket (rules version 1, source 000); in every ruleset this file makes the moves of Arena's own rules.
 *
 *     BbGame game;
 *     bb_start(&game, 2, 2, false);            2 seats, 2 hands, no chef_second
 *     uint8_t deck[BB_MOST_CARDS];
 *     while (bb_deals_next(&game)) {
 *         int cards = bb_deck(BB_TENS, deck);  in order; shuffle it as you like
 *         bb_deal(&game, deck, cards);
 *         while (game.to_move != BB_NOBODY) {
 *             int16_t legal[BB_MOST_MOVES];
 *             int count = bb_legal(&game, legal);
 *             bb_move(&game, legal[0]);        any of them
 *         }
 *     }                                        game.scores has the result
 *
 * A card is a number: 0 the Onion, 1 to 10 as printed, 11 the Chef. A move is a number as well: a card to play it,
 * BB_STOP, or BB_FETCH + position to use a Chef. A game is a plain struct: copy it with `=` to play on in a copy.
 * `bb_move` doesn't check its move, and so is quick enough for playouts: some millions of decisions a second.
 *
 * A hand is kept as how many of each card it holds. The order in which they came matters to no rule.
 */

#ifndef BREAD_BASKET_H
#define BREAD_BASKET_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    BB_ONION = 0,
    BB_TEN = 10,
    BB_CHEF = 11,
    BB_KINDS = 12,  /* different cards */
    BB_STOP = 12,   /* the move that ends a turn after one card */
    BB_FETCH = 13,  /* BB_FETCH + position: a Chef takes the card at this position of the line, 0 the oldest */
    BB_NOTHING = -1,
    BB_NOBODY = -1,
    BB_COPIES = 5,  /* of each card in a deck that has it */
    BB_MOST_SEATS = 6,
    BB_MOST_CARDS = 60,
    BB_MOST_MOVES = BB_FETCH + BB_MOST_CARDS,
    BB_SHORTEST = 4 /* cards in a trick */
};

typedef enum { BB_TENS, BB_NONE, BB_EXTRA } BbDeck;

typedef struct {
    int8_t seats;
    bool chef_second;                      /* a Chef may also be used after a first card */
    int16_t hands;                         /* in the whole game */
    int16_t hand_no;                       /* the current one, from 0; -1 before the first */
    int8_t to_move;                        /* whose turn it is; BB_NOBODY between hands and when the game is over */
    int8_t played;                         /* the first card of this turn; BB_NOTHING before it is played */
    uint8_t aside;                         /* Chefs laid aside in this hand */
    uint8_t line_count;
    uint8_t stock_at, stock_end;           /* the stock is stock[stock_at] to stock[stock_end - 1] */
    uint8_t held[BB_MOST_SEATS];           /* how many cards each seat holds */
    uint8_t hand[BB_MOST_SEATS][BB_KINDS]; /* how many of each card each seat holds */
    uint8_t line[BB_MOST_CARDS];           /* the oldest card first */
    uint8_t stock[BB_MOST_CARDS];          /* the next card first */
    int32_t scores[BB_MOST_SEATS];         /* in all hands so far, this one included */
} BbGame;

/* The rank of a card in comparisons: the Onion is the lowest, a Chef equals a 10. */
static inline int bb_rank(int card) { return card == BB_CHEF ? BB_TEN : card; }

/* The points of a card inside a sandwich. */
static inline int bb_value(int card) { return card == BB_ONION ? -5 : bb_rank(card); }

/* Write a deck's cards in ascending order, as before a shuffle; return how many there are: 55 or 60. */
static inline int bb_deck(BbDeck kind, uint8_t deck[BB_MOST_CARDS]) {
    int count = 0;
    for (int card = 0; card < BB_KINDS; card++) {
        if ((kind == BB_TENS && card == BB_TEN) || (kind == BB_NONE && card == BB_CHEF)) continue;
        for (int copy = 0; copy < BB_COPIES; copy++) deck[count++] = (uint8_t)card;
    }
    return count;
}

/* How many cards each seat is dealt. */
static inline int bb_hand_size(int seats) { return seats == 2 ? 12 : seats == 3 ? 10 : 8; }

/* Begin a game of 2 to 6 seats and at least one hand, before its first deal. */
static inline void bb_start(BbGame *game, int seats, int hands, bool chef_second) {
    memset(game, 0, sizeof *game);
    game->seats = (int8_t)seats;
    game->hands = (int16_t)hands;
    game->chef_second = chef_second;
    game->hand_no = -1;
    game->to_move = BB_NOBODY;
    game->played = BB_NOTHING;
}

/* Whether the next thing to do is to deal a hand. */
static inline bool bb_deals_next(const BbGame *game) {
    return game->to_move == BB_NOBODY && game->hand_no + 1 < game->hands;
}

/* Deal the next hand from a shuffled deck: one card at a time, clockwise, then the first card of the line. */
static inline void bb_deal(BbGame *game, const uint8_t *deck, int cards) {
    int seats = game->seats, dealt = seats * bb_hand_size(seats);
    int begins = ++game->hand_no % seats;
    memset(game->hand, 0, sizeof game->hand);
    for (int at = 0; at < dealt; at++) game->hand[(begins + at) % seats][deck[at]]++;
    for (int seat = 0; seat < seats; seat++) game->held[seat] = (uint8_t)bb_hand_size(seats);
    game->line[0] = deck[dealt];
    game->line_count = 1;
    game->stock_at = 0;
    game->stock_end = (uint8_t)(cards - dealt - 1);
    memcpy(game->stock, deck + dealt + 1, game->stock_end);
    game->aside = 0;
    game->to_move = (int8_t)begins;
    game->played = BB_NOTHING;
}

/* Write every legal move once, in Arena's order: cards from the lowest, stop, positions; return how many there are. */
static inline int bb_legal(const BbGame *game, int16_t legal[BB_MOST_MOVES]) {
    int count = 0;
    if (game->to_move == BB_NOBODY) return 0;
    const uint8_t *hand = game->hand[game->to_move];
    bool is_first = game->played == BB_NOTHING;
    for (int card = 0; card < BB_KINDS; card++)
        if (hand[card] > 0) legal[count++] = (int16_t)card;
    if (!is_first) legal[count++] = BB_STOP;
    if (hand[BB_CHEF] > 0 && (is_first || game->chef_second))
        for (int position = 0; position < game->line_count; position++) legal[count++] = (int16_t)(BB_FETCH + position);
    return count;
}

/* Return the position of the first card of the trick that ends at position `last`, or -1 if there is none: four or more
 * cards with ends of equal rank and all cards between them lower, or all higher. */
static inline int bb_trick_start(const uint8_t *line, int last) {
    if (last < BB_SHORTEST - 1) return -1;
    int end = bb_rank(line[last]), first = last - 1, rank = bb_rank(line[first]);
    if (rank < end)
        while (rank < end && first > 0) rank = bb_rank(line[--first]);
    else
        while (rank > end && first > 0) rank = bb_rank(line[--first]);
    return rank == end && last - first >= BB_SHORTEST - 1 ? first : -1;
}

/* The points of a trick: a soup (higher cards inside) 1 for each card, a sandwich the values inside and 1 for each end. */
static inline int bb_worth(const uint8_t *cards, int count) {
    if (bb_rank(cards[1]) > bb_rank(cards[0])) return count;
    int points = 2;
    for (int at = 1; at < count - 1; at++) points += bb_value(cards[at]);
    return points;
}

/* Give the cards of the line from `first` to `last` to the seat whose turn it is; the rest closes up. */
static inline void bb_take(BbGame *game, int first, int last) {
    game->scores[game->to_move] += bb_worth(game->line + first, last - first + 1);
    memmove(game->line + first, game->line + last + 1, (size_t)(game->line_count - last - 1));
    game->line_count = (uint8_t)(game->line_count - (last - first + 1));
}

/* Add the next card of the stock to the line if it is empty. */
static inline void bb_refill(BbGame *game) {
    if (game->line_count == 0 && game->stock_at < game->stock_end) {
        game->line[0] = game->stock[game->stock_at++];
        game->line_count = 1;
    }
}

/* Use a Chef: lay it aside, take the card at a position into the hand, and take all tricks that this makes. The longest
 * is taken first, and among equally long ones the one nearest the front; all of them span the gap. */
static inline void bb_fetch(BbGame *game, int position) {
    uint8_t *hand = game->hand[game->to_move];
    hand[BB_CHEF]--;
    hand[game->line[position]]++;
    game->aside++;
    game->line_count--;
    memmove(game->line + position, game->line + position + 1, (size_t)(game->line_count - position));
    for (int gap = position;;) {
        int first = -1, last = -1;
        for (int end = gap > BB_SHORTEST - 1 ? gap : BB_SHORTEST - 1; end < game->line_count; end++) {
            int start = bb_trick_start(game->line, end);
            if (start >= 0 && (first < 0 || end - start > last - first)) first = start, last = end;
        }
        if (first < 0) break;
        bb_take(game, first, last);
        gap = first;
    }
    bb_refill(game);
}

/* Make a legal move, unchecked, and everything that follows until the next decision or the end of the hand. */
static inline void bb_move(BbGame *game, int move) {
    int seat = game->to_move;
    if (move < BB_STOP) {
        game->hand[seat][move]--;
        game->held[seat]--;
        game->line[game->line_count++] = (uint8_t)move;
        int first = bb_trick_start(game->line, game->line_count - 1);
        if (first >= 0) {
            bb_take(game, first, game->line_count - 1);
            bb_refill(game);
        }
        if (game->played == BB_NOTHING && game->held[seat] > 0) {
            game->played = (int8_t)move;
            return;
        }
    } else if (move >= BB_FETCH) {
        bb_fetch(game, move - BB_FETCH);
    }
    game->played = BB_NOTHING; /* the turn is over: it passes to the next seat that holds cards */
    for (int after = 0; after < game->seats; after++) {
        seat = seat + 1 < game->seats ? seat + 1 : 0;
        if (game->held[seat] > 0) {
            game->to_move = (int8_t)seat;
            return;
        }
    }
    game->to_move = BB_NOBODY;
}

#endif
