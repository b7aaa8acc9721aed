#include "damage.hpp"

#include <iterator>

namespace config_test {

std::string damaged(std::string text, des::RandomStream &random) {
    const auto changes = random.integer(1, 4);
    for (int c = 0; c < changes && !text.empty(); ++c) {
        const auto at = static_cast<std::size_t>(random.integer(0, std::ssize(text) - 1));
        switch (random.integer(0, 3)) {
        case 0:
            text[at] = static_cast<char>(random.integer(0, 255));
            break;
        case 1:
            text.erase(at, static_cast<std::size_t>(random.integer(1, 5)));
            break;
        case 2:
            text.insert(at, std::to_string(random.integer(0, 1000000)));
            break;
        default:
            text.insert(at, 1, "0123456789-.,:[]{}\"e"[random.integer(0, 19)]);
            break;
        }
    }
    return text;
}

} // namespace config_test
