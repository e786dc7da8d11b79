// Sorts records by their keys: by the first byte over all of them, then by the second within each part, which fits the
// first-level cache, and what is left by insertion.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <unistd.h>

namespace {

constexpr uint32_t most = 100'000, digits = 256, largest_part = 4'096;

struct Record {
    uint32_t key;
    uint32_t value;
};

Record records[most], parts[most];

// Where records of each digit begin; starts[digits] is the end.
void count(const Record *from, uint32_t size, int shift, uint32_t *starts) {
    std::memset(starts, 0, (digits + 1) * sizeof *starts);
    for (uint32_t i = 0; i < size; i++)
        starts[(from[i].key >> shift) % digits + 1]++;
    for (uint32_t digit = 0; digit < digits; digit++)
        starts[digit + 1] += starts[digit];
}

// Moves records to where those of their digit begin, and the beginnings on to their ends.
void spread(const Record *from, uint32_t size, int shift, uint32_t *starts, Record *to) {
    for (uint32_t i = 0; i < size; i++)
        to[starts[(from[i].key >> shift) % digits]++] = from[i];
}

void insert_all(Record *begin, Record *end) {
    for (Record *at = begin + 1; at < end; at++) {
        if (at[-1].key <= at->key)
            continue;
        Record record = *at;
        Record *to = at;
        do {
            *to = to[-1];
            to--;
        } while (to > begin && to[-1].key > record.key);
        *to = record;
    }
}

void sort_part(Record *part, uint32_t size, Record *to) {
    if (size > largest_part) {
        std::copy_n(part, size, to);
        std::stable_sort(to, to + size, [](const Record &a, const Record &b) { return a.key < b.key; });
        return;
    }
    uint32_t starts[digits + 1];
    count(part, size, 16, starts);
    spread(part, size, 16, starts, to);
    insert_all(to, to + size);
}

} // namespace

int main() {
    size_t bytes = 0;
    auto *in = reinterpret_cast<char *>(records);
    for (ssize_t got; bytes < sizeof records && (got = read(0, in + bytes, sizeof records - bytes)) > 0;)
        bytes += static_cast<size_t>(got);
    auto size = static_cast<uint32_t>(bytes / sizeof(Record));
    uint32_t starts[digits + 1];
    count(records, size, 24, starts);
    spread(records, size, 24, starts, parts);
    for (uint32_t digit = 0, begin = 0; digit < digits; begin = starts[digit++])
        sort_part(parts + begin, starts[digit] - begin, records + begin);
    for (size_t done = 0; done < bytes;) {
        ssize_t put = write(1, in + done, bytes - done);
        if (put <= 0)
            return 1;
        done += static_cast<size_t>(put);
    }
    return 0;
}
