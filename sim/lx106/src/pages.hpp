// Zeroed memory that the host allocates on first use, between two inaccessible guard areas.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace lx106 {

class Pages {
public:
    // Throws std::bad_alloc when the host has no address space left.
    explicit Pages(std::size_t size);
    [[nodiscard]] std::uint8_t *data() const { return bytes_.get(); }
    // Sets all bytes to zero, and gives the memory back to the host.
    void clear();

private:
    struct Unmap {
        std::size_t size;
        void operator()(std::uint8_t *bytes) const;
    };
    std::unique_ptr<std::uint8_t[], Unmap> bytes_;
};

} // namespace lx106
