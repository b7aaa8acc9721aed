#include "memory.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace lx106 {

namespace {

// The cached alias of the frame buffers: the same bytes.
constexpr std::uint32_t kFrameAlias = 0x7d800000;

} // namespace

Memory::Memory(const std::uint8_t *lent_code)
    : lent_code_(lent_code), blocks_{{{kDataBase, kDataBytes, Pages(kDataBytes)},
                                      {kCodeBase, kCodeBytes, std::nullopt},
                                      {kBootBase, kBootBytes, Pages(kBootBytes)},
                                      {kSystemBase, kSystemBytes, Pages(kSystemBytes)},
                                      {kFrameBase, kFrameBytes, Pages(kFrameBytes)}}} {
    if (!lent_code)
        blocks_[1].pages.emplace(kCodeBytes);
}

Memory::Place Memory::place_of(std::uint32_t address, std::size_t size) const {
    if (address - kFrameAlias < kFrameBytes)
        address += kFrameBase - kFrameAlias;
    for (const Block &block : blocks_) {
        const std::size_t offset = address - block.base;
        if (address >= block.base && offset < block.size && size <= block.size - offset)
            return {&block, offset};
    }
    return {nullptr, 0};
}

const std::uint8_t *Memory::find(std::uint32_t address, std::size_t size) const {
    const auto [block, offset] = place_of(address, size);
    if (!block)
        return nullptr;
    return (block->pages ? block->pages->data() : lent_code_) + offset;
}

std::uint8_t *Memory::change(std::uint32_t address, std::size_t size) {
    const auto [block, offset] = place_of(address, size);
    if (!block)
        return nullptr;
    if (!block->pages)
        copy_code();
    return block->pages->data() + offset;
}

// Pages that are zero are not copied, so that the host allocates none for them.
void Memory::copy_code() {
    constexpr std::size_t kPage = 4096;
    std::uint8_t *to = blocks_[1].pages.emplace(kCodeBytes).data();
    for (std::size_t at = 0; at < kCodeBytes; at += kPage)
        if (std::any_of(lent_code_ + at, lent_code_ + at + kPage,
                        [](std::uint8_t byte) { return byte != 0; }))
            std::memcpy(to + at, lent_code_ + at, kPage);
    lent_code_ = nullptr;
    if (copied_)
        copied_();
}

void Memory::lose_power() {
    blocks_[0].pages->clear();
    blocks_[3].pages->clear();
}

} // namespace lx106
