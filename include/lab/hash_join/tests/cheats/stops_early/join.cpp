// Joins two tables by their keys.
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <map>
#include <vector>

constexpr std::size_t rows_r = 30'000, rows_s = 1'000;

struct Row {
    uint32_t key;
    uint32_t value;
};

static std::vector<Row> table(std::size_t rows) {
    std::vector<Row> read;
    Row row;
    while (read.size() < rows && std::cin.read(reinterpret_cast<char *>(&row), sizeof row))
        read.push_back(row);
    return read;
}

static std::vector<uint32_t> values_of(const std::map<uint32_t, std::vector<uint32_t>> &rows, uint32_t key) {
    auto found = rows.find(key);
    return found == rows.end() ? std::vector<uint32_t>{} : found->second;
}

int main() {
    std::map<uint32_t, std::vector<uint32_t>> r;
    for (const Row &row : table(rows_r))
        r[row.key].push_back(row.value);
    for (const Row &row : table(rows_s))
        for (uint32_t value : values_of(r, row.key)) {
            uint32_t pair[] = {value, row.value};
            std::cout.write(reinterpret_cast<const char *>(pair), sizeof pair);
        }
    return std::cout.flush() ? 0 : 1;
}
