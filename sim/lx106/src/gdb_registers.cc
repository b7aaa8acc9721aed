#include "gdb_registers.hpp"

#include <array>

#include "special_registers.hpp"

namespace lx106 {

namespace {

constexpr std::size_t kGeneral = 32;
constexpr std::size_t kLink = 35;    // the return address, for functions without debug information
constexpr std::size_t kSpecial = 38; // the first of kSpecials
// The rest of what GDB demands of a PowerPC.
constexpr std::array kPowerNames = {"pc", "msr", "cr", "lr", "ctr", "xer"};

struct Special {
    const char *name;
    SpecialRegister number;
    bool writable; // a plain store is all that a program's own write would do
};
constexpr std::array kSpecials = {
    Special{"sar", SAR, true},
    Special{"ps", PS, false},
    Special{"vecbase", VECBASE, true},
    Special{"litbase", LITBASE, false},
    Special{"epc1", EPC1, true},
    Special{"epc2", EPC2, true},
    Special{"epc3", EPC3, true},
    Special{"eps2", EPS2, true},
    Special{"eps3", EPS3, true},
    Special{"depc", DEPC, true},
    Special{"excsave1", EXCSAVE1, true},
    Special{"excsave2", EXCSAVE2, true},
    Special{"excsave3", EXCSAVE3, true},
    Special{"exccause", EXCCAUSE, true},
    Special{"excvaddr", EXCVADDR, true},
    Special{"debugcause", DEBUGCAUSE, false},
    Special{"interrupt", INTERRUPT, false},
    Special{"intenable", INTENABLE, true},
    Special{"ccount", CCOUNT, false},
    Special{"ccompare0", CCOMPARE0, false},
};

std::string line(const std::string &name, const char *type) {
    return "<reg name=\"" + name + "\" bitsize=\"32\" type=\"" + type + "\"/>\n";
}

} // namespace

std::size_t gdb_register_count() {
    return kSpecial + kSpecials.size();
}

std::optional<std::uint32_t> gdb_register(const Core &core, std::size_t number) {
    const Registers &registers = core.registers;
    if (number < registers.a.size())
        return registers.a[number];
    if (number == kGdbPc)
        return registers.pc;
    if (number == kLink)
        return registers.a[0];
    if (number < kSpecial || number >= gdb_register_count())
        return std::nullopt;
    const Special &special = kSpecials[number - kSpecial];
    return special.number == CCOUNT ? core.cycles() : registers.special[special.number];
}

bool set_gdb_register(Core &core, std::size_t number, std::uint32_t value) {
    Registers &registers = core.registers;
    if (number < registers.a.size())
        registers.a[number] = value;
    else if (number == kGdbPc)
        registers.pc = value;
    else if (number >= kSpecial && number < gdb_register_count() &&
             kSpecials[number - kSpecial].writable)
        registers.special[kSpecials[number - kSpecial].number] = value;
    else
        return false;
    return true;
}

std::string gdb_target_description() {
    std::string text = "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n"
                       "<target version=\"1.0\">\n<architecture>powerpc:common</architecture>\n"
                       "<feature name=\"org.gnu.gdb.power.core\">\n";
    for (std::size_t i = 0; i < kGeneral; ++i)
        text += line("r" + std::to_string(i), "uint32");
    for (const std::string name : kPowerNames)
        text += line(name, name == "pc" || name == "lr" ? "code_ptr" : "uint32");
    text += "</feature>\n<feature name=\"org.thinwire.lx106\">\n";
    for (const Special &special : kSpecials)
        text += line(special.name, "uint32");
    return text + "</feature>\n</target>\n";
}

} // namespace lx106
