// What a bot author writes.

#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <variant>

#include "bridgemaster/v1/game.pb.h"
#include "bridgemaster/v1/match.pb.h"
#include "bridgemaster/v1/play.pb.h"

namespace bridgemaster {

// A decision that the bot is asked for. It is complete: no earlier request is needed to answer it
// well.
class Request {
public:
    using Clock = std::chrono::steady_clock;

    Request(v1::DecisionRequest message, std::uint32_t seat, Clock::time_point received)
        : message_(std::move(message)), seat_(seat), received_(received) {}

    // The message as it came.
    const v1::DecisionRequest& message() const { return message_; }
    // What is asked, in the entry of its game, such as game().alhambra(): observation, legal
    // decisions and events.
    const v1::GameRequest& game() const { return message_.game(); }
    // Length of the list of legal decisions, at least 1: any index below it can be answered.
    std::uint32_t legal_count() const { return message_.legal_count(); }
    // The seat that is asked, from 0.
    std::uint32_t seat() const { return seat_; }
    // Time since the request came.
    std::chrono::milliseconds used() const;
    // Time left for this decision, now; 0 when it is late. Time on the network is not counted: the
    // server credits the measured round trip, up to a limit in the rules of the match.
    std::chrono::milliseconds decision_left() const;
    // Time left in the bank, now; 0 when it is empty.
    std::chrono::milliseconds bank_left() const;

private:
    v1::DecisionRequest message_;
    std::uint32_t seat_;
    Clock::time_point received_;
};

// The answer to a request.
class Choice {
public:
    // Chooses by the position in the list of legal decisions, from 0.
    static Choice index(std::uint32_t index);
    // Chooses a decision in full: a Decision of a game, or a GameDecision. Throws
    // std::invalid_argument for a message that is no decision.
    static Choice full(const google::protobuf::Message& decision);
    // Gives the match up: the seat forfeits and takes the last place.
    static Choice resign();

    // The same with what the bot thinks of the position, for people who read the replay: at most
    // 1 KiB, which no rule and no other bot reads. A note that the server does not keep is dropped.
    Choice with_note(std::string note) &&;

    // What to send.
    v1::PlayRequest message(std::uint32_t request_id) const;

private:
    struct Resign {};
    using Kind = std::variant<std::uint32_t, v1::GameDecision, Resign>;

    explicit Choice(Kind kind) : kind_(std::move(kind)) {}

    Kind kind_;
    std::string note_;
};

// Decides for one seat of one match. Its methods are called one after the other on a thread of the
// bot's own. A bot may think there as long as its clock allows; Pings are answered meanwhile.
class Bot {
public:
    virtual ~Bot() = default;

    // Answers a request. The clock of the seat runs until the answer is at the server. When the
    // answer is refused and the request still open, decision_rejected is called, and then this with
    // the same request.
    virtual Choice decide(const Request& request) = 0;

    // Learns what stays the same during the match, before the first request. Called again when the
    // server has lost the end of what was played: forget all requests before. What is asked next is
    // complete, as ever.
    virtual void match_started(const v1::MatchStarted&) {}
    // Learns why a decision was refused.
    virtual void decision_rejected(const v1::DecisionRejected&) {}
    // Learns that a seat's bot, perhaps this one, is gone, back, has a strike or forfeited.
    virtual void seat_changed(const v1::SeatStatus&) {}
    // Learns the result. Not called if the server is lost before.
    virtual void match_ended(const v1::MatchResult&) {}
};

}  // namespace bridgemaster
