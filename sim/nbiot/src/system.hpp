// The simulated network: devices arrive with a report, reach their cell, deliver, and leave.
//
// Times inside are milliseconds (one subframe) since the start; the event queue's clock is finer
// only for the transport's timers and the Internet's delay.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "config.hpp"
#include "des/event_queue.hpp"
#include "des/random.hpp"
#include "device.hpp"
#include "geometry.hpp"
#include "grid.hpp"
#include "link.hpp"
#include "pool.hpp"
#include "radio.hpp"
#include "search_space.hpp"
#include "stack.hpp"
#include "tally.hpp"

namespace nbiot {

// Link tables: the same for every run of a process with the same targets.
struct LinkTables {
    explicit LinkTables(const Cell &cell);
    FormatTable downlink;
    std::vector<FormatTable> uplink; // one for each of Cell::uplink_tones
    // Mean ratio needed by R_max/8, R_max/4, R_max/2, R_max repetitions of NPDCCH, by level.
    std::array<std::array<double, 4>, 3> control_snr_db;
};

struct RunPlan {
    Stack stack;
    int payload_bytes = 25;
    double load = 1; // requests per second and cell
    std::uint64_t seed = 1;
    double simulated_s = 3600;
    double warmup_s = 60;
    double give_up_s = 60;
};

class System final : public SessionHost {
public:
    System(const Model &model, const LinkTables &tables, RunPlan plan);

    // Runs to the end of the plan.
    Tally run();
    // One device alone, arriving at `arrival_s`; returns its report. For the closed-form test.
    Report run_single(double arrival_s);

private:
    // system.cc: arrivals, life cycle, the session's host
    void arrive();
    Device &create_device();
    void remove_device(Device &device);
    void begin_release(Device &device);
    void give_up(Device &device);
    void sample_load();
    void send(Session &session, Side from, const Packet &packet) override;
    des::EventHandle start_timer(Session &session, Side side, double seconds) override;
    void stop_timer(des::EventHandle handle) override { queue_.cancel(handle); }
    [[nodiscard]] double now_s() const override { return des::to_seconds(queue_.now()); }
    des::RandomStream &transport_random() override { return transport_random_; }
    void cross_internet(Device &device, Side to, const Packet &packet);
    void delivered(Session &session) override;
    void finished(Session &session) override;

    // access.cc: NPRACH, response, Msg3, contention
    struct Attempt {
        std::uint32_t device, generation, epoch;
    };
    struct Response { // preambles of one occasion that wait for their random access response
        Ms opens, closes;
        std::vector<std::vector<Attempt>> preambles; // with the devices that chose each
    };
    void begin_access(Device &device, bool connected);
    void join_occasion(Device &device);
    void close_occasion(int cell, int level, Ms began);
    void close_window(std::uint32_t slot);
    void access_failed(Device &device);
    void restart_access(Device &device);
    double preamble_power_mw(const Device &device) const;
    bool schedule_response(int cell, int level, const SearchSpace &space);
    void response_end(std::uint32_t slot);
    void msg3_start(std::uint32_t slot);
    void msg3_end(std::uint32_t slot);
    void msg3_decoded(Device &device);
    void contention_expired(Device &device);

    // scheduler.cc: NPDCCH occasions and allocation
    [[nodiscard]] bool needs_downlink(const Device &device) const;
    [[nodiscard]] static bool needs_uplink(const Device &device);
    void want_service(Device &device);
    void arm_occasion(int cell, int level);
    void occasion(int cell, int level);
    bool schedule(Device &device, const SearchSpace &space);
    struct Control { // a control message
        Span span;
        int subframes;
    };
    Control find_control(const SearchSpace &space, Ms ready, int level, double snr_db) const;
    bool schedule_downlink(Device &device, const Control &control);
    bool schedule_uplink(Device &device, const Control &control);
    Ms period_ms(int level) const;

    // transfer.cc: transport blocks, RLC, RRC
    void downlink_end(Device &device);
    void downlink_acknowledged(Device &device);
    void uplink_start(Device &device);
    void uplink_end(Device &device);
    void block_failed(Device &device, Block &block, bool uplink);
    void take_downlink(Device &device);
    void take_uplink(Device &device);
    void deliver_to_device(Device &device, const Packet &packet);
    void deliver_to_base(Device &device, const Packet &packet);
    void signal_down(Device &device, Signal signal, int bytes);
    void signal_up(Device &device, Signal signal, int bytes);
    void queue_uplink(Device &device, const Packet &packet);
    void open_bearer(Device &device);
    void maybe_request(Device &device);
    void request_due(Device &device);
    void count_transmission(Device &device, Ms milliseconds, double power_mw);

