// A JSON Schema and the validation of a document against it. The schema is the only place for a
// program's keys, types, ranges and defaults. It supports the part of draft 2020-12 that the
// schemas here use; any other keyword is an error, so no rule goes unchecked.
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
    // The rules of a node: the node itself, or the target of its $ref.
    [[nodiscard]] const Json &resolve(const Json &node) const;

private:
    Json root_;
};

// The document in `text`. Throws Error when it is not JSON, or when a key occurs twice.
Json parse(const std::string &text, const std::string &file);
// The text of a file; throws Error when it cannot be read.
std::string read_file(const std::string &path);

} // namespace config
