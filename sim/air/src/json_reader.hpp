// Strict reading of a JSON document: every key is known, every value in range, every error names
// its key.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace air {

// What is wrong with a configuration: "FILE: KEY: what; remedy".
class ConfigError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// One object of the document. Call finish() after the last key: a key that nobody asked for is an
// error.
class JsonReader {
public:
    // Throws ConfigError when `value` is no object. `path` is the object's own key, empty at the
    // top.
    JsonReader(const nlohmann::json &value, std::string file, std::string path);

    [[nodiscard]] bool has(const std::string &key) const { return value_.contains(key); }
    double number(const std::string &key, std::optional<double> fallback, double low, double high);
    std::uint64_t integer(const std::string &key, std::optional<std::uint64_t> fallback,
                          std::uint64_t low, std::uint64_t high);
    bool boolean(const std::string &key, bool fallback);
    std::string text(const std::string &key, std::optional<std::string> fallback);
    // One of the given words; returns its position.
    std::size_t choice(const std::string &key, std::optional<std::string> fallback,
                       std::span<const std::string_view> words);
    // An object under this key; an empty one when the key is missing.
    JsonReader object(const std::string &key);
    // The array under this key; empty when it is missing.
    const nlohmann::json &array(const std::string &key);
    [[nodiscard]] std::string path_of(const std::string &key) const;
    [[nodiscard]] const std::string &file() const { return file_; }
    void finish() const;

    [[noreturn]] void fail(const std::string &key, const std::string &what,
                           const std::string &remedy) const;

private:
    const nlohmann::json *find(const std::string &key);

    const nlohmann::json &value_;
    std::string file_;
    std::string path_;
    std::set<std::string> known_;
};

} // namespace air
