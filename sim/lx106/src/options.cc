#include "options.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace lx106 {

namespace {

using Arguments = std::span<const char *const>;

bool read_number(std::string_view text, Time &value) {
    const auto result = std::from_chars(text.begin(), text.end(), value);
    return result.ec == std::errc() && result.ptr == text.end() && value > 0;
}

bool read_hexadecimal(std::string_view text, std::uint32_t &value) {
    const auto result = std::from_chars(text.begin(), text.end(), value, 16);
    return result.ec == std::errc() && result.ptr == text.end();
}

bool read_word(std::string_view text, bool each_start, Presets &presets) {
    const std::size_t equals = text.find('=');
    Presets::Word word{.address = 0, .value = 0, .each_start = each_start};
    if (equals == std::string_view::npos ||
        !read_hexadecimal(text.substr(0, equals), word.address) ||
        !read_hexadecimal(text.substr(equals + 1), word.value))
        return false;
    presets.words.push_back(word);
    return true;
}

// An option with a value. Nothing if there is no such option.
std::optional<bool> read_value(std::string_view name, const char *value, BoardOptions &board) {
    if (name == "--netdev")
        board.network = value;
    else if (name == "--log")
        board.log = value;
    else if (name == "--coverage")
        board.coverage = value;
    else if (name == "--gdb")
        board.debugger = value;
    else if (name == "--later-words")
        board.later_words.emplace_back(value);
    else if (name == "--instruction-ps")
        return read_number(value, board.instruction_ps);
    else if (name == "--start-ns")
        return read_number(value, board.start_ns);
    else if (name == "--halt-ps")
        return read_number(value, board.halt_ps);
    else if (name == "--at")
        return read_hexadecimal(value, board.presets.pc);
    else if (name == "--word" || name == "--first-word")
        return read_word(value, name == "--word", board.presets);
    else
        return std::nullopt;
    return true;
}

std::optional<BoardOptions> parse_board(Arguments arguments) {
    BoardOptions board;
    std::vector<std::string> words;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view word = arguments[i];
        if (word == "--unpaced")
            board.paced = false;
        else if (word == "--join")
            board.joins = true;
        else if (word == "--resets")
            board.resets = true;
        else {
            const auto read =
                i + 1 < arguments.size() ? read_value(word, arguments[i + 1], board) : std::nullopt;
            if (read == false)
                return std::nullopt;
            if (read)
                ++i;
            else
                words.emplace_back(word);
        }
    }
    if (words.size() != 2 || board.network.empty() ||
        (board.halt_ps > 0 && board.debugger.empty()) ||
        (!board.presets.words.empty() && board.presets.pc == 0) || (board.joins && !board.paced))
        return std::nullopt;
    board.firmware = words[0];
    board.words = words[1];
    return board;
}

// Signals, standard output and the debugger's mailbox are those of a process. Boards that share
// their decoded instructions do not know which of them has executed one.
bool can_share(const BoardOptions &board) {
    return board.paced && !board.resets && board.debugger.empty() && board.coverage.empty() &&
           !board.log.empty();
}

} // namespace

std::vector<BoardOptions> parse_options(Arguments arguments) {
    std::vector<BoardOptions> boards;
    while (true) {
        const auto next =
            std::ranges::find(arguments, std::string_view("--next"),
                              [](const char *argument) { return std::string_view(argument); });
        const auto count = static_cast<std::size_t>(next - arguments.begin());
        auto board = parse_board(arguments.first(count));
        if (!board)
            return {};
        boards.push_back(std::move(*board));
        if (count == arguments.size())
            break;
        arguments = arguments.subspan(count + 1);
    }
    if (boards.size() > 1 && !std::ranges::all_of(boards, can_share))
        return {};
    return boards;
}

} // namespace lx106
