#pragma once

#include <stdexcept>
#include <string>

namespace config {

// Bad input: "FILE: KEY: what; remedy".
class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
    // `key` is empty at the top.
    Error(const std::string &file, const std::string &key, const std::string &what,
          const std::string &remedy);
};

} // namespace config
