// An ELF file for the LX106: its segments that are loaded into memory.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lx106 {

struct Segment {
    std::uint32_t address = 0; // where it is loaded
    std::uint32_t size = 0;    // in memory; zeros follow the data
    std::vector<std::uint8_t> data;
};

struct ElfImage {
    std::uint32_t entry = 0;
    std::vector<Segment> segments;
};

// Throws std::runtime_error with the reason for any other file.
ElfImage parse_elf(std::span<const std::uint8_t> file);

// The same for a file; the message names it and a remedy.
ElfImage read_elf(const std::string &path);

} // namespace lx106
