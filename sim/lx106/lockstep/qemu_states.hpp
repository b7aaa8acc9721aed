// The states of a processor in QEMU, as it logs them before each instruction
// (-singlestep -d cpu,nochain), read from a pipe.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core.hpp"

namespace lx106 {

class QemuStates {
public:
    explicit QemuStates(int file) : file_(file) {}

    // The next state; nothing when QEMU has ended. Waits for it. Throws std::runtime_error when the
    // log does not have the expected form.
    std::optional<Registers> next();
    // The first state to come that is another than this one, or the same when it is told four
    // times; nothing when QEMU ends before. next() still gives all of them.
    const Registers *another(const Registers &state);
    // Whether next() would return at once.
    [[nodiscard]] bool ready() const;
    [[nodiscard]] int file() const { return file_; }
    // The special registers that QEMU tells.
    [[nodiscard]] const std::vector<std::uint8_t> &special() const { return special_; }

private:
    enum class Kind : std::uint8_t { pc, a, special };
    // A value's place in a state's text, and where it belongs.
    struct Field {
        std::size_t at;
        Kind kind;
        std::uint8_t number;
    };
    std::optional<Registers> take();
    bool read_more();
    void learn(std::string_view state);
    [[nodiscard]] Registers parse(std::string_view state) const;

    int file_;
    std::string text_;            // read, from position used_ on not yet parsed
    std::deque<Registers> ahead_; // parsed already
    std::size_t used_ = 0;
    std::size_t length_ = 0; // of a state's text, the same for all; 0 before the first
    std::vector<Field> fields_;
    std::vector<std::uint8_t> special_;
};

} // namespace lx106
