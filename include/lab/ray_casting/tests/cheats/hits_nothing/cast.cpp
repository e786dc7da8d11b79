#include <cstdint>
#include <unistd.h>
#include <vector>

int main() {
    std::vector<int32_t> hits(1'500, -1);
    return write(1, hits.data(), 6'000) != 6'000;
}
