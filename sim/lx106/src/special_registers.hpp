// The special registers of the LX106, by number, and which of them programs may read and write.
#pragma once

#include <cstdint>

namespace lx106 {

// The registers of QEMU's LX106; those without a function here keep the value written.
enum SpecialRegister : std::uint8_t {
    SAR = 3,
    LITBASE = 5,
    MMID = 89,
    IBREAKENABLE = 96,
    DDR = 104,
    IBREAKA0 = 128,
    DBREAKA0 = 144,
    DBREAKC0 = 160,
    CONFIGID0 = 176,
    EPC1 = 177,
    EPC2,
    EPC3,
    DEPC = 192,
    EPS2 = 194,
    EPS3,
    CONFIGID1 = 208,
    EXCSAVE1 = 209,
    EXCSAVE2,
    EXCSAVE3,
    INTERRUPT = 226, // written: INTSET
    INTCLEAR,
    INTENABLE,
    PS = 230,
    VECBASE,
    EXCCAUSE,
    DEBUGCAUSE,
    CCOUNT,
    PRID,
    ICOUNT,
    ICOUNTLEVEL,
    EXCVADDR,
    CCOMPARE0 = 240,
};

constexpr bool can_be_read(std::uint32_t number) {
    switch (number) {
    case SAR:
    case LITBASE:
    case IBREAKENABLE:
    case DDR:
    case IBREAKA0:
    case DBREAKA0:
    case DBREAKC0:
    case CONFIGID0:
    case EPC1:
    case EPC2:
    case EPC3:
    case DEPC:
    case EPS2:
    case EPS3:
    case CONFIGID1:
    case EXCSAVE1:
    case EXCSAVE2:
    case EXCSAVE3:
    case INTERRUPT:
    case INTENABLE:
    case PS:
    case VECBASE:
    case EXCCAUSE:
    case DEBUGCAUSE:
    case CCOUNT:
    case PRID:
    case ICOUNT:
    case ICOUNTLEVEL:
    case EXCVADDR:
    case CCOMPARE0:
        return true;
    default:
        return false;
    }
}

constexpr bool can_be_written(std::uint32_t number) {
    switch (number) {
    case MMID:
    case INTCLEAR:
        return true;
    case CONFIGID0:
    case CONFIGID1:
    case PRID:
    case DEBUGCAUSE:
        return false;
    default:
        return can_be_read(number);
    }
}

// Parts of PS.
constexpr std::uint32_t PS_INTLEVEL = 0x0f;
constexpr std::uint32_t PS_EXCM = 0x10;
constexpr std::uint32_t PS_UM = 0x20;
constexpr std::uint32_t PS_MASK = 0x70f3f; // with those of register windows, which have no use here

} // namespace lx106
