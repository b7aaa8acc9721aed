// Transport blocks with HARQ, and RLC acknowledged mode (TS 36.322), of a connected device.
#pragma once

#include "access.hpp"
#include "channel.hpp"
#include "network.hpp"
#include "scheduler.hpp"

namespace nbiot {

// The layer above RLC.
class PacketSink {
public:
    virtual ~PacketSink() = default;
    virtual void arrived_at_device(Device &device, const Packet &packet) = 0;
    virtual void arrived_at_base(Device &device, const Packet &packet) = 0;
    // A device that was being released has acknowledged everything.
    virtual void released(Device &device) = 0;
};

class Transfer final : public Blocks {
public:
    Transfer(Network &network, Channel &channel, Scheduler &scheduler, RandomAccess &access)
        : network_(network), channel_(channel), scheduler_(scheduler), access_(access) {}
    void set_sink(PacketSink &sink) { sink_ = &sink; }

    void assigned(Device &device) override;
    void granted(Device &device) override;
    // Call it after adding a packet to device.uplink that the base station does not expect:
    // requests a grant if necessary.
    void maybe_request(Device &device);

private:
    void downlink_end(Device &device);
    void downlink_acknowledged(Device &device);
    void uplink_start(Device &device);
    void uplink_end(Device &device);
    void block_failed(Device &device, Block &block, bool uplink);
    void take_downlink(Device &device);
    void take_uplink(Device &device);
    void request_due(Device &device);
    template <void (Transfer::*Member)(Device &)> void later(Device &device, Ms at) {
        network_.later(device, at, [this](Device &d) { (this->*Member)(d); });
    }

    Network &network_;
    Channel &channel_;
    Scheduler &scheduler_;
    RandomAccess &access_;
    PacketSink *sink_ = nullptr;
};

} // namespace nbiot
