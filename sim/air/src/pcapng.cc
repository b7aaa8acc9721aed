#include "pcapng.hpp"

#include <array>
#include <cerrno>
#include <system_error>
#include <vector>

namespace air {

namespace {

constexpr std::uint32_t kSectionHeader = 0x0a0d0d0a;
constexpr std::uint32_t kByteOrderMagic = 0x1a2b3c4d;
constexpr std::uint32_t kInterfaceDescription = 1;
constexpr std::uint32_t kEnhancedPacket = 6;
constexpr std::uint32_t kOptionResolution = 9; // if_tsresol
constexpr std::uint8_t kNanoseconds = 9;       // 10^-9 s

// The file is little-endian on every machine.
class Block {
public:
    explicit Block(std::uint32_t type) {
        put32(type);
        put32(0); // the length, known at the end
    }
    void put16(std::uint32_t value) {
        bytes_.push_back(static_cast<std::uint8_t>(value));
        bytes_.push_back(static_cast<std::uint8_t>(value >> 8));
    }
    void put32(std::uint32_t value) {
        put16(value & 0xffff);
        put16(value >> 16);
    }
    void put(std::span<const std::uint8_t> data) {
        bytes_.insert(bytes_.end(), data.begin(), data.end());
        bytes_.resize((bytes_.size() + 3) & ~std::size_t{3});
    }
    void finish(std::FILE *file) {
        const auto length = static_cast<std::uint32_t>(bytes_.size() + 4);
        put32(length);
        for (unsigned i = 0; i < 4; ++i)
            bytes_[4 + i] = static_cast<std::uint8_t>(length >> (8 * i));
        std::fwrite(bytes_.data(), 1, bytes_.size(), file);
    }

private:
    std::vector<std::uint8_t> bytes_;
};

} // namespace

PcapngWriter::PcapngWriter(const std::string &path, std::uint16_t link_type)
    : file_(std::fopen(path.c_str(), "wb")) {
    if (file_ == nullptr)
        throw std::system_error(errno, std::generic_category(), path);
    Block section(kSectionHeader);
    section.put32(kByteOrderMagic);
    section.put16(1); // version 1.0
    section.put16(0);
    section.put32(0xffffffff); // section length unknown
    section.put32(0xffffffff);
    section.finish(file_);
    Block interface(kInterfaceDescription);
    interface.put16(link_type);
    interface.put16(0);
    interface.put32(0); // no snap length
    interface.put16(kOptionResolution);
    interface.put16(1);
    interface.put(std::array{kNanoseconds});
    interface.put32(0); // end of options
    interface.finish(file_);
}

PcapngWriter::~PcapngWriter() {
    std::fclose(file_);
}

void PcapngWriter::write(des::Time at, std::span<const std::uint8_t> bytes,
                         std::uint32_t original_bytes) {
    const auto time = static_cast<std::uint64_t>(at.count());
    Block packet(kEnhancedPacket);
    packet.put32(0); // interface
    packet.put32(static_cast<std::uint32_t>(time >> 32));
    packet.put32(static_cast<std::uint32_t>(time));
    packet.put32(static_cast<std::uint32_t>(bytes.size()));
    packet.put32(original_bytes);
    packet.put(bytes);
    packet.finish(file_);
}

} // namespace air
