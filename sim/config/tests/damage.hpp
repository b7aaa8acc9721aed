// Damaged documents: typing errors and malicious input.
#pragma once

#include <string>

#include "des/random.hpp"

namespace config_test {

// The text with one to four random changes: bytes replaced, removed, inserted.
std::string damaged(std::string text, des::RandomStream &random);

} // namespace config_test
