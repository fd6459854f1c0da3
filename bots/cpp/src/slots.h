// The slots of an attending bot.

#pragma once

#include <algorithm>
#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bridgemaster/v1/lobby_service.pb.h"

namespace bridgemaster {

// The slots of one attendance, and the offers that wait for a free slot. A slot stays in use until
// nothing computes for its match any more, which can be later than the end of the match.
class Slots {
public:
    using Clock = std::chrono::steady_clock;

    // Interval of the checks for busy slots. A slot is reported as busy only after a whole interval,
    // since a bot needs some time after every match.
    static constexpr std::chrono::milliseconds check_interval{1'000};

    explicit Slots(int total) : total_(total) {}

    // Records the server's count of matches in play and open offers, and of busy slots. None: the
    // stream is lost, and the server forgets busy slots.
    void set_used_at_server(std::optional<int> used, int reported = 0) {
        const std::lock_guard lock(mutex_);
        used_at_server_ = used;
        reported_ = reported;
    }

    // Takes a slot for an offer. If none is free, the offer waits, and take returns false.
    bool take(const v1::Offer& offer) {
        const std::lock_guard lock(mutex_);
        if (in_use_ < total_) {
            ++in_use_;
            return true;
        }
        const std::chrono::milliseconds open_for{offer.time_left_ms()};
        waiting_.emplace_back(offer, Clock::now() + std::min(open_for / 2, max_offer_wait));
        return false;
    }

    // Passes a slot on to the offer that waits longest, which is returned, or frees it.
    std::optional<v1::Offer> release() {
        const std::lock_guard lock(mutex_);
        least_busy_ = std::min(least_busy_, busy());
        if (waiting_.empty()) {
            --in_use_;
            return std::nullopt;
        }
        v1::Offer next = std::move(waiting_.front().first);
        waiting_.pop_front();
        return next;
    }

    // Forgets an offer that waits, and returns whether it waited.
    bool withdraw(const std::string& offer_id) {
        const std::lock_guard lock(mutex_);
        return std::erase_if(waiting_, [&](const auto& one) {
                   return one.first.offer_id() == offer_id;
               }) > 0;
    }

    // The number of busy slots if it must be reported, and the offers to decline.
    struct Check {
        std::optional<int> busy;
        std::vector<v1::Offer> overdue;
    };

    // Called once per interval. The number of busy slots is returned until the server's count shows
    // it, since a report can fail. The overdue offers wait until they are withdrawn.
    Check check() {
        const std::lock_guard lock(mutex_);
        Check result;
        const auto now = Clock::now();
        for (const auto& [offer, until] : waiting_) {
            if (until <= now) {
                result.overdue.push_back(offer);
            }
        }
        const int stuck = std::min(least_busy_, busy());
        least_busy_ = busy();
        if (stuck != reported_ && used_at_server_) {
            result.busy = stuck;
        }
        return result;
    }

private:
    // Maximum time that an offer waits for a free slot. Then it is declined, because the other bots
    // of the match wait, too.
    static constexpr std::chrono::milliseconds max_offer_wait{5'000};

    // Returns the number of slots in use whose matches have ended, by the server's count.
    int busy() const {
        const int waiting = static_cast<int>(waiting_.size());
        return used_at_server_ ? std::max(0, in_use_ + waiting - *used_at_server_) : 0;
    }

    std::mutex mutex_;
    int total_;
    int in_use_ = 0;
    std::optional<int> used_at_server_;
    std::deque<std::pair<v1::Offer, Clock::time_point>> waiting_;
    // The minimum number of busy slots since the last check.
    int least_busy_ = 0;
    // The server's count of busy slots.
    int reported_ = 0;
};

}  // namespace bridgemaster
