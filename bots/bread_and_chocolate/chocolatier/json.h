/* A small reader of JSON: one text, read in place, without a copy of its strings.
 *
 *     Json *message = json_read(line);           NULL if the line is no JSON
 *     const char *type = json_text(json_get(message, "type"));
 *     for (Json *card = json_first(json_get(view, "hand")); card != NULL; card = card->next) …
 *
 * What is missing is NULL, and every function takes NULL: as a text it is "", as a number 0, as a list empty. The values
 * last until the next call of `json_read`, and so do the strings, which lie in the text itself, so it must not change.
 */

#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef enum { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT } JsonType;

typedef struct Json {
    JsonType type;
    double number;            /* of a number; 1 or 0 of true or false */
    char *text;               /* of a string, in UTF-8 */
    char *key;                /* if it is a field of an object */
    struct Json *first, *next; /* the first value inside; the next one beside */
} Json;

static inline Json *json_first(const Json *list) { return list == NULL ? NULL : list->first; }
static inline const char *json_text(const Json *value) { return value == NULL || value->text == NULL ? "" : value->text; }
static inline double json_number(const Json *value) { return value == NULL ? 0 : value->number; }
static inline bool json_is(const Json *value, const char *text) { return strcmp(json_text(value), text) == 0; }

/* A whole number between two bounds; what is outside, or no number, is the nearer bound. */
static inline int json_whole(const Json *value, int low, int high) {
    double number = json_number(value);
    return number >= high ? high : number > low ? (int)number : low;
}

static inline int json_count(const Json *list) {
    int count = 0;
    for (Json *value = json_first(list); value != NULL; value = value->next) count++;
    return count;
}

static inline Json *json_get(const Json *object, const char *key) {
    for (Json *value = json_first(object); value != NULL; value = value->next)
        if (value->key != NULL && strcmp(value->key, key) == 0) return value;
    return NULL;
}

/* ---- how it reads ---- */

enum { JSON_DEEPEST = 64 };

typedef struct {
    char *at;
    Json *unused; /* the rest of an array with room for every value of the text */
} JsonReader;

static inline void json_blank(JsonReader *reader) { reader->at += strspn(reader->at, " \t\r\n"); }

/* Whether the next character is this one, which is then read. */
static inline bool json_next(JsonReader *reader, char wanted) {
    json_blank(reader);
    if (*reader->at != wanted) return false;
    reader->at++;
    return true;
}

/* Read the four digits behind \u; -1 if there are none. */
static inline int json_hex(JsonReader *reader) {
    int code = 0;
    for (int digit = 0; digit < 4; digit++) {
        const char *digits = "0123456789abcdef", *found = NULL;
        char c = *reader->at;
        if (c != '\0') found = strchr(digits, c >= 'A' && c <= 'F' ? c + 32 : c);
        if (found == NULL) return -1;
        code = code * 16 + (int)(found - digits);
        reader->at++;
    }
    return code;
}

static inline char *json_utf8(char *out, int code) {
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xC0 | code >> 6);
        *out++ = (char)(0x80 | (code & 0x3F));
    } else {
        if (code < 0x10000) {
            *out++ = (char)(0xE0 | code >> 12);
        } else {
            *out++ = (char)(0xF0 | code >> 18);
            *out++ = (char)(0x80 | (code >> 12 & 0x3F));
        }
        *out++ = (char)(0x80 | (code >> 6 & 0x3F));
        *out++ = (char)(0x80 | (code & 0x3F));
    }
    return out;
}

/* Read a string whose quotation mark has been read; it is shortened in place where it has escapes. */
static inline char *json_string(JsonReader *reader) {
    char *start = reader->at, *out = start;
    while (*reader->at != '"') {
        char c = *reader->at++;
        if ((unsigned char)c < 0x20) return NULL; /* also the end of the text */
        if (c != '\\') {
            *out++ = c;
            continue;
        }
        char escape = *reader->at++;
        const char *letters = "\"\\/bfnrt", *values = "\"\\/\b\f\n\r\t";
        if (escape == 'u') {
            int code = json_hex(reader);
            if (code >= 0xD800 && code < 0xE000) { /* the first half of a pair, and not without the second */
                int high = code, low = -1;
                if (reader->at[0] == '\\' && reader->at[1] == 'u') reader->at += 2, low = json_hex(reader);
                code = high < 0xDC00 && low >= 0xDC00 && low < 0xE000 ? 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00) : -1;
            }
            if (code <= 0) return NULL;
            out = json_utf8(out, code);
        } else {
            const char *found = escape == '\0' ? NULL : strchr(letters, escape);
            if (found == NULL) return NULL;
            *out++ = values[found - letters];
        }
    }
    reader->at++;
    *out = '\0';
    return start;
}

static inline Json *json_value(JsonReader *reader, int depth) {
    json_blank(reader);
    Json *value = reader->unused++;
    *value = (Json){.type = JSON_NULL};
    char c = *reader->at;
    if (c == '{' || c == '[') {
        bool object = c == '{';
        char end = object ? '}' : ']';
        Json **place = &value->first;
        value->type = object ? JSON_OBJECT : JSON_ARRAY;
        reader->at++;
        if (depth == JSON_DEEPEST) return NULL;
        if (json_next(reader, end)) return value;
        do {
            char *key = NULL;
            if (object && (!json_next(reader, '"') || (key = json_string(reader)) == NULL || !json_next(reader, ':')))
                return NULL;
            if ((*place = json_value(reader, depth + 1)) == NULL) return NULL;
            (*place)->key = key;
            place = &(*place)->next;
        } while (json_next(reader, ','));
        return json_next(reader, end) ? value : NULL;
    }
    if (c == '"') {
        reader->at++;
        value->type = JSON_STRING;
        return (value->text = json_string(reader)) != NULL ? value : NULL;
    }
    const char *words[] = {"null", "false", "true"};
    for (int word = 0; word < 3; word++) {
        size_t length = strlen(words[word]);
        if (strncmp(reader->at, words[word], length) != 0) continue;
        reader->at += length;
        value->type = word == 0 ? JSON_NULL : JSON_BOOL;
        value->number = word == 2;
        return value;
    }
    if (c != '-' && (c < '0' || c > '9')) return NULL; /* strtod takes more than JSON allows, such as inf */
    char *end;
    value->type = JSON_NUMBER;
    value->number = strtod(reader->at, &end);
    if (end == reader->at) return NULL;
    reader->at = end;
    return value;
}

/* Read a text that ends with a zero, and change it. Return NULL if it is no JSON, or memory has run out. */
static inline Json *json_read(char *text) {
    static Json *values = NULL;
    static size_t room = 0;
    size_t needed = 1;
    for (const char *c = text; *c != '\0'; c++) needed += *c == ',' || *c == '[' || *c == ':';
    if (needed > room) {
        free(values);
        room = 2 * needed;
        values = malloc(room * sizeof *values);
        if (values == NULL) return room = 0, NULL;
    }
    JsonReader reader = {text, values};
    Json *value = json_value(&reader, 0);
    json_blank(&reader);
    return value != NULL && *reader.at == '\0' ? value : NULL;
}

#endif
