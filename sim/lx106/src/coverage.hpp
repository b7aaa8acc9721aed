// What a board has executed of its block for code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "memory.hpp"

namespace lx106 {

class Coverage {
public:
    // The instruction at `pc` is executed; one outside of the block for code is left out.
    void add(std::uint32_t pc) {
        if (!Memory::is_code(pc, 1) || known_[pc - Memory::kCodeBase])
            return;
        known_[pc - Memory::kCodeBase] = true;
        executed_.push_back(pc);
    }
    // The addresses of all executed instructions, ascending.
    [[nodiscard]] std::vector<std::uint32_t> addresses() const;
    // Writes the addresses to a file, as 32-bit little-endian numbers. Throws std::system_error
    // when it cannot be written.
    void write(const std::string &path) const;

private:
    std::vector<bool> known_ = std::vector<bool>(Memory::kCodeBytes);
    std::vector<std::uint32_t> executed_;
};

} // namespace lx106
