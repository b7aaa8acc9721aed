#include "qemu_states.hpp"

#include <array>
#include <map>
#include <poll.h>
#include <stdexcept>
#include <unistd.h>

namespace lx106 {

namespace {

constexpr std::string_view kBegin = "PC=";
constexpr std::size_t kDigits = 8;

const std::map<std::string_view, std::uint8_t> kSpecialNames = {
    {"MMID", MMID},
    {"DDR", DDR},
    {"176", CONFIGID0},
    {"208", CONFIGID1},
    {"INTERRUPT", INTERRUPT},
    {"INTCLEAR", INTCLEAR},
    {"CCOUNT", CCOUNT},
    {"PRID", PRID},
    {"ICOUNT", ICOUNT},
    {"CCOMPARE0", CCOMPARE0},
    {"VECBASE", VECBASE},
    {"EPC1", EPC1},
    {"EPC2", EPC2},
    {"EPC3", EPC3},
    {"EXCSAVE1", EXCSAVE1},
    {"EXCSAVE2", EXCSAVE2},
    {"EXCSAVE3", EXCSAVE3},
    {"EPS2", EPS2},
    {"EPS3", EPS3},
    {"EXCCAUSE", EXCCAUSE},
    {"DEPC", DEPC},
    {"EXCVADDR", EXCVADDR},
    {"SAR", SAR},
    {"LITBASE", LITBASE},
    {"PS", PS},
    {"INTENABLE", INTENABLE},
    {"DBREAKA0", DBREAKA0},
    {"DBREAKC0", DBREAKC0},
    {"IBREAKA0", IBREAKA0},
    {"IBREAKENABLE", IBREAKENABLE},
    {"DEBUGCAUSE", DEBUGCAUSE},
    {"ICOUNTLEVEL", ICOUNTLEVEL},
};

std::uint32_t hexadecimal(std::string_view digits) {
    std::uint32_t value = 0;
    for (const char digit : digits)
        value =
            value << 4 | static_cast<std::uint32_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
    return value;
}

} // namespace

bool QemuStates::ready() const {
    if (!ahead_.empty() || (length_ && text_.size() - used_ >= length_))
        return true;
    pollfd entry{.fd = file_, .events = POLLIN, .revents = 0};
    return poll(&entry, 1, 0) > 0;
}

bool QemuStates::read_more() {
    static std::array<char, 1 << 16> buffer;
    const ssize_t count = read(file_, buffer.data(), buffer.size());
    if (count <= 0)
        return false;
    text_.erase(0, used_);
    used_ = 0;
    text_.append(buffer.data(), static_cast<std::size_t>(count));
    return true;
}

// All values have eight digits and the same position in each state.
void QemuStates::learn(std::string_view state) {
    for (std::size_t equals = state.find('='); equals != std::string_view::npos;
         equals = state.find('=', equals + 1)) {
        const std::size_t begin = state.find_last_of(" \n\r", equals) + 1;
        const std::string_view name = state.substr(begin, equals - begin);
        const std::size_t at = equals + 1;
        if (at + kDigits > state.size())
            break;
        if (name == "PC")
            fields_.push_back({at, Kind::pc, 0});
        else if (name.size() == 3 && name[0] == 'A' && name[1] <= '1')
            fields_.push_back(
                {at, Kind::a, static_cast<std::uint8_t>((name[1] - '0') * 10 + name[2] - '0')});
        else if (const auto found = kSpecialNames.find(name); found != kSpecialNames.end()) {
            fields_.push_back({at, Kind::special, found->second});
            special_.push_back(found->second);
        }
    }
    if (fields_.size() != 1 + 16 + kSpecialNames.size())
        throw std::runtime_error("QEMU's log has another form; see qemu_states.cc");
}

Registers QemuStates::parse(std::string_view state) const {
    Registers registers;
    for (const Field &field : fields_) {
        const std::uint32_t value = hexadecimal(state.substr(field.at, kDigits));
        if (field.kind == Kind::pc)
            registers.pc = value;
        else if (field.kind == Kind::a)
            registers.a[field.number] = value;
        else
            registers.special[field.number] = value;
    }
    return registers;
}

std::optional<Registers> QemuStates::next() {
    if (ahead_.empty())
        return take();
    const Registers state = ahead_.front();
    ahead_.pop_front();
    return state;
}

const Registers *QemuStates::another(const Registers &state) {
    constexpr std::size_t kTold = 4;
    for (std::size_t i = 0;; ++i) {
        if (i == ahead_.size()) {
            const auto taken = take();
            if (!taken)
                return nullptr;
            ahead_.push_back(*taken);
        }
        if (i + 1 == kTold || !(ahead_[i] == state))
            return &ahead_[i];
    }
}

std::optional<Registers> QemuStates::take() {
    while (!length_) { // the first state ends where the second begins
        if (text_.starts_with(kBegin))
            if (const std::size_t end = text_.find("\nPC=") + 1; end > 0) {
                learn(std::string_view(text_).substr(0, end));
                length_ = end;
                break;
            }
        if (!read_more())
            return std::nullopt;
    }
    while (text_.size() - used_ < length_)
        if (!read_more())
            return std::nullopt;
    const std::string_view state = std::string_view(text_).substr(used_, length_);
    if (!state.starts_with(kBegin))
        throw std::runtime_error("QEMU says in its log: " + std::string(state.substr(0, 200)));
    used_ += length_;
    return parse(state);
}

} // namespace lx106
