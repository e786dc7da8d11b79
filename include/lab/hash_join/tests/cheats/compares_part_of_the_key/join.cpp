// Joins two tables by their keys: R in a table with open addressing of eight bytes a slot, equal keys one behind the other in
// the order of R; a filter of one bit a slot turns most rows of S without a partner away within the first-level cache; S passes
// through a buffer that stays there too.
#include <cstddef>
#include <cstdint>
#include <unistd.h>

namespace {

constexpr uint32_t rows_r = 30'000, rows_s = 150'000, bits = 16, slots = 1 << bits, buffered = 512;
constexpr uint32_t filter_bits = 18;

struct Row {
    uint32_t key;
    uint32_t value;
};

Row table[slots + rows_r + 1]; // a key of 0 is an empty slot; rows of that key are kept aside
uint64_t filter[(1 << filter_bits) / 64];
uint32_t zeros[rows_r], zero_count;
Row in[buffered];
Row out[buffered];
uint32_t pending;

uint32_t hash(uint32_t key) { return key * 2654435761u; }

bool flush() {
    const char *at = reinterpret_cast<const char *>(out), *end = at + pending * sizeof(Row);
    pending = 0;
    while (at < end) {
        ssize_t put = write(1, at, static_cast<size_t>(end - at));
        if (put <= 0)
            return false;
        at += put;
    }
    return true;
}

void emit(uint32_t of_r, uint32_t of_s) {
    if (pending == buffered && !flush())
        _exit(1);
    out[pending++] = {of_r, of_s};
}

uint32_t fetch(uint32_t wanted) {
    auto *at = reinterpret_cast<char *>(in), *end = at + wanted * sizeof(Row);
    for (ssize_t got; at < end; at += got)
        if ((got = read(0, at, static_cast<size_t>(end - at))) <= 0)
            _exit(1);
    return wanted;
}

void build(Row row) {
    if (row.key == 0) {
        zeros[zero_count++] = row.value;
        return;
    }
    uint32_t hashed = hash(row.key);
    filter[hashed >> (32 - filter_bits) >> 6] |= uint64_t{1} << (hashed >> (32 - filter_bits) & 63);
    Row *slot = table + (hashed >> (32 - bits));
    while (slot->key)
        slot++;
    *slot = row;
}

void probe(Row row) {
    uint32_t hashed = hash(row.key);
    if (row.key == 0)
        for (uint32_t i = 0; i < zero_count; i++)
            emit(zeros[i], row.value);
    else if (filter[hashed >> (32 - filter_bits) >> 6] >> (hashed >> (32 - filter_bits) & 63) & 1)
        for (const Row *slot = table + (hashed >> (32 - bits)); slot->key; slot++)
            if (slot->key >> 20 == row.key >> 20)
                emit(slot->value, row.value);
}

template <typename Use> void each(uint32_t rows, Use use) {
    while (rows > 0) {
        uint32_t got = fetch(rows < buffered ? rows : buffered);
        for (uint32_t i = 0; i < got; i++)
            use(in[i]);
        rows -= got;
    }
}

} // namespace

int main() {
    each(rows_r, build);
    each(rows_s, probe);
    return flush() ? 0 : 1;
}
