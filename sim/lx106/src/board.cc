#include "board.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "boot_records.hpp"

namespace lx106 {

namespace {

constexpr std::uint32_t kEthernetLine = 1u << 1;
// The boot records end below this address.
constexpr std::uint32_t kRecordsEnd = Memory::kBootBase + 0x20000, kRecordsAlignment = 256;

void check_size(std::string_view words) {
    if (words.size() > kWordsMax)
        throw std::runtime_error(
            "the configuration words are longer than 65520 bytes; shorten them");
}

} // namespace

Board::Board(ElfImage firmware, std::string_view words, Time instruction, Outside &outside)
    : Board(std::make_shared<const Firmware>(std::move(firmware)), words, instruction, outside) {}

Board::Board(std::shared_ptr<const Firmware> firmware, std::string_view words, Time instruction,
             Outside &outside)
    : firmware_(std::move(firmware)), memory_(firmware_->code()),
      peripherals_(
          memory_, [&outside](auto frame) { outside.send(frame); },
          [this](bool high) { core_.set_line(kEthernetLine, high); },
          [&outside](bool on) { outside.receiver(on); },
          [this] {
              resetting_ = true;
              core_.halt();
          },
          [&outside] { outside.look(); }),
      core_(
          memory_, peripherals_, [&outside](auto text) { outside.log(text); }, instruction,
          &firmware_->decoded()) {
    place_records(words);
    reset();
}

void Board::place_records(std::string_view words) {
    check_size(words);
    const std::vector<std::uint8_t> records = boot_records(words);
    records_ =
        (kRecordsEnd - static_cast<std::uint32_t>(records.size())) & ~(kRecordsAlignment - 1);
    std::ranges::copy(records, memory_.change(records_, records.size()));
}

void Board::later_words(std::vector<std::string> words) {
    for (const std::string &each : words)
        check_size(each);
    later_words_ = std::move(words);
}

// Segments are loaded again at each reset; all other memory keeps its contents.
void Board::load() {
    for (const Segment &segment : firmware_->image().segments) {
        if (memory_.code_is_lent() && Memory::is_code(segment.address, segment.size))
            continue; // as it was
        std::uint8_t *to = memory_.change(segment.address, segment.size);
        if (!to)
            throw std::runtime_error("the firmware has a segment where the board has no memory; "
                                     "link it with firmware/boards/lx106/link.ld");
        to = std::ranges::copy(segment.data, to).out;
        std::fill_n(to, segment.size - segment.data.size(), std::uint8_t{0});
    }
}

void Board::reset() {
    if (resets_ > 0 && !later_words_.empty())
        place_records(later_words_[std::min<std::size_t>(resets_, later_words_.size()) - 1]);
    load();
    peripherals_.reset();
    core_.reset(firmware_->image().entry);
    // QEMU's code at the reset vector passes these on, and jumps.
    core_.registers.a[0] = firmware_->image().entry;
    core_.registers.a[2] = records_;
    preset_due_ = std::ranges::any_of(
        presets_.words, [this](const auto &word) { return word.each_start || resets_ == 0; });
}

void Board::preset(Presets presets) {
    for (const auto &word : presets.words)
        if (!memory_.find(word.address, sizeof word.value))
            throw std::runtime_error("a word is to be set where the board has no memory");
    presets_ = std::move(presets);
    preset_due_ = !presets_.words.empty();
}

void Board::restart(bool power_lost) {
    if (power_lost)
        memory_.lose_power();
    ++resets_;
    reset();
}

// The firmware's own start code clears its variables, so they are set after it.
void Board::run_to_presets(std::uint64_t executed) {
    while (preset_due_ && core_.executed() < executed && !core_.asleep() && !resetting_) {
        if (core_.registers.pc != presets_.pc) {
            core_.run(core_.executed() + 1);
            continue;
        }
        preset_due_ = false;
        for (const auto &[address, value, each_start] : presets_.words)
            if (each_start || resets_ == 0)
                std::memcpy(memory_.change(address, sizeof value), &value, sizeof value);
    }
}

void Board::run_once(std::uint64_t executed) {
    run_to_presets(executed);
    if (!resetting_)
        core_.run(executed);
}

void Board::run(std::uint64_t executed) {
    run_once(executed);
    while (resetting_) {
        resetting_ = false;
        ++resets_;
        reset();
        run_once(executed);
    }
}

} // namespace lx106
