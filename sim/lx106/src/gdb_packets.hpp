// The packets of GDB's remote serial protocol (GDB manual, appendix E), without what is in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lx106 {

// The contents of a packet that GDB may send; longer ones are dropped.
inline constexpr std::size_t kGdbPacketMax = 0x4000;

// Takes packets out of a stream of bytes.
class GdbReader {
public:
    enum class Found { nothing, packet, broken, interrupt };

    // Takes in a byte. After `packet` the contents are in packet(); `broken`: its checksum is
    // wrong, or it is too long.
    Found take(std::uint8_t byte);
    [[nodiscard]] const std::string &packet() const { return packet_; }

private:
    enum class State { outside, inside, first_digit, second_digit };
    State state_ = State::outside;
    std::string packet_;
    std::uint8_t sum_ = 0, told_ = 0;
    bool bad_ = false;
};

// A packet with these contents, which have none of the protocol's own characters.
[[nodiscard]] std::string gdb_packet(std::string_view contents);
// Contents with the protocol's own characters escaped.
[[nodiscard]] std::string gdb_escaped(std::string_view contents);
[[nodiscard]] std::string to_hex(std::span<const std::uint8_t> bytes);
// Nothing for anything but pairs of hexadecimal digits.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> from_hex(std::string_view digits);

// Takes a hexadecimal number of at most 32 bits from the beginning of the text; nothing if there
// is none.
[[nodiscard]] std::optional<std::uint32_t> take_number(std::string_view &text);
// Takes this text from the beginning of the other; whether it was there.
[[nodiscard]] bool take_text(std::string_view &text, std::string_view beginning);

} // namespace lx106
