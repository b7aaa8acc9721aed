#include "join.hpp"

namespace air {

namespace {

using namespace std::chrono_literals;
// The time after which a stuck authentication or association is restarted.
constexpr Time kRetry = 200ms;
// Longer than the access point repeats a message of the handshake: its end was lost.
constexpr Time kHandshakeLimit = 5s;

} // namespace

Join::Join(des::EventQueue &queue, Host &host, const std::optional<JoinSettings> &settings,
           unsigned channel, std::unique_ptr<Supplicant> supplicant)
    : queue_(queue), host_(host), settings_(settings), own_channel_(channel),
      supplicant_(std::move(supplicant)) {}

void Join::enter(Step step) {
    step_ = step;
    ++timer_;
}

void Join::after(Time wait, void (Join::*action)()) {
    const std::uint64_t timer = ++timer_;
    queue_.schedule_in(wait, [this, timer, action] {
        if (timer == timer_)
            (this->*action)();
    });
}

void Join::begin() {
    if (step_ == Step::none)
        current_ = {.began = queue_.now()};
    if (!settings_) {
        authenticate();
        return;
    }
    enter(Step::scan);
    found_ = false;
    visit(settings_->scan == JoinSettings::Scan::cached ? own_channel_ : 1);
}

// Probe requests on other channels are not on this medium.
void Join::visit(unsigned channel) {
    channel_ = channel;
    const bool passive = settings_->scan == JoinSettings::Scan::passive;
    if (!passive && tuned())
        host_.send_mac_frame(FrameKind::probe_request, false);
    after(passive ? settings_->passive_dwell : settings_->active_dwell, &Join::leave_channel);
}

// All channels are visited, also after the access point was found: the strongest one is chosen.
void Join::leave_channel() {
    if (settings_->scan != JoinSettings::Scan::cached && channel_ < settings_->channels)
        visit(channel_ + 1);
    else if (found_)
        authenticate();
    else
        begin();
}

void Join::authenticate() {
    if (step_ == Step::scan || !settings_)
        current_.scanned = queue_.now();
    enter(Step::authenticate);
    if (host_.nothing_queued())
        host_.send_mac_frame(FrameKind::authentication, false);
    after(kRetry, &Join::authenticate);
}

void Join::on_beacon() {
    found();
}

void Join::on_frame(const Frame &frame) {
    switch (frame.kind) {
    case FrameKind::probe_response:
        found();
        break;
    case FrameKind::authentication:
        if (strict() && step_ != Step::authenticate)
            break;
        current_.authenticated = queue_.now();
        step_ = Step::associate; // the timer goes on
        host_.send_mac_frame(FrameKind::association_request, false);
        break;
    case FrameKind::association_response:
        if (strict() && step_ != Step::associate)
            break;
        current_.associated = queue_.now();
        if (!supplicant_) {
            finish();
            break;
        }
        enter(Step::handshake);
        supplicant_->start();
        after(kHandshakeLimit, &Join::begin);
        break;
    case FrameKind::eapol:
        on_eapol(frame);
        break;
    default:
        break;
    }
}

void Join::on_eapol(const Frame &frame) {
    if (!supplicant_)
        return;
    // Also after the end: the access point repeats its third message if the answer was lost.
    std::vector<std::uint8_t> answer =
        supplicant_->answer(std::span(frame.bytes).subspan(kEthernetHeaderBytes));
    if (!answer.empty())
        host_.send_eapol(std::move(answer));
}

// The keys are in use as soon as the last message is on its way.
void Join::on_sent(FrameKind kind) {
    if (kind == FrameKind::eapol && step_ == Step::handshake && supplicant_->complete())
        finish();
}

void Join::finish() {
    enter(Step::none);
    current_.joined = queue_.now();
    if (settings_)
        times_.push_back(current_);
    host_.joined();
}

} // namespace air
