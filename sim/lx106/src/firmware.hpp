// What the boards with one firmware share: its image, its code in memory, and the instructions that
// one of them has decoded. Only one of them computes at a time.
#pragma once

#include <cstddef>

#include "elf_image.hpp"
#include "instruction.hpp"
#include "pages.hpp"

namespace lx106 {

// Decoded instructions, each in the slot that its address selects.
class Decoded {
public:
    static constexpr std::size_t kSlots = 1u << 16;

    Decoded();
    [[nodiscard]] Instruction *slots() const {
        return reinterpret_cast<Instruction *>(pages_.data());
    }
    // Forgets all of them.
    void clear();

private:
    void mark();
    Pages pages_;
};

class Firmware {
public:
    explicit Firmware(ElfImage image);

    [[nodiscard]] const ElfImage &image() const { return image_; }
    // Memory::kCodeBytes with the segments that lie there.
    [[nodiscard]] const std::uint8_t *code() const { return code_.data(); }
    // Instructions of code().
    [[nodiscard]] Instruction *decoded() const { return decoded_.slots(); }

private:
    ElfImage image_;
    Pages code_;
    Decoded decoded_;
};

} // namespace lx106
