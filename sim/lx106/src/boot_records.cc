#include "boot_records.hpp"

#include "memory.hpp"

namespace lx106 {

namespace {

enum Tag : std::uint16_t {
    kCommandLine = 0x1001,
    kMemory = 0x1003,
    kFirst = 0x7b0b,
    kLast = 0x7e0b
};
constexpr std::uint32_t kConventionalMemory = 0x1000;

class Writer {
public:
    void half(std::uint32_t value) {
        bytes.push_back(static_cast<std::uint8_t>(value));
        bytes.push_back(static_cast<std::uint8_t>(value >> 8));
    }
    void word(std::uint32_t value) {
        half(value);
        half(value >> 16);
    }
    void tag(Tag tag, std::size_t size) {
        half(tag);
        half(static_cast<std::uint32_t>(size));
    }
    std::vector<std::uint8_t> bytes;
};

} // namespace

std::vector<std::uint8_t> boot_records(std::string_view words) {
    const std::size_t padded = (words.size() + 1 + 3) & ~std::size_t{3}; // ended by a zero
    Writer out;
    out.tag(kFirst, 0);
    out.tag(kMemory, 12);
    out.word(kConventionalMemory);
    out.word(Memory::kSystemBase);
    out.word(Memory::kSystemBase + Memory::kSystemBytes);
    out.tag(kCommandLine, padded);
    out.bytes.insert(out.bytes.end(), words.begin(), words.end());
    out.bytes.resize(out.bytes.size() + padded - words.size());
    out.tag(kLast, 0);
    return out.bytes;
}

} // namespace lx106
