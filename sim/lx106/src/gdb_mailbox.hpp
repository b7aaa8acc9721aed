// A mailbox in this program's memory, through which somebody outside of the machine that it runs in
// speaks with it (hil/machine/uml/mailbox.py).
//
// In a machine with virtual time, time stands still while a program computes. So the board waits
// for its debugger by computing, without a system call: however long the user thinks and whatever
// the user asks, not a nanosecond passes inside.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gdb_channel.hpp"

namespace lx106 {

// Little-endian, at a multiple of its alignment; hil/machine/uml/mailbox.py knows the same.
struct alignas(64) Mailbox {
    static constexpr std::uint64_t kMagic = 0x786f62626467'7874; // "txgdbbox"
    enum State : std::uint32_t {
        kRuns,  // the board
        kAsks,  // the board: `out` is complete, and it waits for more in `in`
        kTells, // the board: `out` is complete, and it waits until this is noticed
        kGone,  // outside: there is no debugger any more
    };
    std::uint64_t magic = 0; // kMagic, from when the board wants a debugger
    std::uint64_t self = 0;  // the mailbox's own address
    std::uint32_t state = kRuns;
    std::uint32_t interrupt = 0; // outside: not 0 to halt the board
    std::uint32_t in_size = 0, out_size = 0;
    std::array<std::uint8_t, 0x10000> in{}, out{};
};

static_assert(offsetof(Mailbox, state) == 16 && offsetof(Mailbox, in) == 32 &&
              offsetof(Mailbox, out) == 32 + 0x10000);

class MailboxChannel final : public GdbChannel {
public:
    bool open() override;
    std::optional<std::uint8_t> read() override;
    void write(std::string_view bytes) override;
    void flush() override;
    bool interrupted() override;

private:
    void wait(Mailbox::State state);

    std::size_t used_ = 0; // of `in`
};

} // namespace lx106
