// The thread of a bot.

#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "events.h"

namespace bridgemaster {

// Calls the methods of a bot in sequence, on its own thread.
class BotThread {
public:
    BotThread(Bot& bot, Events& events);
    // Skips the remaining calls, and waits for the current one.
    ~BotThread();
    BotThread(const BotThread&) = delete;
    BotThread& operator=(const BotThread&) = delete;

    // Calls decide; the answer is an Answered event.
    void decide(std::shared_ptr<const Request> request);
    // Passes a MatchStarted, a DecisionRejected or a SeatStatus to the bot.
    void notify(v1::PlayResponse response);
    // Passes the result to the bot; BotDone follows once it has finished all calls.
    void finish(v1::MatchResult result);

private:
    void add(std::function<void()> task);
    void run();

    Bot& bot_;
    Events& events_;
    std::mutex mutex_;
    std::condition_variable more_;
    std::deque<std::function<void()>> tasks_;
    bool stopped_ = false;
    std::thread thread_;
};

}  // namespace bridgemaster
