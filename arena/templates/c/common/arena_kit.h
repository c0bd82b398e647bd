/* The C kit for arena bots: one file, C11 and POSIX only.
 *
 * A bot is either a function,
 *
 *     #include "arena_kit.h"
 *
 *     const Json *choose(const Json *ask, Game *game) {
 *         return rng_choice(game, get(ask, "legal"));
 *     }
 *
 *     int main(void) { return run(choose); }
 *
 * or a `Bot` with the hooks below, passed to `run_bot`. `ask` is the arena's message: `legal` (every legal move) or
 * `example` (one legal move, if there are too many to list), `view`, `events`, `kind`, `time`, `id`. Return a move.
 * Set `game->note` to add a note to the replay.
 *
 * Whatever a hook gets or makes lasts until it returns; `game` and what it holds last until the next game begins.
 *
 * The kit uses the real standard output for the protocol and redirects everything else you print to standard error, the
 * bot's log. If a hook returns no move, or the bot crashes, the log says what it was doing. Include this file once.
 */

#ifndef ARENA_KIT_H
#define ARENA_KIT_H

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARENA_PROTOCOL 1 /* the only version that this kit speaks */

/* ---- JSON ---- */

typedef enum { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT } JsonType;

typedef struct Json {
    JsonType type;
    double number;      /* of a number; 1 or 0 for true or false */
    const char *string; /* of a string, in UTF-8 */
    const char *key;    /* within an object */
    int count;          /* of an array or object */
    struct Json *first, *last, *next;
} Json;

/* Reading. A missing value is null, and null has no elements: no call fails. */
static const Json *get(const Json *object, const char *key); /* a field */
static const Json *at(const Json *array, int index);         /* an element, from 0 */
static const char *text(const Json *value);                  /* "" unless it is a string */
static long long whole(const Json *value);                   /* 0 unless it is a number */
static bool is(const Json *value, const char *string);       /* whether it is this string */
#define each(item, array) (const Json *item = (array)->first; item != NULL; item = item->next) /* for each(card, hand) */

/* Building. `add` and `set` copy the value and return the array or object. */
static Json *new_string(const char *string);
static Json *new_number(double number);
static Json *new_array(void);
static Json *new_object(void);
static Json *add(Json *array, const Json *value);
static Json *set(Json *object, const char *key, const Json *value);

/* ---- The game and the bot ---- */

typedef struct {
    const char *game;          /* its name, such as "bread-basket" */
    const char *ruleset;
    const Json *options;       /* every option of the ruleset with its value */
    int seat, seats;           /* your own, counted from 0, and how many there are */
    const Json *private_;      /* what only this seat knows and what stays the same for the whole game */
    const Json *clock, *limits;
    const Json *events;        /* an array of all that this seat has seen so far in this game, in order */
    uint64_t rng;              /* for rng_below and rng_choice */
    const char *note;          /* for the next move; NULL for none */
    void *data;                /* your own */
} Game;

typedef struct {
    void (*start)(Game *game);                    /* a new game begins; you have clock.ready_ms */
    void (*event)(const Json *event, Game *game); /* in order, before the move or end they came with */
    const Json *(*move)(const Json *ask, Game *game);
    void (*end)(const Json *result, Game *game);  /* the game is over: ranks, scores, verdicts by seat */
} Bot;

/* Play games until the arena sends `quit` or closes the input; return the exit code for main. */
static int run(const Json *(*choose)(const Json *ask, Game *game));
static int run_bot(Bot bot); /* only `move` is required */

/* Random numbers that repeat when the same game is played again. */
static int rng_below(Game *game, int end);                        /* from 0 up to but excluding `end` */
static const Json *rng_choice(Game *game, const Json *array);     /* one of the elements */

/* For tests. Both exit if the text is no JSON. */
static const Json *parse(const char *json);
static Game *new_game(const char *start); /* from the JSON of a `start` message; fields may be missing */

/* ==== How it works: not needed to write a bot ==== */

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#endif

static char kit_doing[512] = "reading a message";

static void kit_does(const char *format, ...) {
    va_list values;
    va_start(values, format);
    vsnprintf(kit_doing, sizeof kit_doing, format, values);
    va_end(values);
}

static void kit_fail(const char *format, ...) {
    va_list values;
    fprintf(stderr, "arena_kit: the bot failed while %s: ", kit_doing);
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    fputc('\n', stderr);
    exit(1);
}

/* Memory: two pools that are emptied at once, one for the message at hand and one for the game. */

typedef struct KitBlock {
    struct KitBlock *next;
    size_t used, size;
    _Alignas(16) char bytes[];
} KitBlock;

static KitBlock *kit_message_pool, *kit_game_pool;
static KitBlock **kit_pool = &kit_message_pool;

