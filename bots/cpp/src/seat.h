// One seat of one match.

#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "bot_thread.h"
#include "conversation.h"
#include "events.h"
#include "refusals.h"
#include "route.h"
#include "stream.h"

namespace bridgemaster {

// Plays a seat across all of its streams: connects, exchanges messages, and resumes.
class Seat : private Reactions {
public:
    Seat(Bot& bot, ResolvedOptions options);
    // Cancels the open request, and waits until the current call of the bot has returned.
    ~Seat() override { conversation_.cancel(); }
    Seat(const Seat&) = delete;
    Seat& operator=(const Seat&) = delete;

    // Plays to the end of the match. Throws a PlayError; exceptions of the bot propagate.
    v1::MatchResult play();

private:
    using Clock = Events::Clock;
    // A message, or the bot's choice.
    using Next = std::variant<v1::PlayResponse, Answered>;

    void send(const v1::PlayRequest& message) override { stream_->send(message); }
    void decide(std::shared_ptr<const Request> request) override {
        bot_.decide(std::move(request));
    }
    void notify(v1::PlayResponse response) override { bot_.notify(std::move(response)); }

    v1::MatchEnded play_on_one_stream();
    v1::Welcome read_welcome();
    v1::MatchEnded exchange(Clock::duration silence);
    void leave();
    void pause(Clock::duration pause, const StreamLost& lost);
    void finish(v1::MatchResult result);
    std::optional<Next> next(std::optional<Clock::time_point> until);
    std::optional<Event> next_event(std::optional<Clock::time_point> until);
    ServerLostError server_lost(const std::string& address, const StreamLost& lost) const;

    ResolvedOptions options_;
    Route route_;
    Events events_;
    Conversation conversation_;
    // Answers given while no stream was ready to send them.
    std::vector<Answered> deferred_;
    int streams_ = 0;
    bool stream_was_welcomed_ = false;
    std::unique_ptr<Stream> stream_;
    // The last member, so that it is stopped before the members that it uses are destroyed.
    BotThread bot_;
};

}  // namespace bridgemaster
