#include "gdb_session.hpp"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <span>

#include "gdb_packets.hpp"
#include "gdb_registers.hpp"

namespace lx106 {

namespace {

constexpr std::string_view kOk = "OK", kBad = "E01", kNoMemory = "E0e", kUnavailable = "xxxxxxxx";
constexpr std::uint32_t kBytesMax = kGdbPacketMax / 2 - 8; // in an answer, two digits each
constexpr Time kPicosecondsPerMicrosecond = 1'000'000, kMicrosecondsPerSecond = 1'000'000;

std::string little_endian(std::uint32_t value) {
    const std::array bytes = {
        static_cast<std::uint8_t>(value), static_cast<std::uint8_t>(value >> 8),
        static_cast<std::uint8_t>(value >> 16), static_cast<std::uint8_t>(value >> 24)};
    return to_hex(bytes);
}

std::optional<std::uint32_t> word_of(std::string_view digits) {
    const auto bytes = from_hex(digits);
    if (!bytes || bytes->size() != 4)
        return std::nullopt;
    return (*bytes)[0] | std::uint32_t{(*bytes)[1]} << 8 | std::uint32_t{(*bytes)[2]} << 16 |
           std::uint32_t{(*bytes)[3]} << 24;
}

// A part of a document that GDB reads piece by piece: "offset,length" of it.
std::string piece(const std::string &document, std::string_view text) {
    const auto offset = take_number(text);
    if (!offset || !take_text(text, ","))
        return std::string(kBad);
    const auto length = take_number(text);
    if (!length)
        return std::string(kBad);
    if (*offset >= document.size())
        return "l";
    const std::string part = document.substr(*offset, std::min(*length, kBytesMax));
    return (*offset + part.size() < document.size() ? "m" : "l") + gdb_escaped(part);
}

} // namespace

std::string GdbSession::read_registers() const {
    std::string text;
    for (std::size_t number = 0; number < gdb_register_count(); ++number) {
        const auto value = gdb_register(board_.core(), number);
        text += value ? little_endian(*value) : std::string(kUnavailable);
    }
    return text;
}

std::string GdbSession::write_registers(std::string_view digits) {
    if (digits.size() != gdb_register_count() * kUnavailable.size())
        return std::string(kBad);
    for (std::size_t number = 0; number < gdb_register_count(); ++number) {
        const auto value = word_of(digits.substr(number * 8, 8));
        if (value && gdb_register(board_.core(), number) != value)
            (void)set_gdb_register(board_.core(), number, *value);
    }
    return std::string(kOk);
}

std::string GdbSession::read_register(std::string_view text) const {
    const auto number = take_number(text);
    if (!number || *number >= gdb_register_count())
        return std::string(kBad);
    const auto value = gdb_register(board_.core(), *number);
    return value ? little_endian(*value) : std::string(kUnavailable);
}

std::string GdbSession::write_register(std::string_view text) {
    const auto number = take_number(text);
    if (!number || !take_text(text, "="))
        return std::string(kBad);
    const auto value = word_of(text);
    const bool written = value && set_gdb_register(board_.core(), *number, *value);
    return std::string(written ? kOk : kBad);
}

// Registers of peripherals change when they are read, and so are not shown.
std::string GdbSession::read_memory(std::string_view text) {
    const auto address = take_number(text);
    if (!address || !take_text(text, ","))
        return std::string(kBad);
    const auto size = take_number(text);
    if (!size)
        return std::string(kBad);
    const std::uint32_t count = std::min(*size, kBytesMax); // GDB asks for the rest
    const std::uint8_t *from = board_.memory().find(*address, count);
    return from ? to_hex({from, count}) : std::string(kNoMemory);
}

std::string GdbSession::write_memory(std::string_view text) {
    const auto address = take_number(text);
    if (!address || !take_text(text, ","))
        return std::string(kBad);
    const auto size = take_number(text);
    if (!size || !take_text(text, ":"))
        return std::string(kBad);
    const auto bytes = from_hex(text);
    if (!bytes || bytes->size() != *size)
        return std::string(kBad);
    std::uint8_t *to = board_.memory().change(*address, *size);
    if (!to)
        return std::string(kNoMemory);
    std::ranges::copy(*bytes, to);
    board_.core().use(&halts_);
    return std::string(kOk);
}

// TYPE,ADDRESS,SIZE: a breakpoint (0 in software, 1 in hardware) or a watchpoint (2 to 4).
std::string GdbSession::change_point(std::string_view text, bool insert) {
    const auto type = take_number(text);
    if (!type || !take_text(text, ","))
        return std::string(kBad);
    const auto address = take_number(text);
    if (!address || !take_text(text, ","))
        return std::string(kBad);
    const auto size = take_number(text);
    if (!size)
        return std::string(kBad);
    if (*type > 4)
        return "";
    if (*type < 2) {
        if (insert)
            halts_.breakpoints.insert(*address);
        else
            halts_.breakpoints.erase(*address);
    } else {
        const Halts::Watch watch{*address, *size, static_cast<Watched>(*type)};
        if (insert)
            halts_.watches.insert(watch);
        else
            halts_.watches.erase(watch);
    }
    board_.core().use(&halts_);
    return std::string(kOk);
}

std::string GdbSession::monitor(std::string_view digits) const {
    const auto bytes = from_hex(digits);
    const std::string command(bytes ? std::string(bytes->begin(), bytes->end()) : "");
    std::string text = "commands of the monitor: time\n";
    if (command == "time") {
        const Time us = board_.now() / kPicosecondsPerMicrosecond;
        std::array<char, 80> line{};
        std::snprintf(line.data(), line.size(),
                      "%" PRIu64 ".%06" PRIu64 " s, %" PRIu64 " instructions, %" PRIu64 " resets\n",
                      us / kMicrosecondsPerSecond, us % kMicrosecondsPerSecond,
                      board_.core().executed(), board_.resets());
        text = line.data();
    }
    return to_hex({reinterpret_cast<const std::uint8_t *>(text.data()), text.size()});
}

std::string GdbSession::query(std::string_view text) {
    if (take_text(text, "Supported"))
        return "PacketSize=4000;QStartNoAckMode+;qXfer:features:read+;vContSupported+";
    if (take_text(text, "Xfer:features:read:target.xml:"))
        return piece(gdb_target_description(), text);
    if (take_text(text, "Rcmd,"))
        return monitor(text);
    if (text == "Attached")
        return "1";
    if (text == "C")
        return "QC1";
    if (text == "fThreadInfo")
        return "m1";
    if (text == "sThreadInfo")
        return "l";
    return "";
}

// Goes on at an address, where the packet names one.
GdbSession::Answer GdbSession::go(std::string_view text, bool step) {
    Core &core = board_.core();
    if (const auto address = take_number(text))
        core.registers.pc = *address;
    if (step)
        halts_.step(core.registers, core.executed());
    return {"", Then::go_on};
}

// vCont;ACTION[:THREAD]...: the first action is that of the only thread.
GdbSession::Answer GdbSession::continue_as_told(std::string_view text) {
    if (text == "?")
        return {"vCont;c;C;s;S;r"};
    if (!take_text(text, ";"))
        return {""};
    if (take_text(text, "r")) {
        const auto from = take_number(text);
        if (!from || !take_text(text, ","))
            return {std::string(kBad)};
        const auto to = take_number(text);
        if (!to)
            return {std::string(kBad)};
        halts_.step(board_.core().registers, board_.core().executed(), *from, *to);
        return {"", Then::go_on};
    }
    const bool step = text.starts_with("s") || text.starts_with("S");
    if (!step && !text.starts_with("c") && !text.starts_with("C"))
        return {std::string(kBad)};
    return go("", step);
}

GdbSession::Answer GdbSession::answer(std::string_view packet) {
    if (packet.empty())
        return {""};
    const std::string_view text = packet.substr(1);
    switch (packet[0]) {
    case '?':
        return {last_stop_};
    case 'g':
        return {read_registers()};
    case 'G':
        return {write_registers(text)};
    case 'p':
        return {read_register(text)};
    case 'P':
        return {write_register(text)};
    case 'm':
        return {read_memory(text)};
    case 'M':
        return {write_memory(text)};
    case 'Z':
        return {change_point(text, true)};
    case 'z':
        return {change_point(text, false)};
    case 'c':
    case 's':
        return go(text, packet[0] == 's');
    case 'C': // with a signal, which the board does not know: C05[;ADDRESS]
    case 'S': {
        const std::size_t semicolon = std::min(text.find(';'), text.size());
        return go(text.substr(std::min(semicolon + 1, text.size())), packet[0] == 'S');
    }
    case 'H':
    case 'T':
        return {std::string(kOk)};
    case 'D':
        return {std::string(kOk), Then::detach};
    case 'k':
        return {"", Then::kill};
    case 'q':
        return {query(text)};
    case 'Q':
        if (text != "StartNoAckMode")
            return {""};
        silent_ = true;
        return {std::string(kOk)};
    case 'v':
        if (text.starts_with("Kill"))
            return {std::string(kOk), Then::kill};
        if (text.starts_with("Cont"))
            return continue_as_told(text.substr(4));
        return {""};
    default:
        return {""};
    }
}

std::string GdbSession::stopped(const Halt &why) {
    last_stop_ = "S05";
    if (why.reason == Halt::Reason::request)
        last_stop_ = "S02";
    else if (why.reason == Halt::Reason::watchpoint) {
        std::array<char, 40> text{};
        std::snprintf(text.data(), text.size(), "T05watch:%" PRIx32 ";", why.address);
        last_stop_ = text.data();
    }
    return last_stop_;
}

void GdbSession::forget() {
    halts_.breakpoints.clear();
    halts_.watches.clear();
    board_.core().use(&halts_);
}

} // namespace lx106
