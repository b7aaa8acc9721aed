// The capture of the air: radiotap, 802.11, pcapng.
#pragma once

#include <vector>

#include "cell_config.hpp"
#include "dot11_writer.hpp"
#include "pcapng.hpp"

namespace air {

// Records every frame at the time its preamble begins. Frames that the intended receiver did not
// receive are marked "bad FCS".
class AirCapture final : public AirLog {
public:
    AirCapture(const CellConfig &config, const AddressBook &addresses);
    ~AirCapture() override { flush(); }
    void record(const AirRecord &record) override;
    // Writes the pending frames.
    void flush();

private:
    struct Pending {
        Time at;
        std::vector<std::uint8_t> bytes;
        std::uint32_t original_bytes;
    };
    void write_before(Time horizon);
    [[nodiscard]] bool wanted(const Frame &frame) const;
    [[nodiscard]] bool qos_between(const Frame &frame) const;

    const CellConfig &config_;
    const AddressBook &addresses_;
    PcapngWriter writer_;
    std::vector<Pending> pending_;
};

} // namespace air
