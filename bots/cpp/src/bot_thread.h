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

// Calls the methods of a bot one after the other, on a thread of their own.
class BotThread {
public:
    BotThread(Bot& bot, Events& events);
    // Gives the bot nothing more, and waits until it has stopped thinking.
    ~BotThread();
    BotThread(const BotThread&) = delete;
    BotThread& operator=(const BotThread&) = delete;

    // Lets the bot decide; Answered comes of it.
    void ask(std::shared_ptr<const Request> request);
    // Tells the bot of a MatchStarted, a DecisionRejected or a SeatStatus.
    void tell(v1::PlayResponse response);
    // Tells the result; BotDone comes after all that the bot was given.
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
