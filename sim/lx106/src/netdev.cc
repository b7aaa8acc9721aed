#include "netdev.hpp"

#include <map>
#include <stdexcept>
#include <string>

namespace lx106 {

namespace {

// A comma in a value is written twice.
std::string word_at(std::string_view text, std::size_t &from) {
    std::string word;
    for (; from < text.size(); ++from) {
        if (text[from] == ',' && (from + 1 == text.size() || text[from + 1] != ','))
            break;
        if (text[from] == ',')
            ++from;
        word += text[from];
    }
    ++from;
    return word;
}

} // namespace

ports::Settings parse_netdev(std::string_view text) {
    std::size_t from = 0;
    const std::string kind = word_at(text, from);
    std::map<std::string, std::string> values;
    while (from < text.size()) {
        const std::string word = word_at(text, from);
        const std::size_t equals = std::min(word.find('='), word.size());
        values[word.substr(0, equals)] = word.substr(std::min(equals + 1, word.size()));
    }
    ports::Settings settings;
    if (kind == "tap")
        settings.tap = values["ifname"];
    else if (kind == "dgram") {
        settings.unix_bind = values["local.path"];
        settings.unix_peer = values["remote.path"];
    }
    if (!settings.any() || settings.unix_bind.empty() != settings.unix_peer.empty())
        throw std::runtime_error(
            "--netdev: '" + std::string(text) +
            "' names no network; write tap,ifname=NAME or dgram,local.type=unix,local.path=PATH,"
            "remote.type=unix,remote.path=PATH");
    return settings;
}

} // namespace lx106
