// The simulated system: devices arrive with a report, reach their cell, deliver, and leave.
//
// Its layers, from the bottom: Network, Channel, Scheduler, RandomAccess, Transfer, Connection.
// Each uses those below it and reports to the one above through an interface.
#pragma once

#include "access.hpp"
#include "channel.hpp"
#include "config.hpp"
#include "connection.hpp"
#include "geometry.hpp"
#include "network.hpp"
#include "pool.hpp"
#include "scheduler.hpp"
#include "stack.hpp"
#include "transfer.hpp"

namespace nbiot {

struct RunPlan {
    Stack stack;
    int payload_bytes;
    double load; // requests per second and cell
    std::uint64_t seed;
    double simulated_s;
    double warmup_s;
    double give_up_s;
};

class System final : private SessionHost, private BearerUser {
public:
    System(const Model &model, const LinkTables &tables, RunPlan plan);

    // Runs to the end of the plan.
    Tally run();
    // One device alone, arriving at `arrival_s`; returns its report. For the closed-form test.
    Report run_single(double arrival_s);

private:
    void arrive();
    void begin_report();
    void give_up(Device &device);
    void cross_internet(Device &device, Side to, const Packet &packet);
    void arrived(std::uint32_t slot);

    // The host of the sessions
    void send(Session &session, Side from, const Packet &packet) override;
    des::EventHandle start_timer(Session &session, Side side, double seconds) override;
    void stop_timer(des::EventHandle handle) override { network_.queue.cancel(handle); }
    [[nodiscard]] double now_s() const override { return des::to_seconds(network_.queue.now()); }
    des::RandomStream &transport_random() override { return transport_random_; }
    void delivered(Session &session) override;
    void finished(Session &session) override;

    // The user of the radio bearers
    void received(Device &device, const Packet &packet) override;
    void forwarded(Device &device, const Packet &packet) override;
    void left(Device &device) override;

    struct Crossing {
        Packet packet;
        DeviceRef device;
        Side to;
    };

    RunPlan plan_;
    Layout layout_;
    des::RandomStream arrival_random_, place_random_, transport_random_;
    Network network_;
    Channel channel_;
    Scheduler scheduler_;
    RandomAccess access_;
    Transfer transfer_;
    Connection connection_;
    Pool<Crossing> crossing_;
    bool single_ = false;
};

} // namespace nbiot
