// File descriptors through which Ethernet frames enter and leave: a TAP interface, or a unix
// datagram socket.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "cell_config.hpp"

namespace air {

class Port {
public:
    // Opens what the settings name. Throws std::system_error, with a remedy, when that fails.
    static std::unique_ptr<Port> open(const PortSettings &settings);
    virtual ~Port();
    Port(const Port &) = delete;
    Port &operator=(const Port &) = delete;

    [[nodiscard]] int descriptor() const { return descriptor_; }
    // Reads until nothing is left, one frame a call of `take`.
    void drain(const std::function<void(std::span<const std::uint8_t>)> &take) const;
    // Sends one frame. A peer that is not there, or does not keep up, loses it: the radio does not
    // wait.
    virtual void send(std::span<const std::uint8_t> frame) = 0;
    [[nodiscard]] std::uint64_t lost() const { return lost_; }

protected:
    explicit Port(int descriptor) : descriptor_(descriptor) {}
    std::uint64_t lost_ = 0; // frames that could not be sent

private:
    int descriptor_;
};

} // namespace air
