#include "medium.hpp"

#include <algorithm>

namespace air {

namespace {
constexpr std::int64_t kNoSlot = INT64_MAX;
constexpr std::int64_t kNotPlanned = -1;
constexpr Time kShortestPreamble = std::chrono::microseconds(20); // OFDM, 17.3.3
} // namespace

Medium::Medium(des::EventQueue &queue, std::uint64_t seed)
    : queue_(queue), random_(seed, "backoff"), views_(1), sendings_(1) {}

void Medium::add(Contender &contender, const Access &access, int owner, Group group) {
    contender.index_ = states_.size();
    State state;
    state.contender = &contender;
    state.owner = owner;
    state.group = group;
    state.access = access;
    state.window = access.cw_min;
    state.resume_slot = access.ifs_slots;
    states_.push_back(state);
    views_.resize(std::max(views_.size(), group + 1));
    sendings_.resize(views_.size());
}

void Medium::set_access(Contender &contender, const Access &access) {
    State &state = states_[contender.index_];
    state.access = access;
    state.window = access.cw_min;
}

bool Medium::hears(Group listener, Group sender) {
    return listener == sender || listener == kHeardByAll || sender == kHeardByAll;
}

bool Medium::idle(const View &view) const {
    return view.on_air == 0 && queue_.now() >= view.idle_start;
}

Time Medium::slot_time(const View &view, std::int64_t slot) const {
    return view.idle_start + timing_.sifs + slot * timing_.slot;
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
    const View &view = views_[state.group];
    if (!idle(view)) {
        if (state.backoff == 0 && !state.sending)
            draw_backoff(state);
    } else {
        const Time since = queue_.now() - view.idle_start - timing_.sifs;
        if (since > Time(0))
            state.ready_slot = (since + timing_.slot - Time(1)) / timing_.slot;
    }
    if (view.on_air == 0)
        plan_at(state.group, state.slot());
}

void Medium::withdraw(Contender &contender) {
    State &state = states_[contender.index_];
    state.active = false;
    views_[state.group].plan_is_stale = true;
}

void Medium::plan_at(Group group, std::int64_t slot) {
    View &view = views_[group];
    if (view.planned_slot != kNotPlanned) {
        if (view.planned_slot <= slot)
            return;
        queue_.cancel(view.planned);
    }
    view.planned_slot = slot;
    view.planned_time = std::max(slot_time(view, slot), queue_.now());
    view.planned = queue_.schedule(view.planned_time, [this] { access(); });
}

std::int64_t Medium::earliest_slot(Group group) const {
    std::int64_t best = kNoSlot;
    for (const State &state : states_)
        if (state.active && state.group == group)
            best = std::min(best, state.slot());
    return best;
}

void Medium::plan(Group group) {
    const std::int64_t best = earliest_slot(group);
    if (best != kNoSlot)
        plan_at(group, best);
}

Time Medium::earliest_end() const {
    Time end = outside_end();
    for (const Sending &sending : sendings_)
        if (sending.on_air)
            end = std::min(end, sending.end + kShortestPreamble);
    for (const View &view : views_)
        if (view.planned_slot != kNotPlanned)
            end = std::min(end, view.planned_time + kShortestPreamble);
    return end;
}

Time Medium::outside_end() const {
    Time end = des::kNever;
    for (const Sending &sending : sendings_)
        if (sending.on_air && sending.outside)
            end = std::min(end, sending.end);
    return end;
}

// Consumes a group's plan for this moment. Returns its slot; kNotPlanned if there is none, or if
// its contender has withdrawn (then there is a new plan).
std::int64_t Medium::take_plan(Group group) {
    View &view = views_[group];
    const std::int64_t slot = view.planned_slot;
    if (slot == kNotPlanned || view.planned_time != queue_.now())
        return kNotPlanned;
    queue_.cancel(view.planned);
    view.planned_slot = kNotPlanned;
    if (view.plan_is_stale) {
        view.plan_is_stale = false;
        if (earliest_slot(group) > slot) {
            plan(group);
            return kNotPlanned;
        }
    }
    return slot;
}

// The medium becomes busy at this slot for a contender that does not send.
inline void Medium::freeze(State &state, std::int64_t slot) {
    const std::int64_t passed = slot - state.resume_slot;
    if (passed > 0)
        state.backoff -= static_cast<unsigned>(std::min<std::int64_t>(passed, state.backoff));
    state.ready_slot = 0; // it was one of the slots that have passed
    // A frame that arrived while the medium was idle finds it busy before its slot.
    if (state.active && state.backoff == 0)
        draw_backoff(state);
}

// Contenders whose slot has come send; the others of these groups freeze their backoff.
void Medium::choose_senders(const Slots &slots) {
    for (std::size_t i = 0; i < states_.size(); ++i) {
        State &state = states_[i];
        const std::int64_t slot = slots[state.group];
        if (slot == kNotPlanned)
            continue;
        if (!state.active || state.slot() > slot) {
            freeze(state, slot);
            continue;
        }
        std::vector<Sender> &senders = sendings_[state.group].senders;
        const bool sibling_sends =
            std::any_of(senders.begin(), senders.end(),
                        [&](const Sender &s) { return states_[s.state].owner == state.owner; });
        if (sibling_sends) {
            state.window = std::min(2 * state.window + 1, state.access.cw_max);
            draw_backoff(state);
        } else {
            state.sending = true;
            senders.push_back({i, {}});
        }
    }
}

// All groups whose slot begins at this moment act together.
void Medium::access() {
    Slots slots;
    for (Group group = 0; group < views_.size(); ++group)
        slots[group] = take_plan(group);
    choose_senders(slots);
    // Contenders that all groups hear, and those that begin with them, form one collision for all
    // groups.
    std::vector<Sender> &heard = sendings_[kHeardByAll].senders;
    for (Group group = 1; group < views_.size() && !heard.empty(); ++group) {
        std::vector<Sender> &senders = sendings_[group].senders;
        heard.insert(heard.end(), senders.begin(), senders.end());
        senders.clear();
    }
    for (Group group = 0; group < views_.size(); ++group)
        if (!sendings_[group].on_air && !sendings_[group].senders.empty())
            begin(group, slots);
}

void Medium::collide(Sending &sending) {
    counters_.collisions += sending.collided ? 0 : 1;
    sending.collided = true;
}

void Medium::begin(Group group, const Slots &slots) {
    Sending &sending = sendings_[group];
    const Time now = queue_.now();
    sending.on_air = true;
    sending.collided = sending.outside = false;
    sending.start = sending.end = now;
    ++counters_.accesses;
    if (sending.senders.size() > 1 || now < response_end_)
        collide(sending);
    for (Sending &other : sendings_)
        if (other.on_air && &other != &sending) {
            collide(other);
            collide(sending);
        }
    for (Group listener = 0; listener < views_.size(); ++listener) {
        View &view = views_[listener];
        if (!hears(listener, group))
            continue;
        if (view.on_air == 0) {
            view.busy_start = std::max(now, view.idle_start);
            view.garbled = now < response_end_;
            if (slots[listener] == kNotPlanned)
                interrupt(listener);
        }
        ++view.on_air;
        view.garbled = view.garbled || view.on_air > 1 || sending.senders.size() > 1;
    }
    for (Sender &sender : sending.senders) {
        sender.transmission = states_[sender.state].contender->compose();
        sending.end = std::max(sending.end, now + sender.transmission.duration);
        sending.outside = sending.outside || sender.transmission.outside;
    }
    queue_.schedule(sending.end, [this, group] { end_of_data(group); });
}

// A group that waited for its slot hears that the medium has become busy.
void Medium::interrupt(Group group) {
    View &view = views_[group];
    if (view.planned_slot != kNotPlanned)
        queue_.cancel(view.planned);
    view.planned_slot = kNotPlanned;
    const std::int64_t slot = (queue_.now() - view.idle_start - timing_.sifs) / timing_.slot;
    for (State &state : states_)
        if (state.group == group)
            freeze(state, slot);
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

void Medium::end_of_data(Group group) {
    Sending &sending = sendings_[group];
    access_start_ = sending.start;
    bool answered = false;
    Time response{0};
    // The consequences of the frames (deliveries, answers) must still find the medium busy.
    for (const Sender &sender : sending.senders) {
        State &state = states_[sender.state];
        const Outcome outcome = state.contender->conclude(sending.collided);
        response = sender.transmission.response;
        answered = answered || outcome == Outcome::answered;
        settle(state, outcome);
    }
    sending.on_air = false;
    if (answered)
        response_end_ = sending.end + timing_.sifs + response;
    bool all_heard = true;
    for (Group listener = 0; listener < views_.size(); ++listener) {
        if (!hears(listener, group))
            all_heard = false;
        else if (--views_[listener].on_air == 0)
            become_idle(listener, sending, answered);
    }
    sending.senders.clear();
    if (answered && !all_heard)
        queue_.schedule(sending.end + timing_.sifs, [this, group] { begin_response(group); });
}

// From now on a group counts slots again, after its interframe space and this number of further
// slots.
void Medium::resume(Group group, unsigned wait) {
    for (State &state : states_)
        if (state.group == group)
            state.resume_slot = state.access.ifs_slots + wait;
}

// The last frame that a group hears has ended; a response may be due.
void Medium::become_idle(Group group, const Sending &ended, bool answered) {
    View &view = views_[group];
    view.idle_start = std::max(ended.end, response_end_);
    const Time reserved = ended.senders.back().transmission.response;
    unsigned wait = 0; // slots that the others lose beyond their own interframe space
    if (!answered && view.garbled)
        wait = slots_until(eifs_beyond_difs_ + timing_.difs()) - 2;
    else if (!answered && reserved > Time(0)) {
        // The frame was received, and its Duration field reserves the medium for the response.
        wait = slots_until(timing_.sifs + reserved + timing_.difs()) - 2;
    }
    resume(group, wait);
    for (const Sender &sender : ended.senders) {
        const Transmission &sent = sender.transmission;
        State &state = states_[sender.state];
        if (answered || state.group != group)
            continue;
        state.resume_slot = state.access.ifs_slots;
        const Time timeout =
            ended.start + sent.duration + timing_.ack_timeout(sent.response_modulation) - ended.end;
        if (sent.response > Time(0) && timeout > Time(0))
            state.resume_slot += slots_until(timing_.sifs + timeout);
    }
    if (group == kHeardByAll)
        counters_.busy += view.idle_start - view.busy_start;
    plan(group);
}

// The access point answers a group: the others hear the answer, although they did not hear the
// frame it answers.
void Medium::begin_response(Group answered) {
    for (Group listener = 0; listener < views_.size(); ++listener) {
        View &view = views_[listener];
        if (hears(listener, answered) || view.on_air > 0)
            continue;
        interrupt(listener);
        view.idle_start = response_end_;
        resume(listener, 0);
        plan(listener);
    }
}

} // namespace air
