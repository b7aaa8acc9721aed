// The boards of a process, as the command line describes them.
#pragma once

#include <vector>

#include "options.hpp"

namespace lx106 {

// A single board, in the calling thread until SIGTERM or SIGINT. Throws std::runtime_error when
// something that the options name is not there, std::system_error when the log or the coverage
// cannot be written.
void run_alone(const BoardOptions &options);

// Several boards, each in a thread, until SIGTERM or SIGINT. Boards with the same firmware share
// its code. Throws as run_alone(); a board's failure later ends the process with status 1.
void run_together(const std::vector<BoardOptions> &options);

} // namespace lx106
