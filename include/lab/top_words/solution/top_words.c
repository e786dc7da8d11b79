/* Prints the twenty most frequent words of standard input: one pass, a hash table with open addressing. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SLOTS 16384
#define SHOWN 20

struct slot {
    const unsigned char *text;
    uint32_t hash;
    uint16_t length;
    uint32_t count;
};

static unsigned char text[1 << 22];
static struct slot slots[SLOTS];

static int before(const struct slot *a, const struct slot *b) {
    if (a->count != b->count)
        return a->count > b->count;
    int shorter = a->length < b->length ? a->length : b->length;
    int order = memcmp(a->text, b->text, shorter);
    return order ? order < 0 : a->length < b->length;
}

static void count(const unsigned char *word, uint16_t length, uint32_t hash) {
    struct slot *slot = &slots[hash & (SLOTS - 1)];
    while (slot->text && (slot->hash != hash || slot->length != length || memcmp(slot->text, word, length)))
        slot = slot == &slots[SLOTS - 1] ? slots : slot + 1;
    if (!slot->text)
        *slot = (struct slot){word, hash, length, 0};
    slot->count++;
}

int main(void) {
    size_t size = 0;
    for (ssize_t got; (got = read(0, text + size, sizeof text - 1 - size)) > 0;)
        size += got;
    text[size] = '\n';
    for (const unsigned char *at = text, *end = text + size; at < end; at++) {
        const unsigned char *word = at;
        uint32_t hash = 0;
        while (*at > ' ')
            hash = hash * 31 + *at++;
        if (at > word)
            count(word, at - word, hash * 2654435761u >> 8);
    }
    const struct slot *best[SHOWN + 1];
    int kept = 0;
    for (const struct slot *slot = slots; slot < slots + SLOTS; slot++) {
        if (!slot->text || (kept == SHOWN && !before(slot, best[SHOWN - 1])))
            continue;
        int place = kept < SHOWN ? kept++ : SHOWN - 1;
        while (place > 0 && before(slot, best[place - 1])) {
            best[place] = best[place - 1];
            place--;
        }
        best[place] = slot;
    }
    for (int i = 0; i < kept; i++)
        printf("%.*s %u\n", best[i]->length, (const char *)best[i]->text, best[i]->count);
    return 0;
}
