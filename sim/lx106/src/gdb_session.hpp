// What a debugger asks of the halted board, and the answers (GDB manual, appendix E).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "board.hpp"
#include "halts.hpp"

namespace lx106 {

class GdbSession {
public:
    enum class Then { stay, go_on, detach, kill };
    struct Answer {
        std::string contents; // of the packet to send; after go_on there is none yet
        Then then = Then::stay;
    };

    // Of a board, whose halts it sets.
    GdbSession(Board &board, Halts &halts) : board_(board), halts_(halts) {}

    // The answer to a packet's contents; empty for what it does not know.
    [[nodiscard]] Answer answer(std::string_view packet);
    // What to send when the board has halted.
    [[nodiscard]] std::string stopped(const Halt &why);
    // Whether packets are no longer acknowledged.
    [[nodiscard]] bool silent() const { return silent_; }
    // Removes everything that it has set.
    void forget();

private:
    std::string read_registers() const;
    std::string write_registers(std::string_view digits);
    std::string read_register(std::string_view text) const;
    std::string write_register(std::string_view text);
    std::string read_memory(std::string_view text);
    std::string write_memory(std::string_view text);
    std::string change_point(std::string_view text, bool insert);
    std::string query(std::string_view text);
    std::string monitor(std::string_view text) const;
    Answer go(std::string_view text, bool step);
    Answer continue_as_told(std::string_view text);

    Board &board_;
    Halts &halts_;
    std::string last_stop_ = "S05";
    bool silent_ = false;
};

} // namespace lx106
