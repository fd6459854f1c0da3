// The events of a seat. One thread handles all events; other threads only read and run the bot.

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

// The stream with this number received a message.
struct Received {
    int stream;
    v1::PlayResponse response;
};

// The stream with this number ended.
struct StreamEnded {
    int stream;
    grpc::Status status;
};

// The bot answered a request.
struct Answered {
    std::shared_ptr<const Request> request;
    Choice choice;
};

// The bot has finished all calls, or a call threw an exception.
struct BotDone {
    std::exception_ptr thrown;
};

using Event = std::variant<Received, StreamEnded, Answered, BotDone>;

// A queue of events.
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

    // Waits for the next event; returns none at `until`, if it is set.
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
