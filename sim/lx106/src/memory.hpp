// The board's memory: blocks of RAM at the addresses of QEMU's lx60-nommu with an LX106. The
// firmware uses only the parts that the chip has.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace lx106 {

class Memory {
public:
    static constexpr std::uint32_t kDataBase = 0x3ff40000, kDataBytes = 0xc0000;
    static constexpr std::uint32_t kCodeBase = 0x40000000, kCodeBytes = 0x300000;
    static constexpr std::uint32_t kBootBase = 0x50000000, kBootBytes = 0x4000000;
    static constexpr std::uint32_t kSystemBase = 0x60000000, kSystemBytes = 0x400000;
    static constexpr std::uint32_t kFrameBase = 0x9d800000, kFrameBytes = 0x4000;

    // The bytes from `address` on; null unless `size` bytes are within one block.
    [[nodiscard]] std::uint8_t *find(std::uint32_t address, std::size_t size);
    // The first byte of the blocks for data and for code, which the processor accesses directly.
    [[nodiscard]] std::uint8_t *data() { return blocks_[0].bytes.get(); }
    [[nodiscard]] std::uint8_t *code() { return blocks_[1].bytes.get(); }

private:
    struct Unmap {
        std::size_t size;
        void operator()(std::uint8_t *bytes) const;
    };
    // Zeroed memory, allocated by the host on first use, between two inaccessible guard areas.
    struct Block {
        Block(std::uint32_t from, std::size_t count);
        std::uint32_t base;
        std::size_t size;
        std::unique_ptr<std::uint8_t[], Unmap> bytes;
    };
    std::array<Block, 5> blocks_{Block(kDataBase, kDataBytes), Block(kCodeBase, kCodeBytes),
                                 Block(kBootBase, kBootBytes), Block(kSystemBase, kSystemBytes),
                                 Block(kFrameBase, kFrameBytes)};
};

} // namespace lx106
