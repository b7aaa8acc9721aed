// The description of a cell and of the run, after validation. The JSON form: ../air.schema.json,
// README.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "access_point.hpp"
#include "ports/port.hpp"
#include "request_flow.hpp"

namespace air {

enum class Profile : std::uint8_t { none, bulk, web, video, voice, datagram, saturated, request };

struct StationConfig {
    StationSettings settings;
    ports::Settings port; // its port to the outside
    bool mac_given = false;
    std::vector<Time> arrival_delay; // see DelayLine; empty: none
    Profile profile = Profile::none; // of an in-process station
    Direction direction = Direction::down;
    double load_bps = 0;
    std::uint32_t packet_bytes = 1500;
    Time wired_delay{0};
    RequestFlow::Shape request;
};

struct CaptureSettings {
    std::string path; // empty: no capture
    bool outside_only = false;
    bool beacons = true;
};

struct CellConfig {
    std::uint64_t seed = 1;
    std::optional<Time> duration;
    CellParameters parameters;
    AccessPointSettings access_point;
    ports::Settings wired;
    std::vector<StationConfig> stations;
    CaptureSettings capture;
    std::string counters_path; // empty: none; "-": standard output
    Time spin{0};
    Time longest_sleep = std::chrono::milliseconds(50);
    bool realtime = true;
};

} // namespace air
