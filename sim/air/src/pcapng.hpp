// A pcapng file with one interface and nanosecond time stamps (draft-ietf-opsawg-pcapng).
#pragma once

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>

#include "des/time.hpp"

namespace air {

class PcapngWriter {
public:
    static constexpr std::uint16_t kRadiotap = 127;

    // Creates the file. Throws std::system_error when that fails.
    PcapngWriter(const std::string &path, std::uint16_t link_type);
    ~PcapngWriter();
    PcapngWriter(const PcapngWriter &) = delete;
    PcapngWriter &operator=(const PcapngWriter &) = delete;

    // `original_bytes` is the packet's length on the air; at least bytes.size().
    void write(des::Time at, std::span<const std::uint8_t> bytes, std::uint32_t original_bytes);

private:
    std::FILE *file_;
};

} // namespace air
