// lx106 --netdev NETWORK [--instruction-ps N] [--unpaced | --join] [--start-ns N]
//       [--gdb CONNECTION [--halt-ps N]]
//       [--resets [--later-words WORDS]...]
//       [--at PC [--word ADDRESS=VALUE]... [--first-word ADDRESS=VALUE]...]
//       FIRMWARE.elf WORDS
//
// Runs the board with the firmware and its configuration words on this machine's clock until
// SIGTERM. Its log goes to standard output. NETWORK has the form of QEMU's option -netdev. With
// --unpaced it does not wait for the clock: a sleeping board jumps to its next alarm. With
// --join it stands still until the radio behind NETWORK has joined its cell (world.hpp). With
// --start-ns the board is switched on at this time of the monotonic clock. With --gdb it
// waits for GDB before its first instruction at N picoseconds or later. CONNECTION is tcp:PORT,
// unix:PATH, fd:NUMBER, or memory (gdb_mailbox.hpp). With --resets, SIGUSR1 resets the board and
// SIGUSR2 interrupts its power. The first --later-words replace WORDS at the second start, and so
// on; the last ones stay. Each --word (32 bits) is stored before the instruction at PC is executed
// after a start of the firmware, each --first-word only after the first start. PC, ADDRESS and
// VALUE are hexadecimal.
#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "board.hpp"
#include "gdb_stub.hpp"
#include "netdev.hpp"
#include "world.hpp"

namespace {

constexpr int kBadInput = 2, kFailed = 1;

int usage() {
    std::fputs("usage: lx106 --netdev NETWORK [--instruction-ps N] [--unpaced | --join] "
               "[--start-ns N] "
               "[--gdb tcp:PORT|unix:PATH|fd:NUMBER|memory [--halt-ps N]] "
               "[--resets [--later-words WORDS]...] "
               "[--at PC [--word ADDRESS=VALUE]... [--first-word ADDRESS=VALUE]...] "
               "FIRMWARE.elf WORDS\n",
               stderr);
    return kBadInput;
}

bool read_number(std::string_view text, lx106::Time &value) {
    const auto result = std::from_chars(text.begin(), text.end(), value);
    return result.ec == std::errc() && result.ptr == text.end() && value > 0;
}

bool read_hexadecimal(std::string_view text, std::uint32_t &value) {
    const auto result = std::from_chars(text.begin(), text.end(), value, 16);
    return result.ec == std::errc() && result.ptr == text.end();
}

bool read_word(std::string_view text, bool each_start, lx106::Presets &presets) {
    const std::size_t equals = text.find('=');
    lx106::Presets::Word word{.address = 0, .value = 0, .each_start = each_start};
    if (equals == std::string_view::npos ||
        !read_hexadecimal(text.substr(0, equals), word.address) ||
        !read_hexadecimal(text.substr(equals + 1), word.value))
        return false;
    presets.words.push_back(word);
    return true;
}

} // namespace

int main(int argc, char **argv) {
    std::string network, debugger;
    lx106::Time instruction_ps = 25'000, halt_ps = 0, start_ns = 0;
    lx106::Presets presets;
    bool paced = true, resets = false, joins = false;
    std::vector<std::string> words, later;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "--netdev" && i + 1 < argc)
            network = argv[++i];
        else if (word == "--instruction-ps" && i + 1 < argc) {
            if (!read_number(argv[++i], instruction_ps))
                return usage();
        } else if (word == "--start-ns" && i + 1 < argc) {
            if (!read_number(argv[++i], start_ns))
                return usage();
        } else if (word == "--gdb" && i + 1 < argc)
            debugger = argv[++i];
        else if (word == "--halt-ps" && i + 1 < argc) {
            if (!read_number(argv[++i], halt_ps))
                return usage();
        } else if (word == "--at" && i + 1 < argc) {
            if (!read_hexadecimal(argv[++i], presets.pc))
                return usage();
        } else if ((word == "--word" || word == "--first-word") && i + 1 < argc) {
            if (!read_word(argv[++i], word == "--word", presets))
                return usage();
        } else if (word == "--unpaced")
            paced = false;
        else if (word == "--join")
            joins = true;
        else if (word == "--resets")
            resets = true;
        else if (word == "--later-words" && i + 1 < argc)
            later.emplace_back(argv[++i]);
        else
            words.emplace_back(word);
    }
    if (words.size() != 2 || network.empty() || (halt_ps > 0 && debugger.empty()) ||
        (!presets.words.empty() && presets.pc == 0) || (joins && !paced))
        return usage();
    try {
        const ports::Settings settings = lx106::parse_netdev(network);
        lx106::ElfImage firmware = lx106::read_elf(words[0]);
        lx106::World world(settings, STDOUT_FILENO, paced);
        if (start_ns > 0)
            world.start_at(start_ns);
        if (joins)
            world.expect_radio();
        std::optional<lx106::GdbStub> stub;
        if (!debugger.empty())
            stub.emplace(lx106::open_gdb_channel(debugger), halt_ps);
        lx106::Board board(std::move(firmware), words[1], instruction_ps, world);
        if (!presets.words.empty())
            board.preset(std::move(presets));
        board.later_words(std::move(later));
        if (resets)
            world.allow_resets();
        if (stub)
            stub->attach(board);
        world.run(board);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "lx106: %s\n", error.what());
        return kFailed;
    }
    return 0;
}
