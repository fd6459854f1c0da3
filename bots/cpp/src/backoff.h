// Pauses between attempts to connect.

#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <random>

namespace bridgemaster {

// Pauses that double up to a limit, until a span of time is over.
class Backoff {
public:
    using Clock = std::chrono::steady_clock;

    // Starts a span now.
    explicit Backoff(Clock::duration span) : ends_(Clock::now() + span) {}

    // Starts another span now. The pauses begin anew only when the last stream progressed: a server
    // that welcomes a bot and drops it at once is not hammered.
    void restart(Clock::duration span, bool progressed) {
        ends_ = Clock::now() + span;
        if (progressed) {
            pause_ = first_pause;
        }
    }

    // The next pause, or none when the span is over. A pause has half to all of its length, so that
    // the bots of a lost server do not return all at once.
    std::optional<Clock::duration> next_pause() {
        const Clock::duration left = ends_ - Clock::now();
        if (left <= Clock::duration::zero()) {
            return std::nullopt;
        }
        std::uniform_int_distribution<Clock::rep> part(pause_.count() / 2, pause_.count());
        const Clock::duration pause{part(random_)};
        pause_ = std::min(2 * pause_, longest_pause);
        return std::min(pause, left);
    }

private:
    // A server that only dropped the stream is back at once.
    static constexpr Clock::duration first_pause = std::chrono::milliseconds(50);
    // What a bot loses of its clock at most when the server comes back.
    static constexpr Clock::duration longest_pause = std::chrono::seconds(2);

    Clock::time_point ends_;
    Clock::duration pause_ = first_pause;
    std::minstd_rand random_{std::random_device{}()};
};

}  // namespace bridgemaster
