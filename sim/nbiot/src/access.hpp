// Random access: TS 36.321 5.1 with the NB-IoT rules, TS 36.211 10.1.6, TS 36.213 16.3.
#pragma once

#include <array>
#include <vector>

#include "channel.hpp"
#include "network.hpp"
#include "pool.hpp"
#include "scheduler.hpp"

namespace nbiot {

// Receives idle devices that have become known to the base station.
class Admission {
public:
    virtual ~Admission() = default;
    virtual void admitted(Device &device) = 0;
};

class RandomAccess final : public Responder {
public:
    RandomAccess(Network &network, Channel &channel, Scheduler &scheduler, std::uint64_t seed);
    void set_admission(Admission &admission) { admission_ = &admission; }

    // Starts random access from idle, or as the scheduling request of a connected device, which
    // cannot request a grant in any other way (TS 36.321 5.4.4).
    void begin(Device &device, bool connected);

    bool respond(int cell, int level, const SearchSpace &space) override;
    [[nodiscard]] bool has_responses(int cell, int level) const override {
        return !cells_[static_cast<std::size_t>(cell)]
                    .responses[static_cast<std::size_t>(level)]
                    .empty();
    }

private:
    struct Attempt {
        DeviceRef device;
        std::uint32_t epoch;
    };
    struct Response { // preambles of one occasion that wait for their random access response
        Ms opens, closes;
        std::vector<std::vector<Attempt>> preambles; // with the devices that chose each
    };
    struct Occasion { // devices that send a preamble in the next NPRACH occasion of a level
        Ms began = -1;
        std::vector<Attempt> attempts;
    };
    struct CellState { // by level
        std::array<std::vector<Response>, 3> responses;
        std::array<Occasion, 3> occasions;
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

    void join_occasion(Device &device);
    void close_occasion(int cell, int level, Ms began);
    void close_window(std::uint32_t slot);
    void attempt_failed(Device &device);
    void restart(Device &device);
    void response_end(std::uint32_t slot);
    void msg3_start(std::uint32_t slot);
    void msg3_end(std::uint32_t slot);
    void msg3_decoded(Device &device);
    void contention_expired(Device &device);

    [[nodiscard]] CellState &state(int cell) { return cells_[static_cast<std::size_t>(cell)]; }
    // The device, unless it has left or its random access has moved on.
    [[nodiscard]] Device *find(const Attempt &attempt) {
        Device *device = network_.find(attempt.device);
        return device != nullptr && device->access.epoch == attempt.epoch ? device : nullptr;
    }
    static Attempt attempt_of(const Device &device) {
        return {Network::ref(device), device.access.epoch};
    }
    // Runs `Member` at `at` unless the device's random access has moved on.
    template <void (RandomAccess::*Member)(Device &)> void later(Device &device, Ms at) {
        network_.queue.schedule(std::max(Network::at_ms(at), network_.queue.now()),
                                [this, attempt = attempt_of(device)] {
                                    if (Device *d = find(attempt))
                                        (this->*Member)(*d);
                                });
    }
    // The time of the contention resolution timer that starts now.
    [[nodiscard]] Ms contention_ends(const Device &device) const {
        return network_.now_ms() +
               network_.level(device.level).contention_timer * network_.period_ms(device.level);
    }

    Network &network_;
    Channel &channel_;
    Scheduler &scheduler_;
    Admission *admission_ = nullptr;
    des::RandomStream random_;
    std::vector<CellState> cells_;
    Pool<std::vector<Attempt>> attempts_; // of occasions whose response window is open
    Pool<Msg3> msg3_;
    Pool<ResponseBlock> responses_;
};

} // namespace nbiot
