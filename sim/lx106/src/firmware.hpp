// What the boards with one firmware share: its image, its code in memory, and the instructions that
// one of them has decoded. Only one of them computes at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "coverage.hpp"
#include "elf_image.hpp"
#include "instruction.hpp"
#include "pages.hpp"

namespace lx106 {

// Decoded instructions in the order in which they were first executed, so that the next one mostly
// lies behind the last, in the same line of the host's cache.
class Decoded {
public:
    Decoded();
    // Not an instruction; it stands before the first.
    [[nodiscard]] const Instruction *begin() const { return entries(); }
    // The place of the instruction at `pc` if it has one; else that of any, or zeros.
    [[nodiscard]] const Instruction *find(std::uint32_t pc) const {
        return entries() + numbers()[pc % kAddresses];
    }
    // A place for the instruction at `pc`. All others are forgotten if there is none left.
    [[nodiscard]] Instruction &add(std::uint32_t pc);
    // Forgets all of them.
    void clear();
    // Adds what is decoded from now on to `coverage`, which outlives this object or its last use.
    // An instruction is decoded when it is executed.
    void cover(Coverage &coverage) { coverage_ = &coverage; }

private:
    using Number = std::uint16_t;
    // More than the block for code has, so that none of its addresses share a number.
    static constexpr std::size_t kAddresses = 1u << 22;
    static constexpr std::size_t kMost = 0xffff;

    [[nodiscard]] Instruction *entries() const {
        return reinterpret_cast<Instruction *>(entries_.data());
    }
    [[nodiscard]] Number *numbers() const { return reinterpret_cast<Number *>(numbers_.data()); }

    Pages entries_, numbers_;
    std::size_t count_ = 0;
    Coverage *coverage_ = nullptr;
};

class Firmware {
public:
    explicit Firmware(ElfImage image);

    [[nodiscard]] const ElfImage &image() const { return image_; }
    // Memory::kCodeBytes with the segments that lie there.
    [[nodiscard]] const std::uint8_t *code() const { return code_.data(); }
    // Instructions of code().
    [[nodiscard]] Decoded &decoded() const { return decoded_; }

private:
    ElfImage image_;
    Pages code_;
    mutable Decoded decoded_;
};

} // namespace lx106
