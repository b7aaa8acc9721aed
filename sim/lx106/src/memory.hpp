// The board's memory: blocks of RAM at the addresses of QEMU's lx60-nommu with an LX106. The
// firmware uses only the parts that the chip has.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "pages.hpp"

namespace lx106 {

class Memory {
public:
    static constexpr std::uint32_t kDataBase = 0x3ff40000, kDataBytes = 0xc0000;
    static constexpr std::uint32_t kCodeBase = 0x40000000, kCodeBytes = 0x300000;
    static constexpr std::uint32_t kBootBase = 0x50000000, kBootBytes = 0x4000000;
    static constexpr std::uint32_t kSystemBase = 0x60000000, kSystemBytes = 0x400000;
    static constexpr std::uint32_t kFrameBase = 0x9d800000, kFrameBytes = 0x4000;

    // True if `size` bytes from `address` on are within the block for code.
    [[nodiscard]] static bool is_code(std::uint32_t address, std::size_t size) {
        const std::uint32_t offset = address - kCodeBase;
        return offset < kCodeBytes && size <= kCodeBytes - offset;
    }

    // `lent_code`, kCodeBytes that outlive this object, is the block for code until a byte of it is
    // to be changed. The block is then copied, and `code_copied` called. Null: an empty block.
    explicit Memory(const std::uint8_t *lent_code = nullptr);
    void on_copied_code(std::function<void()> code_copied) { copied_ = std::move(code_copied); }

    // The bytes from `address` on, to be read; null unless `size` bytes are within one block.
    [[nodiscard]] const std::uint8_t *find(std::uint32_t address, std::size_t size) const;
    // The same to be written. Throws std::bad_alloc when the host has no memory for a copy.
    [[nodiscard]] std::uint8_t *change(std::uint32_t address, std::size_t size);
    // Sets all bytes of the block for data, and of the system's, to zero.
    void lose_power();
    // The first byte of the blocks for data and for code, which the processor accesses directly.
    [[nodiscard]] std::uint8_t *data() const { return blocks_[0].pages->data(); }
    [[nodiscard]] const std::uint8_t *code() const {
        return lent_code_ ? lent_code_ : blocks_[1].pages->data();
    }
    [[nodiscard]] bool code_is_lent() const { return lent_code_ != nullptr; }

private:
    struct Block {
        std::uint32_t base;
        std::size_t size;
        std::optional<Pages> pages; // none of lent code
    };
    struct Place {
        const Block *block; // null: no memory
        std::size_t offset;
    };
    [[nodiscard]] Place place_of(std::uint32_t address, std::size_t size) const;
    void copy_code();

    const std::uint8_t *lent_code_;
    std::function<void()> copied_;
    std::array<Block, 5> blocks_;
};

} // namespace lx106
