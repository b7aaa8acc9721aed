#include "boot_records.hpp"

#include "memory.hpp"

#include <ports/little_endian.hpp>

namespace lx106 {

namespace {

enum Tag : std::uint16_t {
    kCommandLine = 0x1001,
    kMemory = 0x1003,
    kFirst = 0x7b0b,
    kLast = 0x7e0b
};
constexpr std::uint32_t kConventionalMemory = 0x1000;

void put_tag(ports::Bytes &out, Tag tag, std::size_t size) {
    ports::put16(out, tag);
    ports::put16(out, size);
}

} // namespace

std::vector<std::uint8_t> boot_records(std::string_view words) {
    const std::size_t padded = (words.size() + 1 + 3) & ~std::size_t{3}; // ended by a zero
    ports::Bytes out;
    put_tag(out, kFirst, 0);
    put_tag(out, kMemory, 12);
    ports::put32(out, kConventionalMemory);
    ports::put32(out, Memory::kSystemBase);
    ports::put32(out, Memory::kSystemBase + Memory::kSystemBytes);
    put_tag(out, kCommandLine, padded);
    out.insert(out.end(), words.begin(), words.end());
    out.resize(out.size() + padded - words.size());
    put_tag(out, kLast, 0);
    return out;
}

} // namespace lx106