static void *kit_take(size_t size) {
    KitBlock *block = *kit_pool;
    size = (size + 15) / 16 * 16;
    if (block == NULL || block->size - block->used < size) {
        size_t room = size > 65536 ? size : 65536;
        block = malloc(sizeof *block + room);
        if (block == NULL) kit_fail("out of memory");
        block->next = *kit_pool;
        block->used = 0;
        block->size = room;
        *kit_pool = block;
    }
    void *taken = block->bytes + block->used;
    block->used += size;
    return memset(taken, 0, size);
}

static void kit_empty(KitBlock **pool) {
    while (*pool != NULL) {
        KitBlock *block = *pool;
        *pool = block->next;
        free(block);
    }
}

static const char *kit_copy_text(const char *string) {
    size_t size = strlen(string) + 1;
    return memcpy(kit_take(size), string, size);
}

/* JSON */

static const Json kit_null = {JSON_NULL, 0, "", NULL, 0, NULL, NULL, NULL};

static Json *kit_new(JsonType type) {
    Json *value = kit_take(sizeof *value);
    value->type = type;
    value->string = "";
    return value;
}

static Json *kit_append(Json *list, Json *value) {
    if (list->last == NULL) list->first = value;
    else list->last->next = value;
    list->last = value;
    list->count++;
    return list;
}

static Json *kit_copy(const Json *value) {
    Json *copy = kit_new(value->type);
    copy->number = value->number;
    if (value->type == JSON_STRING) copy->string = kit_copy_text(value->string);
    for each(item, value) {
        Json *inner = kit_copy(item);
        if (item->key != NULL) inner->key = kit_copy_text(item->key);
        kit_append(copy, inner);
    }
    return copy;
}

static const Json *get(const Json *object, const char *key) {
    for each(item, object) if (item->key != NULL && strcmp(item->key, key) == 0) return item;
    return &kit_null;
}

static const Json *at(const Json *array, int index) {
    for each(item, array) if (index-- == 0) return item;
    return &kit_null;
}

static const char *text(const Json *value) { return value->string; }
static long long whole(const Json *value) { return (long long)value->number; }
static bool is(const Json *value, const char *string) {
    return value->type == JSON_STRING && strcmp(value->string, string) == 0;
}

static Json *new_string(const char *string) {
    Json *value = kit_new(JSON_STRING);
    value->string = kit_copy_text(string);
    return value;
}

static Json *new_number(double number) {
    Json *value = kit_new(JSON_NUMBER);
    value->number = number;
    return value;
}

static Json *new_array(void) { return kit_new(JSON_ARRAY); }
static Json *new_object(void) { return kit_new(JSON_OBJECT); }
static Json *add(Json *array, const Json *value) { return kit_append(array, kit_copy(value)); }

static Json *set(Json *object, const char *key, const Json *value) {
    Json *copy = kit_copy(value);
    copy->key = kit_copy_text(key);
    return kit_append(object, copy);
}

static void kit_blank(const char **in) { *in += strspn(*in, " \t\r\n"); }

static void kit_expect(const char **in, const char *word) {
    size_t length = strlen(word);
    if (strncmp(*in, word, length) != 0) kit_fail("not JSON at: %.40s", *in);
    *in += length;
}

static unsigned kit_hex4(const char **in) {
    unsigned code = 0;
    for (int digit = 0; digit < 4; digit++, (*in)++) {
        char c = **in;
        if (c >= '0' && c <= '9') code = code * 16 + (unsigned)(c - '0');
        else if ((c | 32) >= 'a' && (c | 32) <= 'f') code = code * 16 + (unsigned)((c | 32) - 'a' + 10);
        else kit_fail("not JSON at: %.40s", *in);
    }
    return code;
}

static char *kit_utf8(char *out, unsigned code) {
    if (code < 0x80) *out++ = (char)code;
    else {
        if (code < 0x800) *out++ = (char)(0xC0 | code >> 6);
        else {
            if (code < 0x10000) *out++ = (char)(0xE0 | code >> 12);
            else {
                *out++ = (char)(0xF0 | code >> 18);
                *out++ = (char)(0x80 | (code >> 12 & 0x3F));
            }
            *out++ = (char)(0x80 | (code >> 6 & 0x3F));
        }
        *out++ = (char)(0x80 | (code & 0x3F));
    }
    return out;
}

