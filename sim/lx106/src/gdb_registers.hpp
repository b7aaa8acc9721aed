// The board's registers in the order and by the names in which GDB sees them.
//
// Debian's gdb-multiarch has no Xtensa. It reads the firmware's debug information as that of a
// 32-bit PowerPC, which agrees with the LX106's in what matters: DWARF numbers the registers from 0
// on, r1 is the stack pointer, and the program counter is none of them. So a0 to a15 are r0 to r15
// here, and the description of the target says PowerPC.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core.hpp"

namespace lx106 {

inline constexpr std::size_t kGdbPc = 32; // the program counter's number

[[nodiscard]] std::size_t gdb_register_count();
// The value; nothing for a register that the LX106 does not have.
[[nodiscard]] std::optional<std::uint32_t> gdb_register(const Core &core, std::size_t number);
// Whether it was written.
[[nodiscard]] bool set_gdb_register(Core &core, std::size_t number, std::uint32_t value);
// The description of the target, in GDB's format (qXfer:features:read, target.xml).
[[nodiscard]] std::string gdb_target_description();

} // namespace lx106
