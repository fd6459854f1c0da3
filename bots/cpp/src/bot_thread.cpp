#include "bot_thread.h"

#include <utility>

namespace bridgemaster {

BotThread::BotThread(Bot& bot, Events& events)
    : bot_(bot), events_(events), thread_([this] { run(); }) {}

BotThread::~BotThread() {
    {
        const std::lock_guard lock(mutex_);
        stopped_ = true;
    }
    more_.notify_one();
    thread_.join();
}

void BotThread::decide(std::shared_ptr<const Request> request) {
    add([this, request = std::move(request)] {
        if (request->cancelled().stop_requested()) {
            return;
        }
        try {
            Choice choice = bot_.decide(*request);
            events_.put(Answered{request, std::move(choice)});
        } catch (...) {
            if (!request->cancelled().stop_requested()) {
                throw;
            }
        }
    });
}

void BotThread::notify(v1::PlayResponse response) {
    add([this, response = std::move(response)] {
        switch (response.message_case()) {
            case v1::PlayResponse::kMatchStarted:
                return bot_.match_started(response.match_started());
            case v1::PlayResponse::kDecisionRejected:
                return bot_.decision_rejected(response.decision_rejected());
            default:
                return bot_.seat_changed(response.seat_status());
        }
    });
}

void BotThread::finish(v1::MatchResult result) {
    add([this, result = std::move(result)] {
        bot_.match_ended(result);
        events_.put(BotDone{nullptr});
    });
}

void BotThread::add(std::function<void()> task) {
    {
        const std::lock_guard lock(mutex_);
        tasks_.push_back(std::move(task));
    }
    more_.notify_one();
}

void BotThread::run() {
    while (true) {
        std::function<void()> task;
        {
            std::unique_lock lock(mutex_);
            more_.wait(lock, [this] { return stopped_ || !tasks_.empty(); });
            if (stopped_) {
                return;
            }
            task = std::move(tasks_.front());
            tasks_.pop_front();
        }
        try {
            task();
        } catch (...) {
            events_.put(BotDone{std::current_exception()});
            return;
        }
    }
}

}  // namespace bridgemaster
