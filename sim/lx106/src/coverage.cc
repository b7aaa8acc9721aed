#include "coverage.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>

namespace lx106 {

std::vector<std::uint32_t> Coverage::addresses() const {
    std::vector<std::uint32_t> sorted = executed_;
    std::ranges::sort(sorted);
    return sorted;
}

void Coverage::write(const std::string &path) const {
    std::vector<std::uint8_t> bytes;
    for (const std::uint32_t address : addresses())
        for (unsigned shift = 0; shift < 32; shift += 8)
            bytes.push_back(static_cast<std::uint8_t>(address >> shift));
    std::FILE *file = std::fopen(path.c_str(), "wb");
    const bool written = file && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
    if (!file || std::fclose(file) != 0 || !written)
        throw std::system_error(errno, std::generic_category(),
                                "the coverage " + path + " cannot be written; free some disk");
}

} // namespace lx106
