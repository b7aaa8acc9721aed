#include "json_reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace air {

namespace {

using nlohmann::json;

std::string number_text(double value) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.10g", value);
    return buffer;
}

const json kEmptyObject = json::object();
const json kEmptyArray = json::array();

} // namespace

JsonReader::JsonReader(const json &value, std::string file, std::string path)
    : value_(value), file_(std::move(file)), path_(std::move(path)) {
    if (!value.is_object())
        throw ConfigError(file_ + ": " + (path_.empty() ? "(top)" : path_) +
                          ": is not an object; write {...}");
}

std::string JsonReader::path_of(const std::string &key) const {
    return path_.empty() ? key : path_ + "." + key;
}

void JsonReader::fail(const std::string &key, const std::string &what,
                      const std::string &remedy) const {
    throw ConfigError(file_ + ": " + path_of(key) + ": " + what + "; " + remedy);
}

const json *JsonReader::find(const std::string &key) {
    known_.insert(key);
    const auto found = value_.find(key);
    return found == value_.end() ? nullptr : &*found;
}

double JsonReader::number(const std::string &key, std::optional<double> fallback, double low,
                          double high) {
    const json *value = find(key);
    const std::string range = "give a number from " + number_text(low) + " to " + number_text(high);
    if (value == nullptr) {
        if (!fallback)
            fail(key, "is missing", range);
        return *fallback;
    }
    if (!value->is_number())
        fail(key, "is not a number", range);
    const double number = value->get<double>();
    if (!(number >= low && number <= high))
        fail(key, number_text(number) + " is out of range", range);
    return number;
}

std::uint64_t JsonReader::integer(const std::string &key, std::optional<std::uint64_t> fallback,
                                  std::uint64_t low, std::uint64_t high) {
    const json *value = find(key);
    const std::string range =
        "give a whole number from " + std::to_string(low) + " to " + std::to_string(high);
    if (value == nullptr) {
        if (!fallback)
            fail(key, "is missing", range);
        return *fallback;
    }
    if (!value->is_number_unsigned())
        fail(key, "is not a whole number of zero or more", range);
    const auto number = value->get<std::uint64_t>();
    if (number < low || number > high)
        fail(key, std::to_string(number) + " is out of range", range);
    return number;
}

bool JsonReader::boolean(const std::string &key, bool fallback) {
    const json *value = find(key);
    if (value == nullptr)
        return fallback;
    if (!value->is_boolean())
        fail(key, "is not true or false", "write true or false");
    return value->get<bool>();
}

std::string JsonReader::text(const std::string &key, std::optional<std::string> fallback) {
    const json *value = find(key);
    if (value == nullptr) {
        if (!fallback)
            fail(key, "is missing", "give a text");
        return *fallback;
    }
    if (!value->is_string())
        fail(key, "is not a text", "write it in double quotes");
    return value->get<std::string>();
}

std::size_t JsonReader::choice(const std::string &key, std::optional<std::string> fallback,
                               std::span<const std::string_view> words) {
    const std::string word = text(key, fallback);
    const auto found = std::ranges::find(words, word);
    if (found == words.end()) {
        std::string list;
        for (const std::string_view candidate : words)
            list += (list.empty() ? "\"" : ", \"") + std::string(candidate) + "\"";
        fail(key, "\"" + word + "\" is not known", "choose one of " + list);
    }
    return static_cast<std::size_t>(found - words.begin());
}

JsonReader JsonReader::object(const std::string &key) {
    const json *value = find(key);
    return {value == nullptr ? kEmptyObject : *value, file_, path_of(key)};
}

const json &JsonReader::array(const std::string &key) {
    const json *value = find(key);
    if (value == nullptr)
        return kEmptyArray;
    if (!value->is_array())
        fail(key, "is not a list", "write [...]");
    return *value;
}

void JsonReader::finish() const {
    for (const auto &item : value_.items())
        if (!known_.contains(item.key()))
            fail(item.key(), "is not a known key", "remove it, or correct its spelling");
}

} // namespace air
