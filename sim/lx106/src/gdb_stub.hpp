// The board's side of a session with GDB: it halts the board, speaks, and lets it go on.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "board.hpp"
#include "gdb_channel.hpp"
#include "gdb_packets.hpp"
#include "gdb_session.hpp"
#include "halts.hpp"

namespace lx106 {

class GdbStub final : public Halts {
public:
    // Waits for the debugger before the board's first instruction that begins at this time or
    // later.
    GdbStub(std::unique_ptr<GdbChannel> channel, Time first);
    // Reports to the debugger that the board is off.
    ~GdbStub() override;
    GdbStub(const GdbStub &) = delete;
    GdbStub &operator=(const GdbStub &) = delete;

    // The board, which must not outlive this.
    void attach(Board &board);
    void halted(const Halt &why) override;
    bool requested() override;

private:
    enum class State { expected, there, gone };

    void speak();
    void leave();
    void send(std::string_view contents);

    std::unique_ptr<GdbChannel> channel_;
    std::optional<GdbSession> session_;
    GdbReader reader_;
    State state_ = State::expected;
};

} // namespace lx106
