// The delay between a station's radio and the host at its port: each frame is delayed by a time
// drawn from a distribution; frames that follow while one is under way arrive together with it.
#pragma once

#include <deque>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "des/event_queue.hpp"
#include "des/random.hpp"

namespace air {

class DelayLine {
public:
    using Arrive = std::function<void(std::span<const std::uint8_t>)>;
    // `quantiles`: at least one quantile of the distribution, at equal steps of probability,
    // ascending; between two of them the distribution is uniform. Random numbers come from the
    // stream `name` of `seed`.
    DelayLine(des::EventQueue &queue, std::vector<des::Time> quantiles, std::uint64_t seed,
              std::string_view name, Arrive arrive);

    void pass(std::span<const std::uint8_t> frame);
    // When the next frame arrives; kNever if none is under way.
    [[nodiscard]] des::Time next() const {
        return under_way_.empty() ? des::kNever : under_way_.front().at;
    }

private:
    struct Late {
        des::Time at;
        std::vector<std::uint8_t> frame;
    };
    [[nodiscard]] des::Time draw();
    void arrive_first();

    des::EventQueue &queue_;
    std::vector<des::Time> quantiles_;
    des::RandomStream random_;
    Arrive arrive_;
    std::deque<Late> under_way_;
};

} // namespace air
