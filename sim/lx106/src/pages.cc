#include "pages.hpp"

#include <new>
#include <sys/mman.h>

namespace lx106 {

namespace {

// On each side; a multiple of any host's pages.
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

Pages::Pages(std::size_t size) : bytes_(map(size), Unmap{size}) {}

void Pages::clear() {
    // Private pages without a file are zero when they are next used.
    if (madvise(bytes_.get(), bytes_.get_deleter().size, MADV_DONTNEED) != 0)
        throw std::bad_alloc();
}

void Pages::Unmap::operator()(std::uint8_t *bytes) const {
    munmap(bytes - kStrip, size + 2 * kStrip);
}

} // namespace lx106
