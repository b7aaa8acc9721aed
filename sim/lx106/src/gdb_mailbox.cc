#include "gdb_mailbox.hpp"

#include <algorithm>
#include <atomic>

namespace lx106 {

namespace {

// Used: what nothing here writes, somebody outside does.
[[gnu::used]] Mailbox box;

void rest_a_little() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

} // namespace

bool MailboxChannel::open() {
    box.self = reinterpret_cast<std::uint64_t>(&box);
    std::atomic_ref(box.magic).store(Mailbox::kMagic, std::memory_order_release);
    return true;
}

void MailboxChannel::wait(Mailbox::State state) {
    box.in_size = 0;
    used_ = 0;
    std::atomic_ref now(box.state);
    now.store(state, std::memory_order_release);
    while (now.load(std::memory_order_acquire) == state)
        rest_a_little();
    box.out_size = 0;
}

std::optional<std::uint8_t> MailboxChannel::read() {
    while (used_ == std::min<std::size_t>(box.in_size, box.in.size())) {
        if (box.state == Mailbox::kGone)
            return std::nullopt;
        wait(Mailbox::kAsks);
    }
    return box.in[used_++];
}

void MailboxChannel::write(std::string_view bytes) {
    while (!bytes.empty() && box.state != Mailbox::kGone) {
        if (box.out_size == box.out.size())
            flush();
        const std::size_t count = std::min(bytes.size(), box.out.size() - box.out_size);
        std::copy_n(bytes.begin(), count, box.out.begin() + box.out_size);
        box.out_size += static_cast<std::uint32_t>(count);
        bytes.remove_prefix(count);
    }
}

void MailboxChannel::flush() {
    if (box.out_size > 0 && box.state != Mailbox::kGone)
        wait(Mailbox::kTells);
}

bool MailboxChannel::interrupted() {
    return std::atomic_ref(box.interrupt).exchange(0, std::memory_order_acq_rel) != 0;
}

} // namespace lx106
