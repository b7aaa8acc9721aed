#include "memory.hpp"

#include <new>

namespace lx106 {

namespace {

// The frame buffers appear here, too, cached: the same bytes.
constexpr std::uint32_t kFrameAlias = 0x7d800000;

} // namespace

Memory::Block::Block(std::uint32_t from, std::size_t count)
    : base(from), size(count), bytes(static_cast<std::uint8_t *>(std::calloc(count, 1))) {
    if (!bytes)
        throw std::bad_alloc();
}

std::uint8_t *Memory::find(std::uint32_t address, std::size_t size) {
    if (address - kFrameAlias < kFrameBytes)
        address += kFrameBase - kFrameAlias;
    for (Block &block : blocks_) {
        const std::size_t offset = address - block.base;
        if (address >= block.base && offset < block.size && size <= block.size - offset)
            return block.bytes.get() + offset;
    }
    return nullptr;
}

} // namespace lx106
