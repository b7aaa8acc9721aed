// From a JSON document to a CellConfig.
#pragma once

#include <string>

#include "cell_config.hpp"
#include "config/error.hpp"

namespace config {
class Schema;
}

namespace air {

// ../air.schema.json, to which every configuration conforms.
const config::Schema &schema();
// Throws config::Error. `file` names the document in messages.
CellConfig read_config(const std::string &text, const std::string &file);
// Also reads the file. Throws config::Error when it cannot be read.
CellConfig read_config_file(const std::string &path);

} // namespace air
