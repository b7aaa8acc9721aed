// From a JSON document to a CellConfig.
#pragma once

#include <string>

#include "cell_config.hpp"
#include "json_reader.hpp"

namespace air {

// Throws ConfigError. `file` names the document in messages.
CellConfig read_config(const std::string &text, const std::string &file);
// Reads the file, too. Throws ConfigError when it cannot be read.
CellConfig read_config_file(const std::string &path);

} // namespace air