static const char *kit_parse_string(const char **in) {
    kit_expect(in, "\"");
    size_t longest = 0;
    while ((*in)[longest] != '\0' && (*in)[longest] != '"') longest += (*in)[longest] == '\\' && (*in)[longest + 1] ? 2 : 1;
    char *start = kit_take(longest + 1), *out = start;
    while (**in != '"') {
        if (**in == '\0') kit_fail("a string without an end");
        if (**in != '\\') {
            *out++ = *(*in)++;
            continue;
        }
        char escape = *++*in;
        if (escape == '\0') kit_fail("a string without an end");
        ++*in;
        if (escape == 'u') {
            unsigned code = kit_hex4(in);
            if (code >= 0xD800 && code < 0xDC00) {
                kit_expect(in, "\\u");
                code = 0x10000 + ((code - 0xD800) << 10) + (kit_hex4(in) - 0xDC00);
            }
            out = kit_utf8(out, code);
        } else {
            const char *known = "bfnrt", *place = strchr(known, escape);
            *out++ = place != NULL ? "\b\f\n\r\t"[place - known] : escape;
        }
    }
    ++*in;
    return start;
}

static Json *kit_parse(const char **in, int depth) {
    if (depth > 200) kit_fail("JSON nested too deep");
    kit_blank(in);
    Json *value;
    if (**in == '{' || **in == '[') {
        bool object = **in == '{';
        value = kit_new(object ? JSON_OBJECT : JSON_ARRAY);
        ++*in;
        kit_blank(in);
        while (**in != (object ? '}' : ']')) {
            const char *key = NULL;
            if (value->count > 0) kit_expect(in, ",");
            kit_blank(in);
            if (object) {
                key = kit_parse_string(in);
                kit_blank(in);
                kit_expect(in, ":");
            }
            Json *item = kit_parse(in, depth + 1);
            item->key = key;
            kit_append(value, item);
            kit_blank(in);
        }
        ++*in;
    } else if (**in == '"') {
        value = kit_new(JSON_STRING);
        value->string = kit_parse_string(in);
    } else if (**in == 't' || **in == 'f') {
        value = kit_new(JSON_BOOL);
        value->number = **in == 't';
        kit_expect(in, **in == 't' ? "true" : "false");
    } else if (**in == 'n') {
        value = kit_new(JSON_NULL);
        kit_expect(in, "null");
    } else {
        char *end;
        value = kit_new(JSON_NUMBER);
        value->number = strtod(*in, &end);
        if (end == *in) kit_fail("not JSON at: %.40s", *in);
        *in = end;
    }
    return value;
}

static const Json *parse(const char *json) {
    const Json *value = kit_parse(&json, 0);
    kit_blank(&json);
    if (*json != '\0') kit_fail("not JSON at: %.40s", json);
    return value;
}

static void kit_write_string(FILE *out, const char *string) {
    fputc('"', out);
    for (; *string != '\0'; string++) {
        if (*string == '"' || *string == '\\') fprintf(out, "\\%c", *string);
        else if ((unsigned char)*string < 0x20) fprintf(out, "\\u%04x", *string);
        else fputc(*string, out);
    }
    fputc('"', out);
}

static void kit_write(FILE *out, const Json *value) {
    const char *between = "";
    switch (value->type) {
    case JSON_NULL: fputs("null", out); break;
    case JSON_BOOL: fputs(value->number != 0 ? "true" : "false", out); break;
    case JSON_STRING: kit_write_string(out, value->string); break;
    case JSON_NUMBER:
        if (value->number >= -9007199254740991.0 && value->number <= 9007199254740991.0 &&
            value->number == (double)(long long)value->number)
            fprintf(out, "%lld", (long long)value->number);
        else fprintf(out, "%.17g", value->number);
        break;
    case JSON_ARRAY:
    case JSON_OBJECT:
        fputc(value->type == JSON_OBJECT ? '{' : '[', out);
        for each(item, value) {
            fputs(between, out);
            between = ",";
            if (value->type == JSON_OBJECT) {
                kit_write_string(out, item->key);
                fputc(':', out);
            }
            kit_write(out, item);
        }
        fputc(value->type == JSON_OBJECT ? '}' : ']', out);
    }
}

/* Random numbers: SplitMix64 (Steele, Lea and Flood, 2014) */

static uint64_t kit_random(Game *game) {
    uint64_t mixed = game->rng += 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
    return mixed ^ mixed >> 31;
}

static int rng_below(Game *game, int end) { return end > 0 ? (int)(kit_random(game) % (uint64_t)end) : 0; }
static const Json *rng_choice(Game *game, const Json *array) { return at(array, rng_below(game, array->count)); }

/* The conversation */

static Game kit_game;
static Json *kit_events;
static bool kit_playing;
static FILE *kit_out;

static void kit_begin(const Json *message) {
    kit_empty(&kit_game_pool);
    kit_pool = &kit_game_pool;
    const Json *start = kit_copy(message);
    kit_events = new_array();
    kit_pool = &kit_message_pool;
    memset(&kit_game, 0, sizeof kit_game);
    kit_game.game = text(get(start, "game"));
    kit_game.ruleset = text(get(start, "ruleset"));
    kit_game.options = get(start, "options");
    kit_game.seat = (int)whole(get(start, "seat"));
    kit_game.seats = (int)whole(get(start, "seats"));
    kit_game.private_ = get(start, "private");
    kit_game.clock = get(start, "clock");
    kit_game.limits = get(start, "limits");
    kit_game.events = kit_events;
    kit_game.rng = (uint64_t)whole(get(start, "bot_seed"));
    kit_playing = true;
}