    // Radio helpers
    double downlink_ratio(const Device &device, const DownlinkActivity::Shares &shares) const;
    double downlink_snr(const Device &device, Ms begin, Ms end) const;
    double downlink_estimate_db(const Device &device) const;
    double downlink_worst_db(const Device &device) const;
    double uplink_path_db(const Device &device) const;
    double uplink_power_mw(const Device &device, int tones, int repetitions) const;
    void check_half_duplex(Device &device, Ms begin, Ms end, const char *what);

    [[nodiscard]] Ms now_ms() const { return (queue_.now().count() + 999999) / 1000000; }
    static des::Time at_ms(Ms at) { return des::Time(at * 1000000); }
    Device *find(std::uint32_t index, std::uint32_t generation) {
        Device &device = devices_[index];
        return device.alive && device.generation == generation ? &device : nullptr;
    }
    // Runs `member` on the device at `at`, unless it has left.
    template <typename Member> des::EventHandle later(Device &device, Ms at, Member member) {
        return queue_.schedule(
            std::max(at_ms(at), queue_.now()),
            [this, member, index = device.index, generation = device.generation] {
                if (Device *d = find(index, generation))
                    (this->*member)(*d);
            });
    }
    // The same for a timer of the device's current random access: void once that has moved on.
    template <void (System::*Member)(Device &)> void later_access(Device &device, Ms at) {
        queue_.schedule(std::max(at_ms(at), queue_.now()),
                        [this, index = device.index, generation = device.generation,
                         epoch = device.access.epoch] {
                            Device *d = find(index, generation);
                            if (d != nullptr && d->access.epoch == epoch)
                                (this->*Member)(*d);
                        });
    }
    const Level &level_of(const Device &device) const {
        return model_.cell.levels[static_cast<std::size_t>(device.level)];
    }

    struct Occasion { // devices that send a preamble in the next NPRACH occasion of a level
        Ms began = -1;
        std::vector<Attempt> attempts;
    };
    struct CellState {
        CellState(const Cell &cell, const ValidSubframes &valid, Ms frame_phase,
                  DownlinkActivity &all, std::size_t number)
            : phase(frame_phase), downlink(valid, frame_phase, all, number),
              uplink(cell, frame_phase) {}
        Ms phase; // of its frames
        DownlinkGrid downlink;
        UplinkGrid uplink;
        std::array<std::deque<Attempt>, 3> waiting; // round robin, by level
        std::array<std::vector<Response>, 3> responses;
        std::array<Occasion, 3> occasions;
        std::array<bool, 3> armed{};
        double uplink_interference = 0; // mean mW on a tone in the last second
        double interference_before = 0;
        int next_tone = 0;
    };
    struct Msg3 { // one allocation, shared by the devices that chose the same preamble
        Span span;
        int first = 0, cell = 0;
        const Format *format = nullptr;
        double before = 0;
        std::vector<Attempt> devices;
        std::vector<double> mw; // a tone, of each device
    };
    struct ResponseBlock { // a random access response on its way
        int cell = 0, control_subframes = 0;
        Span control, data;
        const Format *format = nullptr;
        std::vector<Msg3> grants;
    };
    struct Crossing {
        Packet packet;
        std::uint32_t device, generation;
        Side to;
    };

    const Model &model_;
    const LinkTables &tables_;
    RunPlan plan_;
    Layout layout_;
    FadingModel fading_;
    des::EventQueue queue_;
    des::RandomStream arrival_random_, place_random_, radio_random_, access_random_,
        transport_random_;
    ValidSubframes valid_;
    DownlinkActivity downlinks_;
    DownlinkActivity::Shares downlink_activity_{}; // in the last second
    std::vector<CellState> cells_;
    UplinkInterference interference_;
    std::deque<Device> devices_;
    std::vector<std::uint32_t> free_devices_;
    Pool<std::vector<Attempt>> attempts_; // of occasions whose response window is open
    Pool<Msg3> msg3_;
    Pool<ResponseBlock> responses_;
    Pool<Crossing> crossing_;
    Tally tally_;
    double base_mw_ = 0, device_mw_ = 0, downlink_noise_mw_ = 0, tone_noise_mw_ = 0,
           preamble_noise_mw_ = 0;
    double lowest_repetitions_db_ = 0; // of the preamble in the lowest coverage level
    std::array<double, spec::kTones + 1> tone_limit_dbm_{}; // a device's power on each of so many
    std::uint32_t alive_ = 0;
    Ms last_sample_ = 0;
    bool single_ = false;
};

} // namespace nbiot
