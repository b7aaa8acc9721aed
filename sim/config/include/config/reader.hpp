// Reads the values of one object of a document that its schema has accepted.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/schema.hpp"

namespace config {

// The document and the schema must outlive their readers. Call finish() after the last key.
class Reader {
public:
    // The whole document. `file` names it in messages.
    Reader(const Json &document, const Schema &schema, std::string file)
        : Reader(document, schema.root(), schema, std::move(file), "") {}
    // The same position in another document, which the schema must also accept there.
    [[nodiscard]] Reader over(const Json &value) const {
        return {value, *rules_, *schema_, file_, path_};
    }

    // True if the document has the key.
    bool has(const std::string &key);
    // The key's value, or the schema's default; one of the two must exist.
    template <typename T> T get(const std::string &key) { return required(key).template get<T>(); }
    template <typename T> T get(const std::string &key, T fallback) {
        read(key, fallback);
        return fallback;
    }
    // The same, with `value` as the default.
    template <typename T> void read(const std::string &key, T &value) {
        if (const Json *json = find(key))
            value = json->template get<T>();
    }
    // The key's value as its position in `words`, which must list all values of the schema.
    std::size_t choice(const std::string &key, std::span<const std::string_view> words,
                       std::optional<std::size_t> fallback = std::nullopt);
    // The object under a key; an empty one if the key is missing.
    Reader object(const std::string &key);
    // The objects of the list under a key; none if the key is missing.
    std::vector<Reader> objects(const std::string &key);

    [[nodiscard]] const Json &value() const { return *value_; }

    // For rules that a schema cannot express.
    [[noreturn]] void fail(const std::string &key, const std::string &what,
                           const std::string &remedy) const;
    // Throws std::logic_error if a key of the schema was never read.
    void finish() const;

private:
    Reader(const Json &value, const Json &rules, const Schema &schema, std::string file,
           std::string path);
    const Json &rule(const std::string &key);
    const Json *find(const std::string &key);
    const Json &required(const std::string &key);
    [[nodiscard]] std::string path_of(const std::string &key) const;

    const Json *value_;
    const Json *rules_;
    const Schema *schema_;
    std::string file_;
    std::string path_; // the object's own key, empty at the top
    std::set<std::string> asked_;
};

} // namespace config
