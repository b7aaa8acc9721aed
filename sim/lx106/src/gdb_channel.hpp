// How bytes pass between the board and GDB.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace lx106 {

class GdbChannel {
public:
    virtual ~GdbChannel() = default;
    // Waits until a debugger is there; false if none will be.
    virtual bool open() = 0;
    // Waits for the next byte; nothing once the debugger has gone.
    virtual std::optional<std::uint8_t> read() = 0;
    virtual void write(std::string_view bytes) = 0;
    // What was written is on its way when this returns.
    virtual void flush() = 0;
    // Whether the debugger has asked the running program to halt.
    virtual bool interrupted() = 0;
};

// Of tcp:PORT (on the loopback interface), unix:PATH, fd:NUMBER (open already) or memory
// (gdb_mailbox.hpp). Throws std::runtime_error for anything else, std::system_error for what cannot
// be opened.
[[nodiscard]] std::unique_ptr<GdbChannel> open_gdb_channel(std::string_view text);

} // namespace lx106
