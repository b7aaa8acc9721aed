// A JSON Schema, the one place of a program's keys, types, ranges and defaults, and the check of a
// document against it. The part of draft 2020-12 that the schemas here use; a keyword beyond it is
// an error, so no rule is written that nobody holds.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "config/error.hpp"

namespace config {

using Json = nlohmann::json;

class Schema {
public:
    // Throws std::logic_error when `text` is no schema of the kind above.
    explicit Schema(std::string_view text);

    // Throws Error at the first rule that the document breaks.
    void check(const Json &document, const std::string &file) const;

    [[nodiscard]] const Json &root() const { return root_; }
    // The rules of a node: the node, or what its $ref names.
    [[nodiscard]] const Json &resolve(const Json &node) const;

private:
    Json root_;
};

// The document in `text`. Throws Error when it is not JSON, or when a key is given twice.
Json parse(const std::string &text, const std::string &file);
// The text of a file; throws Error when it cannot be read.
std::string read_file(const std::string &path);

} // namespace config
