#include "firmware.hpp"

#include <algorithm>
#include <utility>

#include "memory.hpp"

namespace lx106 {

Decoded::Decoded() : pages_(kSlots * sizeof(Instruction)) {
    mark();
}

void Decoded::clear() {
    pages_.clear();
    mark();
}

// A slot of zeros holds address 0. Only in the first one would a lookup of that address match.
void Decoded::mark() {
    slots()->pc = 1;
}

Firmware::Firmware(ElfImage image) : image_(std::move(image)), code_(Memory::kCodeBytes) {
    for (const Segment &segment : image_.segments)
        if (Memory::is_code(segment.address, segment.size))
            std::ranges::copy(segment.data, code_.data() + (segment.address - Memory::kCodeBase));
}

} // namespace lx106
