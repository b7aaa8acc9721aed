#include "memory.hpp"

#include <new>
#include <sys/mman.h>

namespace lx106 {

namespace {

// The cached alias of the frame buffers: the same bytes.
constexpr std::uint32_t kFrameAlias = 0x7d800000;

// On each side of a block; a multiple of any host's pages.
constexpr std::size_t kStrip = 0x10000;

std::uint8_t *map(std::size_t size) {
    void *place = mmap(nullptr, size + 2 * kStrip, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED)
        throw std::bad_alloc();
    std::uint8_t *bytes = static_cast<std::uint8_t *>(place) + kStrip;
    if (mprotect(bytes, size, PROT_READ | PROT_WRITE) != 0) {
        munmap(place, size + 2 * kStrip);
        throw std::bad_alloc();
    }
    return bytes;
}

} // namespace

void Memory::Unmap::operator()(std::uint8_t *bytes) const {
    munmap(bytes - kStrip, size + 2 * kStrip);
}

Memory::Block::Block(std::uint32_t from, std::size_t count)
    : base(from), size(count), bytes(map(count), Unmap{count}) {}

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
