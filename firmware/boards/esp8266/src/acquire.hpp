// What the board asks its network for before the application starts: an address (DHCP), the
// server's address (DNS) and the time (SNTP), as far as the configuration wants them, one after the
// other, by the core's lwIP. Each step is a line of the log.
#pragma once

#include <cstdint>

struct tw_app;

namespace acquire {

// Call before the station joins.
void start(tw_app *app);

// Call in the main loop with the station's address, once it has one. Returns it when all steps are
// done, and otherwise 0. lwIP repeats what is lost.
uint32_t poll(uint32_t address);

} // namespace acquire
