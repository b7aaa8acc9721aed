#include "gdb_stub.hpp"

#include <csignal>

namespace lx106 {

GdbStub::GdbStub(std::unique_ptr<GdbChannel> channel, Time first) : channel_(std::move(channel)) {
    time = first;
}

GdbStub::~GdbStub() {
    if (state_ != State::there)
        return;
    send("W00");
    channel_->flush();
}

void GdbStub::attach(Board &board) {
    session_.emplace(board, *this);
    board.core().use(this);
}

void GdbStub::send(std::string_view contents) {
    channel_->write(gdb_packet(contents));
}

bool GdbStub::requested() {
    return state_ == State::there && channel_->interrupted();
}

void GdbStub::halted(const Halt &why) {
    if (state_ == State::gone)
        return;
    const std::string reply = session_->stopped(why);
    if (state_ == State::there)
        send(reply);
    else if (channel_->open())
        state_ = State::there;
    else
        return leave();
    speak();
    channel_->flush();
}

void GdbStub::leave() {
    session_->forget();
    state_ = State::gone;
}

// Answers packets until one lets the board go on.
void GdbStub::speak() {
    for (;;) {
        const auto byte = channel_->read();
        if (!byte)
            return leave();
        const GdbReader::Found found = reader_.take(*byte);
        if (found == GdbReader::Found::broken && !session_->silent())
            channel_->write("-");
        if (found != GdbReader::Found::packet)
            continue;
        if (!session_->silent())
            channel_->write("+");
        const GdbSession::Answer answer = session_->answer(reader_.packet());
        if (answer.then == GdbSession::Then::go_on)
            return;
        if (answer.then != GdbSession::Then::kill || !answer.contents.empty())
            send(answer.contents);
        if (answer.then == GdbSession::Then::stay)
            continue;
        leave();
        if (answer.then == GdbSession::Then::kill)
            std::raise(SIGTERM);
        return;
    }
}

} // namespace lx106
