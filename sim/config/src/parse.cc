#include "config/schema.hpp"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <vector>

namespace config {

Json parse(const std::string &text, const std::string &file) {
    // The parser alone would keep the last of two equal keys.
    std::vector<std::set<std::string>> keys; // keys of the open objects
    const auto watch = [&](int, Json::parse_event_t event, const Json &parsed) {
        if (event == Json::parse_event_t::object_start)
            keys.emplace_back();
        else if (event == Json::parse_event_t::object_end)
            keys.pop_back();
        else if (event == Json::parse_event_t::key &&
                 !keys.back().insert(parsed.get<std::string>()).second)
            throw Error(file, parsed.get<std::string>(), "is given twice in one object",
                        "keep one");
        return true;
    };
    try {
        return Json::parse(text, watch);
    } catch (const Json::parse_error &error) {
        throw Error(file, "byte " + std::to_string(error.byte), "is not JSON",
                    "correct the syntax there");
    } catch (const Json::exception &) {
        throw Error(file, "(file)", "contains a number that no computer holds", "correct it");
    }
}

std::string read_file(const std::string &path) {
    if (std::filesystem::is_directory(path))
        throw Error(path, "(file)", "is a directory", "name a file in it");
    std::ifstream stream(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    if (!stream)
        throw Error(path, "(file)", "cannot be read", "check the path and its rights");
    return text;
}

} // namespace config
