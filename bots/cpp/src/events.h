// Everything that happens to a seat, so that one thread does all but reading and thinking.

#pragma once

#include <grpcpp/support/status.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <variant>

#include "bridgemaster/bot.h"

namespace bridgemaster {

// A message came on the stream of this number.
struct Received {
    int stream;
    v1::PlayResponse response;
};

// The stream of this number is over.
struct StreamEnded {
    int stream;
    grpc::Status status;
};

// The bot has chosen.
struct Answered {
    std::shared_ptr<const Request> request;
    Choice choice;
};

// The bot has done all that it was given, or has thrown.
struct BotDone {
    std::exception_ptr thrown;
};

using Event = std::variant<Received, StreamEnded, Answered, BotDone>;

// Hands events over, one after the other.
class Events {
public:
    using Clock = std::chrono::steady_clock;

    void put(Event event) {
        {
            const std::lock_guard lock(mutex_);
            events_.push_back(std::move(event));
        }
        more_.notify_one();
    }

    // Waits for the next event; gives none when the moment has come, if there is one.
    std::optional<Event> next(std::optional<Clock::time_point> until) {
        std::unique_lock lock(mutex_);
        const auto is_some = [this] { return !events_.empty(); };
        if (!until) {
            more_.wait(lock, is_some);
        } else if (!more_.wait_until(lock, *until, is_some)) {
            return std::nullopt;
        }
        Event event = std::move(events_.front());
        events_.pop_front();
        return event;
    }

private:
    std::mutex mutex_;
    std::condition_variable more_;
    std::deque<Event> events_;
};

}  // namespace bridgemaster
