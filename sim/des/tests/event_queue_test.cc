#include "des/event_queue.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "des/random.hpp"
#include "des/virtual_driver.hpp"

namespace {

using des::EventHandle;
using des::EventQueue;
using des::Time;

TEST(EventQueue, RunsInOrderOfTime) {
    EventQueue queue;
    std::vector<int> seen;
    auto *out = &seen;
    queue.schedule(Time(30), [out] { out->push_back(3); });
    queue.schedule(Time(10), [out] { out->push_back(1); });
    queue.schedule(Time(20), [out] { out->push_back(2); });
    queue.run_until(Time(100));
    EXPECT_EQ(seen, (std::vector<int>{1, 2, 3}));
    EXPECT_EQ(queue.now(), Time(100));
}

TEST(EventQueue, EqualTimesKeepTheOrderOfScheduling) {
    EventQueue queue;
    std::vector<int> seen;
    auto *out = &seen;
    for (int i = 0; i < 1000; ++i)
        queue.schedule(Time(7), [out, i] { out->push_back(i); });
    queue.run_until(Time(7));
    ASSERT_EQ(seen.size(), 1000u);
    EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

TEST(EventQueue, AnActionMaySchedule) {
    EventQueue queue;
    int depth = 0;
    struct Chain {
        EventQueue *queue;
        int *depth;
        void operator()() const {
            if (++*depth < 50)
                queue->schedule_in(Time(1), *this);
        }
    };
    queue.schedule(Time(0), Chain{&queue, &depth});
    EXPECT_EQ(des::run_virtual(queue, des::kNever - Time(1)), 50u);
    EXPECT_EQ(depth, 50);
}

TEST(EventQueue, ACancelledEventDoesNotRun) {
    EventQueue queue;
    int runs = 0;
    auto *count = &runs;
    const EventHandle handle = queue.schedule(Time(5), [count] { ++*count; });
    EXPECT_TRUE(queue.pending(handle));
    EXPECT_TRUE(queue.cancel(handle));
    EXPECT_FALSE(queue.cancel(handle));
    EXPECT_TRUE(queue.empty());
    queue.run_until(Time(10));
    EXPECT_EQ(runs, 0);
}

TEST(EventQueue, AStaleHandleDoesNotCancelTheSlotsNextUser) {
    EventQueue queue;
    int runs = 0;
    auto *count = &runs;
    const EventHandle old = queue.schedule(Time(1), [count] { ++*count; });
    queue.run_until(Time(1));
    queue.schedule(Time(2), [count] { ++*count; });
    EXPECT_FALSE(queue.cancel(old));
    EXPECT_FALSE(queue.cancel(EventHandle{}));
    queue.run_until(Time(2));
    EXPECT_EQ(runs, 2);
}

TEST(EventQueue, ThePastIsAnError) {
    EventQueue queue;
    queue.run_until(Time(10));
    EXPECT_THROW(queue.schedule(Time(9), [] {}), std::logic_error);
    EXPECT_TRUE(queue.empty());
}

// Near and far events, from nanoseconds to months ahead, some cancelled, while the queue runs.
TEST(EventQueue, AgreesWithASortedListWhileItRuns) {
    des::RandomStream random(2, "event-queue-test");
    EventQueue queue;
    std::map<std::pair<Time, int>, EventHandle> expected; // equal times keep the order of ids
    int id = 0, ran = -1;
    int *out = &ran;
    std::size_t largest = 0;
    const auto distance = [&random] {
        return Time(random.integer(0, std::int64_t{1} << random.integer(0, 53)));
    };
    for (int round = 0; round < 60000; ++round) {
        if (random.chance(round < 30000 ? 0.6 : 0.4)) {
            const Time at = queue.now() + distance();
            expected[{at, id}] = queue.schedule(at, [out, id] { *out = id; });
            ++id;
        } else if (random.chance(0.2) && !expected.empty()) {
            auto victim = expected.lower_bound({queue.now() + distance(), 0});
            if (victim == expected.end())
                victim = expected.begin();
            ASSERT_TRUE(queue.cancel(victim->second));
            expected.erase(victim);
        } else if (random.chance(0.2) && queue.next_time() > queue.now() && !queue.empty()) {
            queue.run_until(queue.now() + (queue.next_time() - queue.now()) / 2); // none is due
        } else if (queue.step()) {
            ASSERT_EQ(ran, expected.begin()->first.second);
            ASSERT_EQ(queue.now(), expected.begin()->first.first);
            expected.erase(expected.begin());
        }
        ASSERT_EQ(queue.size(), expected.size());
        ASSERT_EQ(queue.next_time(),
                  expected.empty() ? des::kNever : expected.begin()->first.first);
        largest = std::max(largest, expected.size());
    }
    EXPECT_GT(largest, 1000u);
}

// Does a random mix of scheduling and cancelling leave exactly the events that a sorted list
// predicts?
TEST(EventQueue, AgreesWithASortedListUnderRandomUse) {
    des::RandomStream random(1, "event-queue-test");
    EventQueue queue;
    struct Expected {
        Time time;
        int id;
    };
    std::vector<Expected> expected;
    std::vector<std::pair<EventHandle, int>> handles;
    std::vector<int> seen;
    auto *out = &seen;
    for (int id = 0; id < 5000; ++id) {
        const Time at(random.integer(0, 500));
        handles.emplace_back(queue.schedule(at, [out, id] { out->push_back(id); }), id);
        expected.push_back({at, id});
        if (random.chance(0.4)) {
            const auto victim =
                handles[static_cast<std::size_t>(random.integer(0, std::ssize(handles) - 1))];
            const bool present = std::erase_if(expected, [&](const Expected &e) {
                                     return e.id == victim.second;
                                 }) > 0;
            EXPECT_EQ(queue.cancel(victim.first), present);
        }
    }
    std::stable_sort(expected.begin(), expected.end(),
                     [](const Expected &a, const Expected &b) { return a.time < b.time; });
    queue.run_until(Time(1000));
    std::vector<int> ids;
    for (const Expected &e : expected)
        ids.push_back(e.id);
    EXPECT_EQ(seen, ids);
}

} // namespace
