#include "random_input.hpp"

#include <algorithm>
#include <string_view>

#include "boot_records.hpp"
#include "gdb_packets.hpp"
#include "gdb_session.hpp"
#include "netdev.hpp"
#include "program.hpp"

namespace lx106_test {

namespace {

using namespace lx106;

// Executes a few hundred instructions and receives a frame now and then.
void run(ElfImage image, std::string_view words, std::span<const std::uint8_t> frames) {
    Remembering outside;
    Board board(std::move(image), words, kInstruction, outside);
    for (std::uint64_t until = 50; until <= 400 && !board.core().asleep(); until += 50) {
        board.run(until);
        board.receive(frames);
        frames = frames.subspan(frames.size() / 2);
    }
}

// A MAC whose registers and descriptors are set from these bytes receives and sends.
void use_mac(std::span<const std::uint8_t> bytes) {
    Memory memory;
    EthernetMac mac(memory, [](auto) {}, [](bool) {}, [](bool) {});
    for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
        const std::uint32_t value = std::uint32_t{bytes[0]} | std::uint32_t{bytes[1]} << 8 |
                                    std::uint32_t{bytes[2]} << 16 | std::uint32_t{bytes[3]} << 24;
        const std::uint32_t place = bytes[4] | std::uint32_t{bytes[5]} << 8;
        const unsigned size = 1u << bytes[6] % 3;
        if (bytes[7] & 1)
            mac.write_register(place % 0x54, value);
        else
            mac.write_descriptor(place % 0x400 & ~(size - 1), value, size);
        if (bytes[7] & 2)
            mac.receive(bytes);
    }
}

class Unasked final : public Halts {
public:
    void halted(const Halt &) override { ++count; }
    [[nodiscard]] bool requested() override { return false; }
    int count = 0;
};

// A debugger that sends these bytes, and as a packet what lies between two zeros.
void debug(std::span<const std::uint8_t> bytes) {
    Remembering outside;
    Board board(parse_elf(elf_with({0x3d, 0xf0, 0x49, 0x03, 0x86, 0xfe, 0xff})), "", kInstruction,
                outside);
    Unasked halts;
    board.core().use(&halts);
    GdbSession session(board, halts);
    GdbReader reader;
    std::string contents;
    const auto answer = [&](std::string_view packet) {
        if (session.answer(packet).then == GdbSession::Then::go_on)
            board.run(board.core().executed() + 20);
    };
    for (const std::uint8_t byte : bytes) {
        if (reader.take(byte) == GdbReader::Found::packet)
            answer(reader.packet());
        if (byte == 0) {
            answer(contents);
            contents.clear();
        } else
            contents += static_cast<char>(byte);
    }
    answer(contents);
}

} // namespace

void try_input(std::span<const std::uint8_t> input) {
    if (input.empty())
        return;
    const auto rest = input.subspan(1);
    const std::string_view text(reinterpret_cast<const char *>(rest.data()), rest.size());
    try {
        switch (input[0] % 6) {
        case 0:
            run(parse_elf(rest), "", {});
            break;
        case 1: {
            Bytes file = elf_with({rest.begin(), rest.end()});
            for (std::size_t i = 0; i < std::min<std::size_t>(rest.size(), 8); ++i)
                file[rest[i] % file.size()] ^= rest[rest.size() - 1 - i];
            run(parse_elf(file), text, rest);
            break;
        }
        case 2:
            run(parse_elf(elf_with({rest.begin(), rest.end()})), text, rest);
            break;
        case 3:
            parse_netdev(text);
            break;
        case 4:
            debug(rest);
            break;
        default:
            use_mac(rest);
            break;
        }
    } catch (const std::runtime_error &) { // refused
    }
}

} // namespace lx106_test
