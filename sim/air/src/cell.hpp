// One cell: the radios, the bridge behind the access point, the in-process traffic.
#pragma once

#include <map>
#include <memory>
#include <span>

#include "cell_config.hpp"
#include "delay_line.hpp"
#include "dot11_writer.hpp"
#include "flow.hpp"

namespace air {

class Cell final : public AddressBook,
                   private StationPeer,
                   private AccessPoint::Peer,
                   private FlowNetwork {
public:
    // Receives the frames that leave the cell. Called at the moment of reception.
    struct Outside {
        std::function<void(std::span<const std::uint8_t>)> to_wired;
        std::function<void(StationId, std::span<const std::uint8_t>)> to_station;
    };
    struct BridgeCounters {
        std::uint64_t from_wired = 0, to_wired = 0;
        std::uint64_t malformed = 0;       // shorter than an Ethernet header, or too long
        std::uint64_t unknown_address = 0; // no station has this address
        std::uint64_t foreign_source =
            0; // a station's port sent with a source address that is not its own
    };

    Cell(des::EventQueue &queue, const CellConfig &config, Outside outside);

    // Records every frame on the air from now on; null stops the recording.
    void set_log(AirLog *log) { radio_.log = log; }

    // Starts beacons, traffic, absences. Call once at time 0.
    void start();
    // An Ethernet frame arrives now, at a station's port or at the wired one. Bad frames are
    // counted and dropped.
    void from_station_port(StationId station, std::span<const std::uint8_t> ethernet);
    void from_wired_port(std::span<const std::uint8_t> ethernet);
    // The next moment at which an effect may be visible outside; kNever when no frame of the
    // outside is on the air. Background traffic alone can be simulated later.
    [[nodiscard]] Time next_moment() const;
    // The earliest time at which a frame already under way leaves the cell; never before
    // next_moment(). Until the earlier of the two nothing leaves, unless a frame arrives.
    [[nodiscard]] Time next_exit() const;

    [[nodiscard]] const CellConfig &config() const { return config_; }
    [[nodiscard]] const Medium &medium() const { return radio_.medium; }
    [[nodiscard]] const AccessPoint &access_point() const { return access_point_; }
    [[nodiscard]] std::span<const std::unique_ptr<Station>> stations() const { return stations_; }
    // Null for a station without in-process traffic.
    [[nodiscard]] const Flow *flow(StationId id) const { return flows_[index(id)].get(); }
    [[nodiscard]] const BridgeCounters &bridge() const { return bridge_; }
    [[nodiscard]] MacAddress station_mac(StationId id) const override { return macs_[index(id)]; }
    [[nodiscard]] const Key &temporal_key(StationId id) const override {
        return access_point_.temporal_key(id);
    }

private:
    static std::size_t index(StationId id) { return static_cast<std::size_t>(id - 1); }
    void add_station(const StationConfig &station);
    [[nodiscard]] std::unique_ptr<Flow> make_flow(const StationConfig &station, StationId id);
    [[nodiscard]] bool plausible(std::span<const std::uint8_t> ethernet);
    void bridge_frame(Station &from, Frame &frame);
    void leave_by_port(StationId id, std::span<const std::uint8_t> ethernet);
    // When the next delayed frame arrives at a port; kNever if there is none.
    [[nodiscard]] Time next_arrival() const;

    void from_station(Station &station, Frame &frame) override;
    void station_frame_done(Station &station, Frame &frame, bool acknowledged) override;
    void station_joined(Station &station) override;
    // A host waits for its station to join.
    [[nodiscard]] bool joining() const;
    void to_station(Station &station, Frame &frame) override;
    void access_point_frame_done(Frame &frame, bool acknowledged) override;
    bool send(std::uint16_t flow, StationId station, Direction direction, std::uint32_t bytes,
              std::uint32_t mark) override;

    CellConfig config_;
    Outside outside_;
    des::EventQueue &queue_;
    Radio radio_;
    AccessPoint access_point_;
    std::vector<std::unique_ptr<Station>> stations_;
    std::vector<std::unique_ptr<Flow>> flows_;       // by station
    std::vector<std::unique_ptr<DelayLine>> delays_; // by station; null: none
    std::vector<MacAddress> macs_;                   // by station
    std::vector<bool> mac_known_;
    std::map<MacAddress, StationId> addresses_; // of stations with a port
    BridgeCounters bridge_;
};

// The access point's address, and the default address of a station.
MacAddress access_point_mac();
MacAddress default_station_mac(StationId id);
// The address that stands for the wired end of in-process traffic.
MacAddress wired_mac();
// A frame of the 4-way handshake, without its ends on this hop.
Frame eapol_frame(const MacAddress &to, const MacAddress &from,
                  std::span<const std::uint8_t> eapol);

} // namespace air
