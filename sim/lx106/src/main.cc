// lx106 BOARD [--next BOARD]...
//
// BOARD: --netdev NETWORK [--log FILE] [--instruction-ps N] [--unpaced | --join] [--start-ns N]
//        [--coverage FILE] [--gdb CONNECTION [--halt-ps N]]
//        [--resets [--later-words WORDS]...]
//        [--at PC [--word ADDRESS=VALUE]... [--first-word ADDRESS=VALUE]...]
//        FIRMWARE.elf WORDS
//
// Runs the board with the firmware and its configuration words on this machine's clock until
// SIGTERM. Its log goes to FILE, by default to standard output. NETWORK has the form of QEMU's
// option -netdev. At the end the addresses of the instructions that the board has executed go to
// the FILE of --coverage, as 32-bit little-endian numbers, ascending. With --unpaced it does not
// wait for the clock: a sleeping board jumps to its next alarm. With --join it stands still until
// the radio behind NETWORK has joined its cell (world.hpp). With --start-ns the board is switched
// on at this time of the monotonic clock. With --gdb it waits for GDB before its first instruction
// at N picoseconds or later. CONNECTION is tcp:PORT, unix:PATH, fd:NUMBER, or memory
// (gdb_mailbox.hpp). With --resets, SIGUSR1 resets the board and SIGUSR2 interrupts its power. The
// first --later-words replace WORDS at the second start, and so on; the last ones stay. Each
// --word (32 bits) is stored before the instruction at PC is executed after a start of the
// firmware, each --first-word only after the first start. PC, ADDRESS and VALUE are hexadecimal.
//
// Several boards each need a FILE. They share the signals, so they have no --resets; and no
// --unpaced, no --gdb and no --coverage.
#include <cstddef>
#include <cstdio>
#include <exception>
#include <span>

#include "boards.hpp"
#include "options.hpp"

namespace {

constexpr int kBadInput = 2, kFailed = 1;

int usage() {
    std::fputs(
        "usage: lx106 BOARD [--next BOARD]...\n"
        "BOARD: --netdev NETWORK [--log FILE] [--instruction-ps N] [--unpaced | --join] "
        "[--start-ns N] [--coverage FILE] "
        "[--gdb tcp:PORT|unix:PATH|fd:NUMBER|memory [--halt-ps N]] "
        "[--resets [--later-words WORDS]...] "
        "[--at PC [--word ADDRESS=VALUE]... [--first-word ADDRESS=VALUE]...] "
        "FIRMWARE.elf WORDS\n"
        "Several boards need --log each, and have no --unpaced, --gdb, --coverage and --resets.\n",
        stderr);
    return kBadInput;
}

} // namespace

int main(int argc, char **argv) {
    const auto boards =
        lx106::parse_options(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
    if (boards.empty())
        return usage();
    try {
        if (boards.size() == 1)
            lx106::run_alone(boards.front());
        else
            lx106::run_together(boards);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "lx106: %s\n", error.what());
        return kFailed;
    }
    return 0;
}
