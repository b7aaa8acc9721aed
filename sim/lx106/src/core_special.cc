// Special registers, as programs access them, and semihosting.
#include "core.hpp"

#include <algorithm>

namespace lx106 {

namespace {

constexpr std::uint32_t kSoftwareLines = 0x80, kEdgeLines = 0x3f00;
constexpr std::uint32_t kShiftAmounts = 0x3f;

constexpr std::uint32_t kWrite = 4; // SYS_write
constexpr std::uint32_t kFailed = 0xffffffff;
enum Error : std::uint32_t { kBadFile = 9, kBadAddress = 22, kNoSuchCall = 88 };

} // namespace

std::uint32_t Core::read_special(std::uint32_t number) {
    if (number == CCOUNT) {
        registers.special[CCOUNT] = cycles();
        first_count_ = std::min(first_count_, now());
    }
    return registers.special[number];
}

void Core::write_special(std::uint32_t number, std::uint32_t value) {
    auto &special = registers.special;
    switch (number) {
    case SAR:
        special[SAR] = value & kShiftAmounts;
        break;
    case LITBASE:
        special[LITBASE] = value & 0xfffff001;
        forget_code();
        break;
    case INTERRUPT:
        special[INTERRUPT] |= value & kSoftwareLines;
        break;
    case INTCLEAR:
        special[INTERRUPT] &= ~(value & (kSoftwareLines | kEdgeLines));
        break;
    case PS:
        special[PS] = value & PS_MASK;
        break;
    case IBREAKENABLE:
        special[IBREAKENABLE] = value & 1;
        break;
    case ICOUNTLEVEL:
        special[ICOUNTLEVEL] = value & 0xf;
        break;
    case CCOUNT:
        counter_offset_ += value - cycles();
        set_alarm(special[CCOMPARE0]);
        break;
    case CCOMPARE0:
        set_alarm(value);
        break;
    case DBREAKA0:
    case DBREAKC0:
        special[number] = value;
        choose_fast_paths();
        break;
    default:
        special[number] = value;
        break;
    }
    horizon_ = 0; // some of them mask or raise interrupts
}

// SYS_write(a3: file, a4: address, a5: size): the size or -1 in a2, the error in a3.
void Core::semihosting_call() {
    auto &a = registers.a;
    const std::uint32_t call = a[2], file = a[3], size = a[5];
    const std::uint8_t *text = memory_.find(a[4], size);
    a[2] = kFailed;
    if (call != kWrite)
        a[3] = kNoSuchCall;
    else if (file != 1 && file != 2)
        a[3] = kBadFile;
    else if (!text)
        a[3] = kBadAddress;
    else {
        log_({text, size});
        a[2] = size;
        a[3] = 0;
    }
}

} // namespace lx106
