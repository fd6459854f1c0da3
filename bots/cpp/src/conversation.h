// What is known of a match, over all streams of its seat.

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "seating.h"

namespace bridgemaster {

// Refused answers to one request after which the bot is given up: it finds no legal one, and going
// on would end as a flood.
inline constexpr int max_refused_answers = 3;

// Does what a message calls for.
class Reactions {
public:
    virtual ~Reactions() = default;
    virtual void send(const v1::PlayRequest& message) = 0;
    virtual void ask(std::shared_ptr<const Request> request) = 0;
    // Tells the bot of a MatchStarted, a DecisionRejected or a SeatStatus.
    virtual void tell(v1::PlayResponse response) = 0;
};

// Knows no network.
class Conversation {
public:
    Conversation(const Seating& seating, Reactions& reactions)
        : seating_(seating), reactions_(reactions) {}

    // Whether a server ever welcomed this bot.
    bool was_welcomed() const { return seat_.has_value(); }
    // Whether the stream in use has brought a message that counts.
    bool progressed() const { return progressed_; }

    // Begins a stream; gives the Hello that it starts with.
    v1::PlayRequest hello();
    // Takes the Welcome of a stream. The answer that the stream before may have lost is sent again:
    // the server ignores it if it had arrived. A server that does not go on where the bot left off
    // has lost the end of what was played, and with it goes all that is known of the course of the
    // match.
    void welcome(const v1::Welcome& welcome);
    // Takes a message that came after the Welcome; gives the end of the match when that is it.
    std::optional<v1::MatchEnded> receive(v1::PlayResponse response);
    // Takes what the bot chose, and sends it if it is still wanted.
    void answer(const std::shared_ptr<const Request>& request, const Choice& choice);

private:
    // The newest request, until another replaces it.
    struct Open {
        std::shared_ptr<const Request> request;
        std::optional<v1::PlayRequest> answer{};
        // A lost stream may have swallowed what was sent on it.
        bool sent_on_this_stream = false;
        int refused_answers = 0;
    };

    struct Seat {
        std::string match_id;
        std::uint32_t number;
    };

    void asked(v1::DecisionRequest message);
    void asked_again(std::uint32_t request_id);
    void send_answer();
    void rejected(const v1::DecisionRejected& rejected);
    void keep_commitment(const v1::MatchStarted& started);
    void check_seed(const v1::MatchEnded& ended) const;
    bool is_open(std::uint32_t request_id) const;

    const Seating& seating_;
    Reactions& reactions_;
    std::uint32_t last_sequence_ = 0;
    // From the first Welcome on.
    std::optional<Seat> seat_;
    std::string history_id_;
    // Empty until the start, and with a server that commits to nothing.
    std::string seed_commitment_;
    // Until the group of the match is over.
    bool seed_stays_secret_ = false;
    std::optional<Open> open_;
    bool progressed_ = false;
};

}  // namespace bridgemaster
