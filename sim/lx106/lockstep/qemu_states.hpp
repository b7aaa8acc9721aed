// Reads from a pipe the processor states that QEMU logs before each instruction (-singlestep -d
// cpu,nochain).
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

    // Waits for the next state and returns it; nothing when QEMU has ended. Throws
    // std::runtime_error when the log does not have the expected form.
    std::optional<Registers> next();
    // Returns the first coming state that differs from this one, or this one if it is logged four
    // times; nothing if QEMU ends first. next() still returns all of them.
    const Registers *another(const Registers &state);
    // True if next() would return at once.
    [[nodiscard]] bool ready() const;
    [[nodiscard]] int file() const { return file_; }
    // The special registers that QEMU logs.
    [[nodiscard]] const std::vector<std::uint8_t> &special() const { return special_; }

private:
    enum class Kind : std::uint8_t { pc, a, special };
    // A value's position in a state's text, and its register.
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
    std::string text_;            // bytes read; not yet parsed from position used_ on
    std::deque<Registers> ahead_; // parsed already
    std::size_t used_ = 0;
    std::size_t length_ = 0; // of a state's text, the same for all; 0 before the first
    std::vector<Field> fields_;
    std::vector<std::uint8_t> special_;
};

} // namespace lx106
