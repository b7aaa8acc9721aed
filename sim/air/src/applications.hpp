// The applications of the background stations. `load` is in bits of application data per second.
#pragma once

#include <memory>

#include "tcp_flow.hpp"

namespace air {

// Sends as fast as TCP allows when load is 0; otherwise one segment at even intervals.
std::unique_ptr<Application> make_bulk(double load, des::RandomStream random);
// On-off traffic: a page of exponential size (mean 100 kB), then an exponential pause. Its mean
// results in the load if the transfer itself takes no time.
std::unique_ptr<Application> make_web(double load, des::RandomStream random);
// Adaptive streaming: two seconds of video at once, every two seconds.
std::unique_ptr<Application> make_video(double load, des::RandomStream random);

} // namespace air
