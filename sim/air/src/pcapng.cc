#include "pcapng.hpp"

#include <array>
#include <cerrno>
#include <system_error>

#include <ports/little_endian.hpp>

namespace air {

namespace {

constexpr std::uint32_t kSectionHeader = 0x0a0d0d0a;
constexpr std::uint32_t kByteOrderMagic = 0x1a2b3c4d;
constexpr std::uint32_t kInterfaceDescription = 1;
constexpr std::uint32_t kEnhancedPacket = 6;
constexpr std::uint32_t kOptionResolution = 9; // if_tsresol
constexpr std::uint8_t kNanoseconds = 9;       // 10^-9 s

class Block {
public:
    explicit Block(std::uint32_t type) : type_(type) {}
    void put16(std::uint32_t value) { ports::put16(body_, value); }
    void put32(std::uint32_t value) { ports::put32(body_, value); }
    void put(std::span<const std::uint8_t> data) {
        ports::put(body_, data);
        body_.resize((body_.size() + 3) & ~std::size_t{3});
    }
    void finish(std::FILE *file) const {
        const std::size_t length = body_.size() + 12; // with the type and twice the length
        ports::Bytes block;
        ports::put32(block, type_);
        ports::put32(block, length);
        ports::put(block, body_);
        ports::put32(block, length);
        std::fwrite(block.data(), 1, block.size(), file);
    }

private:
    std::uint32_t type_;
    ports::Bytes body_;
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
