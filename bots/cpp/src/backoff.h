// Pauses between attempts to connect.

#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <random>

namespace bridgemaster {

// An exponential backoff with a total time limit.
class Backoff {
public:
    using Clock = std::chrono::steady_clock;

    // Starts the time limit now.
    explicit Backoff(Clock::duration limit) : deadline_(Clock::now() + limit) {}

    // Starts a new time limit now. The pauses start over only if the last stream progressed, so
    // that a server that accepts a bot and then drops it is not flooded.
    void restart(Clock::duration limit, bool progressed) {
        deadline_ = Clock::now() + limit;
        if (progressed) {
            pause_ = first_pause;
        }
    }

    // Returns the next pause, or none after the time limit. Pauses are randomized (50 to 100 %), so
    // that the bots of a lost server do not reconnect all at once.
    std::optional<Clock::duration> next_pause() {
        const Clock::duration left = deadline_ - Clock::now();
        if (left <= Clock::duration::zero()) {
            return std::nullopt;
        }
        std::uniform_int_distribution<Clock::rep> part(pause_.count() / 2, pause_.count());
        const Clock::duration pause{part(random_)};
        pause_ = std::min(2 * pause_, max_pause);
        return std::min(pause, left);
    }

private:
    // Short, because a server that only dropped the stream is available at once.
    static constexpr Clock::duration first_pause = std::chrono::milliseconds(50);
    // Upper limit of a pause, and of the time that a bot loses after its server has restarted.
    static constexpr Clock::duration max_pause = std::chrono::seconds(2);

    Clock::time_point deadline_;
    Clock::duration pause_ = first_pause;
    std::minstd_rand random_{std::random_device{}()};
};

}  // namespace bridgemaster
