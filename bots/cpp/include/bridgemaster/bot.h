// The interface that a bot author implements.

#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <variant>

#include "bridgemaster/v1/game.pb.h"
#include "bridgemaster/v1/match.pb.h"
#include "bridgemaster/v1/play.pb.h"

namespace bridgemaster {

// A decision request. Every request is complete: a bot needs no earlier request to answer it.
class Request {
public:
    using Clock = std::chrono::steady_clock;

    Request(v1::DecisionRequest message, std::uint32_t seat, Clock::time_point received,
            std::stop_token cancelled = {})
        : message_(std::move(message)),
          seat_(seat),
          received_(received),
          cancelled_(std::move(cancelled)) {}

    // Returns the message as received.
    const v1::DecisionRequest& message() const { return message_; }
    // Returns the contents, in the field of the game, such as game().alhambra(): observation, legal
    // decisions and events.
    const v1::GameRequest& game() const { return message_.game(); }
    // Returns the number of legal decisions, at least 1; every index below it is valid.
    std::uint32_t legal_count() const { return message_.legal_count(); }
    // Returns the seat that decides, from 0.
    std::uint32_t seat() const { return seat_; }
    // Returns a token that is stopped once the answer is no longer needed: the match has ended, or
    // the server has replaced the request. A long computation should then return any choice, or
    // throw an exception; either is ignored.
    const std::stop_token& cancelled() const { return cancelled_; }
    // Returns the time since the request was received.
    std::chrono::milliseconds used() const;
    // Returns the time left for this decision; 0 after the deadline. The time excludes network time
    // in both directions: the server credits the measured round trip, up to a limit in the rules of
    // the match.
    std::chrono::milliseconds decision_left() const;
    // Returns the time left in the bank; 0 if it is empty.
    std::chrono::milliseconds bank_left() const;

private:
    v1::DecisionRequest message_;
    std::uint32_t seat_;
    Clock::time_point received_;
    std::stop_token cancelled_;
};

// The answer to a request.
class Choice {
public:
    // Chooses by an index into the legal decisions, from 0.
    static Choice index(std::uint32_t index);
    // Chooses a complete decision: a Decision of a game, or a GameDecision. Throws
    // std::invalid_argument for a message that is not a decision.
    static Choice decision(const google::protobuf::Message& decision);
    // Resigns the match: the seat forfeits and takes the last place.
    static Choice resign();

    // Returns this choice with the bot's comment on the position, for people who read the replay:
    // at most 1 KiB. The note has no effect on the game, and other bots do not see it. A note that
    // the server does not accept is dropped.
    Choice with_note(std::string note) &&;

    // Returns the message that carries the choice.
    v1::PlayRequest message(std::uint32_t request_id) const;

private:
    struct Resign {};
    using Kind = std::variant<std::uint32_t, v1::GameDecision, Resign>;

    explicit Choice(Kind kind) : kind_(std::move(kind)) {}

    Kind kind_;
    std::string note_;
};

// Decides for one seat of one match. The methods are called in sequence on a thread dedicated to
// the bot, so a bot can compute for as long as its clock allows. Pings are answered in the
// meantime.
class Bot {
public:
    virtual ~Bot() = default;

    // Answers a request. The clock of the seat runs until the answer reaches the server. decide is
    // called again with the same request after decision_rejected, as long as the request is still
    // open. A long computation should end early once request.cancelled() is stopped: until decide has
    // returned, the bot cannot play in this slot again.
    virtual Choice decide(const Request& request) = 0;

    // Called when the match starts, before the first request. Called again if the server has lost
    // the last part of the match: discard everything derived from earlier requests. The next
    // request is complete, as every request is.
    virtual void match_started(const v1::MatchStarted&) {}
    // Called when a decision of this bot was refused.
    virtual void decision_rejected(const v1::DecisionRejected&) {}
    // Called when any seat disconnects, reconnects, forfeits or gets a strike.
    virtual void seat_changed(const v1::SeatStatus&) {}
    // Called when the match has ended. Not called if the server is lost before then.
    virtual void match_ended(const v1::MatchResult&) {}
};

}  // namespace bridgemaster