static Game *new_game(const char *start) {
    kit_begin(parse(start));
    return &kit_game;
}

static void kit_send(const Json *message) {
    kit_write(kit_out, message);
    fputc('\n', kit_out);
    if (fflush(kit_out) != 0) exit(0); /* the arena is gone */
}

static void kit_tell(const Bot *bot, const Json *events) {
    if (!kit_playing) kit_fail("the arena spoke of a game that it never started");
    kit_does("hearing of events in %s, seat %d", kit_game.game, kit_game.seat);
    for each(event, events) {
        kit_pool = &kit_game_pool;
        add(kit_events, event);
        kit_pool = &kit_message_pool;
        if (bot->event != NULL) bot->event(event, &kit_game);
    }
}

/* Handle one message; return whether to continue. Unknown messages are ignored. */
static bool kit_hear(const Bot *bot, const Json *message) {
    const Json *type = get(message, "type");
    if (is(type, "hello")) {
        bool common = false;
        for each(version, get(message, "protocols")) common = common || whole(version) == ARENA_PROTOCOL;
        kit_send(set(set(new_object(), "type", new_string("hello")), "protocol", new_number(ARENA_PROTOCOL)));
        if (!common) kit_fail("the arena doesn't speak protocol %d; get a newer arena_kit.h", ARENA_PROTOCOL);
    } else if (is(type, "start")) {
        kit_begin(message);
        kit_does("starting a game of %s, seat %d of %d", kit_game.game, kit_game.seat, kit_game.seats);
        if (bot->start != NULL) bot->start(&kit_game);
        kit_send(set(new_object(), "type", new_string("ready")));
    } else if (is(type, "ask")) {
        kit_tell(bot, get(message, "events"));
        kit_does("answering ask %lld (%s) in %s, seat %d", whole(get(message, "id")), text(get(message, "kind")),
                 kit_game.game, kit_game.seat);
        kit_game.note = NULL;
        const Json *move = bot->move(message, &kit_game);
        if (move == NULL || move->type == JSON_NULL)
            kit_fail("the bot returned no move; return one of `legal`, or a move like `example`");
        Json *answer = set(new_object(), "type", new_string("move"));
        set(set(answer, "id", get(message, "id")), "move", move);
        if (kit_game.note != NULL) set(answer, "note", new_string(kit_game.note));
        kit_send(answer);
    } else if (is(type, "end")) {
        kit_tell(bot, get(message, "events"));
        kit_does("ending a game of %s", kit_game.game);
        if (bot->end != NULL) bot->end(message, &kit_game);
        kit_playing = false;
    }
    return !is(type, "quit");
}

static void kit_crashed(int number) {
    const char *before = "arena_kit: the bot crashed while ";
    const char *name = number == SIGSEGV ? ": invalid memory access\n" : number == SIGFPE ? ": invalid arithmetic\n" : "\n";
    ssize_t written = write(2, before, strlen(before));
    written += write(2, kit_doing, strlen(kit_doing));
    written += write(2, name, strlen(name));
    (void)written;
    raise(number); /* as without the kit: SA_RESETHAND has restored the default */
}

static int run_bot(Bot bot) {
    if (isatty(0))
        fputs("arena_kit: waiting for messages on standard input; to play a game, run: arena trace .\n", stderr);
    int in = dup(0), out = dup(1), nothing = open("/dev/null", O_RDONLY);
    FILE *lines = fdopen(in, "rb");
    kit_out = fdopen(out, "wb");
    if (lines == NULL || kit_out == NULL) kit_fail("standard input or output is closed");
    dup2(nothing, 0);
    close(nothing);
    dup2(2, 1);
    setvbuf(stdout, NULL, _IOLBF, 0);
    struct sigaction crash = {.sa_handler = kit_crashed, .sa_flags = SA_RESETHAND};
    const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) sigaction(crashes[i], &crash, NULL);
    signal(SIGPIPE, SIG_IGN);
    char *line = NULL;
    size_t size = 0;
    bool more = true;
    while (more && getline(&line, &size, lines) > 0) {
        kit_does("reading a message");
        if (line[strspn(line, " \t\r\n")] != '\0') more = kit_hear(&bot, parse(line));
        kit_empty(&kit_message_pool);
    }
    free(line);
    return 0;
}

static int run(const Json *(*choose)(const Json *ask, Game *game)) { return run_bot((Bot){.move = choose}); }

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#endif
