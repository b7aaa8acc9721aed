#include "delay_line.hpp"

#include <algorithm>

namespace air {

DelayLine::DelayLine(des::EventQueue &queue, std::vector<des::Time> quantiles, std::uint64_t seed,
                     std::string_view name, Arrive arrive)
    : queue_(queue), quantiles_(std::move(quantiles)), random_(seed, name),
      arrive_(std::move(arrive)) {}

des::Time DelayLine::draw() {
    const double share = random_.uniform() * static_cast<double>(quantiles_.size() - 1);
    const auto step = static_cast<std::size_t>(share);
    const double low = des::to_seconds(quantiles_[step]);
    const double high = des::to_seconds(quantiles_[std::min(step + 1, quantiles_.size() - 1)]);
    return des::from_seconds(low + (high - low) * (share - static_cast<double>(step)));
}

void DelayLine::pass(std::span<const std::uint8_t> frame) {
    const des::Time at = under_way_.empty() ? queue_.now() + draw() : under_way_.back().at;
    under_way_.push_back({at, {frame.begin(), frame.end()}});
    queue_.schedule(at, [this] { arrive_first(); });
}

void DelayLine::arrive_first() {
    const Late first = std::move(under_way_.front());
    under_way_.pop_front();
    arrive_(first.frame);
}

} // namespace air
