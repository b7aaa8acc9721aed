#include "board.hpp"

#include <algorithm>
#include <stdexcept>

#include "boot_records.hpp"

namespace lx106 {

namespace {

constexpr std::uint32_t kEthernetLine = 1u << 1;
// The boot records end below this address.
constexpr std::uint32_t kRecordsEnd = Memory::kBootBase + 0x20000, kRecordsAlignment = 256;

} // namespace

Board::Board(ElfImage firmware, std::string_view words, Time instruction, Outside &outside)
    : firmware_(std::move(firmware)),
      peripherals_(
          memory_, [&outside](auto frame) { outside.send(frame); },
          [this](bool high) { core_.set_line(kEthernetLine, high); },
          [this] {
              resetting_ = true;
              core_.halt();
          },
          [&outside] { outside.look(); }),
      core_(memory_, peripherals_, [&outside](auto text) { outside.log(text); }, instruction) {
    if (words.size() > kWordsMax)
        throw std::runtime_error(
            "the configuration words are longer than 65520 bytes; shorten them");
    const std::vector<std::uint8_t> records = boot_records(words);
    records_ =
        (kRecordsEnd - static_cast<std::uint32_t>(records.size())) & ~(kRecordsAlignment - 1);
    std::ranges::copy(records, memory_.find(records_, records.size()));
    reset();
}

// Segments are loaded again at each reset; all other memory keeps its contents.
void Board::load() {
    for (const Segment &segment : firmware_.segments) {
        std::uint8_t *to = memory_.find(segment.address, segment.size);
        if (!to)
            throw std::runtime_error("the firmware has a segment where the board has no memory; "
                                     "link it with firmware/boards/lx106/link.ld");
        to = std::ranges::copy(segment.data, to).out;
        std::fill_n(to, segment.size - segment.data.size(), std::uint8_t{0});
    }
}

void Board::reset() {
    load();
    peripherals_.reset();
    core_.reset(firmware_.entry);
    // QEMU's code at the reset vector passes these on, and jumps.
    core_.registers.a[0] = firmware_.entry;
    core_.registers.a[2] = records_;
}

void Board::run(std::uint64_t executed) {
    core_.run(executed);
    while (resetting_) {
        resetting_ = false;
        ++resets_;
        reset();
        core_.run(executed);
    }
}

} // namespace lx106
