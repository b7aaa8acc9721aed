// lx106-lockstep INSTRUCTIONS PICOSECONDS FIRMWARE.elf WORDS QEMU WIRE PEER OWN LOG
//
// Compares this project's board with QEMU's, whose instructions take PICOSECONDS. It reads QEMU's
// log of states on standard input and forwards frames between the sockets QEMU and PEER (through
// its own sockets WIRE and OWN). After INSTRUCTIONS, or at the first difference, it prints counts,
// writes the board's log and exits; with status 1 for a difference. At most one frame is under way
// to QEMU, and only while its board sleeps, so that the instruction at which it arrives is known.
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <fstream>
#include <memory>
#include <poll.h>
#include <unistd.h>

#include "follower.hpp"
#include "ports/port.hpp"
#include "qemu_states.hpp"

namespace {

using lx106::Frame, lx106::Follower, lx106::QemuStates;

constexpr int kPatience = 20'000; // milliseconds without output from QEMU

// The connection between QEMU and the peer.
class Wire {
public:
    Wire(const char *qemu, const char *own_to_qemu, const char *peer, const char *own_to_peer)
        : to_qemu_(ports::Port::open({.tap = "", .unix_bind = own_to_qemu, .unix_peer = qemu})),
          to_peer_(ports::Port::open({.tap = "", .unix_bind = own_to_peer, .unix_peer = peer})) {}

    // Forwards the frames of QEMU's board to the peer.
    std::string forward(Follower &follower) {
        to_qemu_->drain([&](auto frame) { from_qemu_.emplace_back(frame.begin(), frame.end()); });
        std::string found;
        while (!from_qemu_.empty() && follower.owes_frames() && found.empty()) {
            found = follower.compare_sent(from_qemu_.front());
            to_peer_->send(from_qemu_.front());
            from_qemu_.pop_front();
        }
        return found;
    }
    // Forwards the next frame of the peer to QEMU's board.
    void deliver(Follower &follower) {
        to_peer_->drain([&](auto frame) { from_peer_.emplace_back(frame.begin(), frame.end()); });
        if (from_peer_.empty())
            return;
        follower.expect(from_peer_.front());
        to_qemu_->send(from_peer_.front());
        from_peer_.pop_front();
    }
    // Waits until QEMU or the peer has sent something.
    [[nodiscard]] bool wait(const QemuStates &states, const Follower &follower) const {
        pollfd entries[] = {{states.file(), POLLIN, 0},
                            {to_qemu_->descriptor(), POLLIN, 0},
                            {follower.expects() ? -1 : to_peer_->descriptor(), POLLIN, 0}};
        return poll(entries, 3, kPatience) > 0;
    }

private:
    std::unique_ptr<ports::Port> to_qemu_, to_peer_;
    std::deque<Frame> from_qemu_, from_peer_;
};

// Returns the first difference, or an empty text after this number of instructions.
std::string follow(std::uint64_t instructions, QemuStates &states, Follower &follower, Wire &wire,
                   lx106::Registers state) {
    while (follower.counts().instructions < instructions) {
        const lx106::Registers *after = nullptr;
        if (!follower.may_sleep(state) && !(after = states.another(state)))
            return "QEMU has ended";
        std::string found = follower.step(state, after);
        if (found.empty())
            found = wire.forward(follower);
        if (!found.empty())
            return found;
        if (follower.asleep())
            while (!states.ready()) {
                if (!follower.expects())
                    wire.deliver(follower);
                if (!wire.wait(states, follower))
                    return "QEMU says nothing for 20 s";
                found = wire.forward(follower);
            }
        if (!found.empty())
            return found;
        const auto next = states.next();
        if (!next)
            return "QEMU has ended";
        state = *next;
    }
    return "";
}

void report(const Follower &follower, const std::string &found) {
    const Follower::Counts &counts = follower.counts();
    std::printf("{\"instructions\":%llu,\"kinds\":%zu,\"interrupts\":%llu,\"exceptions\":%llu,"
                "\"resets\":%llu,\"sleeps\":%llu,\"frames_in\":%llu,\"frames_out\":%llu,"
                "\"difference\":\"%s\"}\n",
                static_cast<unsigned long long>(counts.instructions), follower.operations().size(),
                static_cast<unsigned long long>(counts.interrupts),
                static_cast<unsigned long long>(counts.exceptions),
                static_cast<unsigned long long>(counts.resets),
                static_cast<unsigned long long>(counts.sleeps),
                static_cast<unsigned long long>(counts.frames_in),
                static_cast<unsigned long long>(counts.frames_out), found.c_str());
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 10) {
        std::fputs(
            "usage: lx106-lockstep INSTRUCTIONS PICOSECONDS FIRMWARE.elf WORDS QEMU WIRE PEER "
            "OWN LOG\n",
            stderr);
        return 2;
    }
    try {
        Wire wire(argv[5], argv[6], argv[7], argv[8]);
        QemuStates states(STDIN_FILENO);
        const auto first = states.next();
        if (!first)
            throw std::runtime_error("QEMU reports no states");
        Follower follower(lx106::read_elf(argv[3]), argv[4], std::strtoull(argv[2], nullptr, 10),
                          states.special());
        const std::string found =
            follow(std::strtoull(argv[1], nullptr, 10), states, follower, wire, *first);
        report(follower, found);
        std::ofstream(argv[9], std::ios::binary) << follower.log_text();
        return found.empty() ? 0 : 1;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "lx106-lockstep: %s\n", error.what());
        return 1;
    }
}
