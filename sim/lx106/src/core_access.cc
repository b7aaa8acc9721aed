// Memory accesses of the processor: alignment, protection of regions, the data breakpoint,
// peripherals, and the cache of decoded code.
#include "core.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace lx106 {

namespace {

constexpr unsigned kRegionBits = 29;
constexpr std::uint32_t kWatchLoads = 0x40000000, kWatchStores = 0x80000000, kWatchMask = 0x3f;
constexpr std::uint32_t kDebugDataBreak = 0x04;
constexpr std::uint32_t kDebugLevel = 2;

// Accesses that the attributes of a region allow (manual, table 4-149, as QEMU implements it).
constexpr std::uint16_t kReadable = 0x4037, kWritable = 0x4037, kExecutable = 0x003e;

bool allowed(std::uint16_t attributes, std::uint8_t attribute) {
    return attributes >> attribute & 1;
}

} // namespace

// Neither the code nor how it is decoded or fetched may differ from other boards' while their
// instructions are in use.
void Core::forget_code() {
    const bool as_others =
        shared_ && memory_.code_is_lent() && !halts_ && !(registers.special[LITBASE] & 1) &&
        std::ranges::all_of(fetch_access_, [](auto access) { return access == kAccessAll; });
    if (!as_others)
        return decode_alone();
    decoded_ = shared_;
    horizon_ = 0; // execute() has a copy of the pointer
}

void Core::decode_alone() {
    own_.clear();
    decoded_ = &own_;
    horizon_ = 0;
}

const Instruction *Core::fetch(std::uint32_t pc) {
    if (!allowed(kExecutable, fetch_access_[pc >> kRegionBits])) {
        registers.pc = raise(Cause::fetch_prohibited, pc, pc);
        return nullptr;
    }
    std::uint32_t word = 0;
    const std::uint8_t *first = memory_.find(pc, 1);
    const unsigned length = first ? length_of(*first) : 0;
    const std::uint8_t *bytes = first ? memory_.find(pc, length) : nullptr;
    if (bytes)
        std::memcpy(&word, bytes, length);
    else if (!Peripherals::owns(pc)) { // whose zeros are an illegal instruction
        registers.pc = raise(Cause::no_instruction, pc, pc);
        return nullptr;
    }
    const bool breaks = halts_ && halts_->breakpoints.contains(pc);
    if (breaks && !passing_) {
        hold({Halt::Reason::breakpoint, pc}, pc);
        return nullptr;
    }
    if (decoded_ == shared_ && !Memory::is_code(pc, length))
        decode_alone();
    Instruction &entry = breaks ? passed_ : decoded_->add(pc);
    entry = decode(pc, word);
    if (entry.operation == Operation::l32r && (registers.special[LITBASE] & 1))
        entry.immediate = (registers.special[LITBASE] & ~1u) + (0xfffc0000 | (word >> 8) << 2);
    return &entry;
}

// Zeros are no instruction, but match address 0, where there is no memory to fetch from. Returns
// the address of the handler.
std::uint32_t Core::at_zero() {
    [[maybe_unused]] const Instruction *none = fetch(0);
    return registers.pc;
}

void Core::choose_fast_paths() {
    const auto &special = registers.special;
    const std::uint32_t control = special[DBREAKC0];
    watch_bytes_ = 0;
    if (control & (kWatchLoads | kWatchStores)) {
        // The leading ones of the mask are compared; from its first zero on, nothing is.
        const auto compared = static_cast<unsigned>(std::countl_one(control | ~kWatchMask));
        watch_bytes_ = compared < 32 ? 1u << (32 - compared) : 1;
        watch_base_ = special[DBREAKA0] & ~(watch_bytes_ - 1);
    }
    const std::uint8_t data = data_access_[Memory::kDataBase >> kRegionBits];
    const std::uint8_t code = data_access_[Memory::kCodeBase >> kRegionBits];
    const bool watching = control & kWatchLoads;
    fast_load_bytes_ = allowed(kReadable, data) && !watching ? Memory::kDataBytes : 0;
    fast_store_bytes_ = allowed(kWritable, data) ? Memory::kDataBytes : 0;
    fast_literal_bytes_ = allowed(kReadable, code) && !watching ? Memory::kCodeBytes : 0;
    if (halts_ && halts_->watches_any(false))
        fast_load_bytes_ = fast_literal_bytes_ = 0;
    if (halts_ && halts_->watches_any(true))
        fast_store_bytes_ = 0;
}

bool Core::watched(std::uint32_t address, unsigned size, std::uint32_t which) const {
    return (registers.special[DBREAKC0] & which) && level() < kDebugLevel &&
           address < watch_base_ + watch_bytes_ && watch_base_ < address + size;
}

Core::Loaded Core::load(std::uint32_t pc, std::uint32_t address, unsigned size) {
    registers.pc = pc;
    if (halts_ && !passing_)
        if (const auto why = halts_->watching(address, size, false)) {
            hold(*why, pc);
            return {false, 0};
        }
    if (address & (size - 1)) {
        registers.pc = raise(Cause::unaligned, pc, address);
        return {false, 0};
    }
    if (!allowed(kReadable, data_access_[address >> kRegionBits])) {
        registers.pc = raise(Cause::load_prohibited, pc, address);
        return {false, 0};
    }
    if (watched(address, size, kWatchLoads)) {
        registers.pc = raise_debug(kDebugDataBreak, pc);
        return {false, 0};
    }
    if (const std::uint8_t *from = memory_.find(address, size)) {
        std::uint32_t value = 0;
        std::memcpy(&value, from, size);
        return {true, value};
    }
    if (Peripherals::owns(address))
        return {true, peripherals_.read(address, size)};
    registers.pc = raise(Cause::no_data, pc, address);
    return {false, 0};
}

bool Core::store(std::uint32_t pc, std::uint32_t address, std::uint32_t value, unsigned size) {
    registers.pc = pc;
    if (halts_ && !passing_)
        if (const auto why = halts_->watching(address, size, true)) {
            hold(*why, pc);
            return false;
        }
    if (address & (size - 1)) {
        registers.pc = raise(Cause::unaligned, pc, address);
        return false;
    }
    if (!allowed(kWritable, data_access_[address >> kRegionBits])) {
        registers.pc = raise(Cause::store_prohibited, pc, address);
        return false;
    }
    if (watched(address, size, kWatchStores)) {
        registers.pc = raise_debug(kDebugDataBreak, pc);
        return false;
    }
    if (std::uint8_t *to = memory_.change(address, size)) {
        std::memcpy(to, &value, size);
        // All but data; frames come often, and hold no code. Shared instructions are those of code
        // that nobody changes.
        if (address >= Memory::kCodeBase && address < Memory::kFrameBase && decoded_ != shared_)
            forget_code();
        return true;
    }
    if (Peripherals::owns(address)) {
        peripherals_.write(address, value & (size == 4 ? 0xffffffff : (1u << 8 * size) - 1), size);
        return true;
    }
    registers.pc = raise(Cause::no_data, pc, address);
    return false;
}

void Core::write_tlb(bool data, std::uint32_t address, std::uint32_t attribute) {
    auto &access = data ? data_access_ : fetch_access_;
    access[address >> kRegionBits] = attribute & 15;
    choose_fast_paths();
    if (!data)
        forget_code();
}

} // namespace lx106
