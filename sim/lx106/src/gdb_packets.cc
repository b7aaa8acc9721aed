#include "gdb_packets.hpp"

namespace lx106 {

namespace {

constexpr std::uint8_t kInterrupt = 0x03;
constexpr char kEscape = '}', kEscapeBit = 0x20;
constexpr char kDigits[] = "0123456789abcdef";

std::optional<std::uint8_t> digit_of(char c) {
    if (c >= '0' && c <= '9')
        return static_cast<std::uint8_t>(c - '0');
    if (c >= 'a' && c <= 'f')
        return static_cast<std::uint8_t>(c - 'a' + 10);
    if (c >= 'A' && c <= 'F')
        return static_cast<std::uint8_t>(c - 'A' + 10);
    return std::nullopt;
}

} // namespace

GdbReader::Found GdbReader::take(std::uint8_t byte) {
    const char c = static_cast<char>(byte);
    if (c == '$') { // also where one was cut short
        state_ = State::inside;
        packet_.clear();
        sum_ = 0;
        bad_ = false;
        return Found::nothing;
    }
    switch (state_) {
    case State::outside:
        return byte == kInterrupt ? Found::interrupt : Found::nothing;
    case State::inside:
        if (c == '#')
            state_ = State::first_digit;
        else if (packet_.size() == kGdbPacketMax)
            bad_ = true;
        else {
            packet_ += c;
            sum_ = static_cast<std::uint8_t>(sum_ + byte);
        }
        return Found::nothing;
    case State::first_digit:
    case State::second_digit: {
        const auto digit = digit_of(c);
        bad_ |= !digit;
        told_ = static_cast<std::uint8_t>(told_ << 4 | digit.value_or(0));
        if (state_ == State::first_digit) {
            state_ = State::second_digit;
            return Found::nothing;
        }
        state_ = State::outside;
        return bad_ || told_ != sum_ ? Found::broken : Found::packet;
    }
    }
    return Found::nothing;
}

std::string gdb_packet(std::string_view contents) {
    std::uint8_t sum = 0;
    for (const char c : contents)
        sum = static_cast<std::uint8_t>(sum + static_cast<std::uint8_t>(c));
    return "$" + std::string(contents) + "#" + to_hex({&sum, 1});
}

std::string gdb_escaped(std::string_view contents) {
    std::string text;
    for (const char c : contents)
        if (c == '$' || c == '#' || c == kEscape || c == '*') {
            text += kEscape;
            text += static_cast<char>(c ^ kEscapeBit);
        } else
            text += c;
    return text;
}

std::string to_hex(std::span<const std::uint8_t> bytes) {
    std::string text;
    for (const std::uint8_t byte : bytes) {
        text += kDigits[byte >> 4];
        text += kDigits[byte & 15];
    }
    return text;
}

std::optional<std::vector<std::uint8_t>> from_hex(std::string_view digits) {
    std::vector<std::uint8_t> bytes;
    for (; digits.size() >= 2; digits.remove_prefix(2)) {
        const auto high = digit_of(digits[0]), low = digit_of(digits[1]);
        if (!high || !low)
            return std::nullopt;
        bytes.push_back(static_cast<std::uint8_t>(*high << 4 | *low));
    }
    return digits.empty() ? std::optional(bytes) : std::nullopt;
}

std::optional<std::uint32_t> take_number(std::string_view &text) {
    std::uint64_t value = 0;
    std::size_t length = 0;
    for (; length < text.size(); ++length) {
        const auto digit = digit_of(text[length]);
        if (!digit)
            break;
        value = value << 4 | *digit;
        if (value > 0xffffffff)
            return std::nullopt;
    }
    if (length == 0)
        return std::nullopt;
    text.remove_prefix(length);
    return static_cast<std::uint32_t>(value);
}

bool take_text(std::string_view &text, std::string_view beginning) {
    if (!text.starts_with(beginning))
        return false;
    text.remove_prefix(beginning.size());
    return true;
}

} // namespace lx106
