// Sorts records by their keys; equal keys keep their order.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <vector>

struct Record {
    uint32_t key;
    uint32_t value;
};

static std::vector<Record> sorted(std::vector<Record> records) {
    std::sort(records.begin(), records.end(), [](const Record &a, const Record &b) { return a.key < b.key; });
    return records;
}

int main() {
    std::vector<Record> records;
    Record record;
    while (std::cin.read(reinterpret_cast<char *>(&record), sizeof record))
        records.push_back(record);
    for (const Record &each : sorted(records))
        std::cout.write(reinterpret_cast<const char *>(&each), sizeof each);
    return std::cout.flush() ? 0 : 1;
}
