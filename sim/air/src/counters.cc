#include "counters.hpp"

#include "request_flow.hpp"
#include "tcp_flow.hpp"

namespace air {

namespace {

using Json = nlohmann::ordered_json;

Json link_json(const Link &link) {
    const LinkCounters &c = link.counters;
    return {{"frames_received", c.frames_received},
            {"bytes_received", c.bytes_received},
            {"attempts", c.attempts},
            {"retries", c.retries},
            {"collisions", c.collisions},
            {"errors", c.errors},
            {"given_up", c.given_up},
            {"queue_drops", c.queue_drops},
            {"aggregates", c.aggregates},
            {"airtime_s", des::to_seconds(c.airtime)}};
}

Json flow_json(const Flow &flow) {
    const FlowCounters c = flow.counters();
    Json json{{"packets_sent", c.packets_sent},
              {"packets_received", c.packets_received},
              {"bytes_received", c.bytes_received}};
    if (const auto *tcp = dynamic_cast<const TcpFlow *>(&flow))
        json["retransmissions"] = tcp->retransmissions();
    if (const auto *request = dynamic_cast<const RequestFlow *>(&flow)) {
        Json samples = Json::array();
        for (const RequestFlow::Sample &sample : request->samples())
            samples.push_back(
                {des::to_seconds(sample.request), des::to_seconds(sample.round_trip)});
        json["round_trips_s"] = std::move(samples);
    }
    return json;
}

Json station_json(const Cell &cell, const Station &station) {
    const StationId id = station.id();
    Json json{{"name", station.settings().name},
              {"mac", to_text(cell.station_mac(id))},
              {"standard", name(station.settings().standard)},
              {"up", link_json(station.link())},
              {"down", link_json(cell.access_point().link_to(id))},
              {"kept_frames", cell.access_point().kept_frames(id)},
              {"naps", station.sleep().naps()},
              {"awake_s", des::to_seconds(station.awake_time())},
              {"associations", station.associations()}};
    if (station.settings().join) {
        Json joins = Json::array();
        for (const JoinTimes &join : station.joins())
            joins.push_back({{"began_s", des::to_seconds(join.began)},
                             {"scanned_s", des::to_seconds(join.scanned)},
                             {"authenticated_s", des::to_seconds(join.authenticated)},
                             {"associated_s", des::to_seconds(join.associated)},
                             {"joined_s", des::to_seconds(join.joined)}});
        json["joins"] = std::move(joins);
        json["off_s"] = des::to_seconds(station.off_time());
    }
    if (const Flow *flow = cell.flow(id))
        json["flow"] = flow_json(*flow);
    return json;
}

} // namespace

Json counters_json(const Cell &cell, Time now) {
    const MediumCounters &medium = cell.medium().counters();
    const Cell::BridgeCounters &bridge = cell.bridge();
    Json stations = Json::array();
    for (const auto &station : cell.stations())
        stations.push_back(station_json(cell, *station));
    return {{"schema", 1},
            {"duration_s", des::to_seconds(now)},
            {"medium",
             {{"accesses", medium.accesses},
              {"collisions", medium.collisions},
              {"busy_s", des::to_seconds(medium.busy)},
              {"beacons", cell.access_point().beacon().sent()}}},
            {"bridge",
             {{"from_wired", bridge.from_wired},
              {"to_wired", bridge.to_wired},
              {"malformed", bridge.malformed},
              {"unknown_address", bridge.unknown_address},
              {"foreign_source", bridge.foreign_source}}},
            {"group", link_json(cell.access_point().group_link())},
            {"stations", std::move(stations)}};
}

} // namespace air
