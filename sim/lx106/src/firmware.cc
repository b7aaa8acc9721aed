#include "firmware.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "memory.hpp"

namespace lx106 {

// One stands before the first, and zeros behind the last.
Decoded::Decoded()
    : entries_((kMost + 2) * sizeof(Instruction)), numbers_(kAddresses * sizeof(Number)) {}

// Without a system call, which would take time in the laboratory.
void Decoded::clear() {
    for (; count_ > 0; --count_) {
        Instruction &entry = entries()[count_];
        numbers()[entry.pc % kAddresses] = 0;
        std::memset(static_cast<void *>(&entry), 0, sizeof entry);
    }
}

Instruction &Decoded::add(std::uint32_t pc) {
    if (count_ == kMost)
        clear();
    if (coverage_)
        coverage_->add(pc);
    numbers()[pc % kAddresses] = static_cast<Number>(++count_);
    return entries()[count_];
}

Firmware::Firmware(ElfImage image) : image_(std::move(image)), code_(Memory::kCodeBytes) {
    for (const Segment &segment : image_.segments)
        if (Memory::is_code(segment.address, segment.size))
            std::ranges::copy(segment.data, code_.data() + (segment.address - Memory::kCodeBase));
}

} // namespace lx106
