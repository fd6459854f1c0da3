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

// Plays a seat over as many streams as it takes: connects, converses, comes back.
class Seat : private Reactions {
public:
    Seat(Bot& bot, Seating seating);

    // Plays to the end of the match. Throws a PlayError, and what the bot throws.
    v1::MatchResult play();

private:
    using Clock = Events::Clock;
    // A message, or what the bot chose.
    using Next = std::variant<v1::PlayResponse, Answered>;

    void send(const v1::PlayRequest& message) override { stream_->send(message); }
    void ask(std::shared_ptr<const Request> request) override { bot_.ask(std::move(request)); }
    void tell(v1::PlayResponse response) override { bot_.tell(std::move(response)); }

    v1::MatchEnded play_on_one_stream();
    v1::Welcome read_welcome();
    v1::MatchEnded converse(Clock::duration silence);
    void leave();
    void pause(Clock::duration pause, const StreamLost& lost);
    void finish(v1::MatchResult result);
    std::optional<Next> next(std::optional<Clock::time_point> until);
    std::optional<Event> next_event(std::optional<Clock::time_point> until);
    ServerLostError server_lost(const std::string& server, const StreamLost& lost) const;

    Seating seating_;
    Route route_;
    Events events_;
    Conversation conversation_;
    // Answers that came while no stream was welcomed.
    std::vector<Answered> held_;
    int streams_ = 0;
    bool stream_was_welcomed_ = false;
    std::unique_ptr<Stream> stream_;
    // The last, so that it is stopped before what it uses is gone.
    BotThread bot_;
};

}  // namespace bridgemaster
