#include "rate_control.hpp"

namespace air {

void RateControl::report(bool success) {
    if (!fallback_)
        return;
    if (success) {
        failures_ = 0;
        probing_ = false;
        if (++successes_ >= kSuccessesToRise && position_ + 1 < rates_.size()) {
            ++position_;
            successes_ = 0;
            probing_ = true;
        }
        return;
    }
    successes_ = 0;
    if (++failures_ >= (probing_ ? 1 : kFailuresToFall) && position_ > 0) {
        --position_;
        failures_ = 0;
    }
    probing_ = false;
}

} // namespace air
