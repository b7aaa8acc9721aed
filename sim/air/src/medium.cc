#include "medium.hpp"

#include <algorithm>

namespace air {

namespace {
constexpr std::int64_t kNoSlot = INT64_MAX;
constexpr Time kShortestPreamble = std::chrono::microseconds(20); // OFDM, 17.3.3
} // namespace

Medium::Medium(des::EventQueue &queue, std::uint64_t seed)
    : queue_(queue), random_(seed, "backoff") {}

void Medium::add(Contender &contender, const Access &access, int owner) {
    contender.index_ = states_.size();
    State state;
    state.contender = &contender;
    state.owner = owner;
    state.access = access;
    state.window = access.cw_min;
    state.resume_slot = access.ifs_slots;
    states_.push_back(state);
}

void Medium::set_access(Contender &contender, const Access &access) {
    State &state = states_[contender.index_];
    state.access = access;
    state.window = access.cw_min;
}

bool Medium::idle() const {
    return !on_air_ && queue_.now() >= idle_start_;
}

Time Medium::slot_time(std::int64_t slot) const {
    return idle_start_ + timing_.sifs + slot * timing_.slot;
}

unsigned Medium::slots_until(Time after_idle) const {
    const Time rest = after_idle - timing_.sifs;
    return static_cast<unsigned>((rest + timing_.slot - Time(1)) / timing_.slot);
}

void Medium::draw_backoff(State &state) {
    state.backoff = static_cast<unsigned>(random_.integer(0, state.window));
}

void Medium::request(Contender &contender) {
    State &state = states_[contender.index_];
    if (state.active)
        return;
    state.active = true;
    state.ready_slot = 0;
    if (!idle()) {
        if (state.backoff == 0 && !state.sending)
            draw_backoff(state);
    } else {
        const Time since = queue_.now() - idle_start_ - timing_.sifs;
        if (since > Time(0))
            state.ready_slot = (since + timing_.slot - Time(1)) / timing_.slot;
    }
    if (!on_air_)
        plan_at(state.slot());
}

void Medium::withdraw(Contender &contender) {
    states_[contender.index_].active = false;
    plan_is_stale_ = true;
}

void Medium::plan_at(std::int64_t slot) {
    if (planned_slot_ >= 0) {
        if (planned_slot_ <= slot)
            return;
        queue_.cancel(access_event_);
    }
    planned_slot_ = slot;
    access_event_ = queue_.schedule(std::max(slot_time(slot), queue_.now()), [this] { access(); });
}

std::int64_t Medium::earliest_slot() const {
    std::int64_t best = kNoSlot;
    for (const State &state : states_)
        if (state.active)
            best = std::min(best, state.slot());
    return best;
}

void Medium::plan() {
    const std::int64_t best = earliest_slot();
    if (best != kNoSlot)
        plan_at(best);
}

Time Medium::earliest_end() const {
    if (on_air_)
        return data_end_;
    if (planned_slot_ < 0)
        return des::kNever;
    return std::max(slot_time(planned_slot_), queue_.now()) + kShortestPreamble;
}

void Medium::choose_senders(std::int64_t slot) {
    senders_.clear();
    for (std::size_t i = 0; i < states_.size(); ++i) {
        State &state = states_[i];
        if (!state.active || state.slot() > slot) {
            // Everybody else saw the slots that passed, with or without a frame to send.
            const std::int64_t passed = slot - state.resume_slot;
            if (passed > 0)
                state.backoff -=
                    static_cast<unsigned>(std::min<std::int64_t>(passed, state.backoff));
            state.ready_slot = 0; // it was one of the slots that have passed
            // A frame that came while the medium was idle finds it busy before its slot.
            if (state.active && state.backoff == 0)
                draw_backoff(state);
            continue;
        }
        const bool sibling_sends =
            std::any_of(senders_.begin(), senders_.end(),
                        [&](const Sender &s) { return states_[s.state].owner == state.owner; });
        if (sibling_sends) {
            state.window = std::min(2 * state.window + 1, state.access.cw_max);
            draw_backoff(state);
        } else {
            state.sending = true;
            senders_.push_back({i, {}});
        }
    }
}

void Medium::access() {
    const std::int64_t slot = planned_slot_;
    planned_slot_ = -1;
    if (plan_is_stale_) {
        plan_is_stale_ = false;
        if (earliest_slot() > slot) {
            plan();
            return;
        }
    }
    choose_senders(slot);
    on_air_ = true;
    access_start_ = queue_.now();
    ++counters_.accesses;
    counters_.collisions += senders_.size() > 1 ? 1 : 0;
    Time longest{0};
    for (Sender &sender : senders_) {
        sender.transmission = states_[sender.state].contender->compose();
        longest = std::max(longest, sender.transmission.duration);
    }
    data_end_ = access_start_ + longest;
    queue_.schedule(data_end_, [this] { end_of_data(); });
}

void Medium::settle(State &state, Outcome outcome) {
    if (outcome == Outcome::unanswered)
        state.window = std::min(2 * state.window + 1, state.access.cw_max);
    else
        state.window = state.access.cw_min;
    draw_backoff(state);
    state.sending = false;
    state.ready_slot = 0;
    state.active = state.contender->wants_medium();
}

void Medium::end_of_data() {
    const Time data_end = queue_.now();
    const bool collided = senders_.size() > 1;
    bool answered = false;
    Time response{0}, reserved{0};
    // What the frames cause (deliveries, answers) must still find the medium busy.
    for (const Sender &sender : senders_) {
        State &state = states_[sender.state];
        const Outcome outcome = state.contender->conclude(collided);
        reserved = sender.transmission.response;
        if (outcome == Outcome::answered) {
            answered = true;
            response = sender.transmission.response;
        }
        settle(state, outcome);
    }
    on_air_ = false;
    idle_start_ = data_end;
    unsigned wait = 0; // slots that the others lose beyond their own interframe space
    if (answered) {
        idle_start_ += timing_.sifs + response;
    } else if (collided) {
        wait = slots_until(eifs_beyond_difs_ + timing_.difs()) - 2;
    } else if (reserved > Time(0)) {
        // The frame was readable, and its Duration field reserves the medium for the response.
        wait = slots_until(timing_.sifs + reserved + timing_.difs()) - 2;
    }
    for (State &state : states_)
        state.resume_slot = state.access.ifs_slots + wait;
    if (!answered) {
        for (const Sender &sender : senders_) {
            const Transmission &sent = sender.transmission;
            State &state = states_[sender.state];
            state.resume_slot = state.access.ifs_slots;
            if (sent.response > Time(0)) {
                const Time end = access_start_ + sent.duration +
                                 timing_.ack_timeout(sent.response_modulation) - data_end;
                if (end > Time(0))
                    state.resume_slot += slots_until(timing_.sifs + end);
            }
        }
    }
    counters_.busy += idle_start_ - access_start_;
    plan();
}

} // namespace air
