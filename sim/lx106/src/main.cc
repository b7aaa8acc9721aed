// lx106 --netdev NETWORK [--instruction-ps N] [--unpaced] [--gdb CONNECTION [--halt-ps N]]
//       FIRMWARE.elf WORDS
//
// Runs the board with the firmware and its configuration words on this machine's clock until
// SIGTERM. Its log goes to standard output. NETWORK has the form of QEMU's option -netdev. With
// --unpaced it does not wait for the clock: a sleeping board jumps to its next alarm. With --gdb it
// waits for GDB before its first instruction at N picoseconds or later. CONNECTION is tcp:PORT,
// unix:PATH, fd:NUMBER, or memory (gdb_mailbox.hpp).
#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include "board.hpp"
#include "gdb_stub.hpp"
#include "netdev.hpp"
#include "world.hpp"

namespace {

constexpr int kBadInput = 2, kFailed = 1;

int usage() {
    std::fputs("usage: lx106 --netdev NETWORK [--instruction-ps N] [--unpaced] "
               "[--gdb tcp:PORT|unix:PATH|fd:NUMBER|memory [--halt-ps N]] FIRMWARE.elf WORDS\n",
               stderr);
    return kBadInput;
}

bool read_number(std::string_view text, lx106::Time &value) {
    const auto result = std::from_chars(text.begin(), text.end(), value);
    return result.ec == std::errc() && result.ptr == text.end() && value > 0;
}

} // namespace

int main(int argc, char **argv) {
    std::string network, debugger;
    lx106::Time instruction_ps = 25'000, halt_ps = 0;
    bool paced = true;
    std::vector<std::string> words;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "--netdev" && i + 1 < argc)
            network = argv[++i];
        else if (word == "--instruction-ps" && i + 1 < argc) {
            if (!read_number(argv[++i], instruction_ps))
                return usage();
        } else if (word == "--gdb" && i + 1 < argc)
            debugger = argv[++i];
        else if (word == "--halt-ps" && i + 1 < argc) {
            if (!read_number(argv[++i], halt_ps))
                return usage();
        } else if (word == "--unpaced")
            paced = false;
        else
            words.emplace_back(word);
    }
    if (words.size() != 2 || network.empty() || (halt_ps > 0 && debugger.empty()))
        return usage();
    try {
        const ports::Settings settings = lx106::parse_netdev(network);
        lx106::ElfImage firmware = lx106::read_elf(words[0]);
        lx106::World world(settings, STDOUT_FILENO, paced);
        std::optional<lx106::GdbStub> stub;
        if (!debugger.empty())
            stub.emplace(lx106::open_gdb_channel(debugger), halt_ps);
        lx106::Board board(std::move(firmware), words[1], instruction_ps, world);
        if (stub)
            stub->attach(board);
        world.run(board);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "lx106: %s\n", error.what());
        return kFailed;
    }
    return 0;
}
