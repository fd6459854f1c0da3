// The conversation of one seat with the server, across all of its streams.

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "resolved_options.h"
#include "text.h"

namespace bridgemaster {

// The number of refused answers to one request after which the match is abandoned: the bot does not
// find a legal decision, and further attempts would only flood the server.
inline constexpr int max_refused_answers = 3;

// Carries out the reactions to messages and answers.
class Reactions {
public:
    virtual ~Reactions() = default;
    virtual void send(const v1::PlayRequest& message) = 0;
    virtual void decide(std::shared_ptr<const Request> request) = 0;
    // Passes a MatchStarted, a DecisionRejected or a SeatStatus to the bot.
    virtual void notify(v1::PlayResponse response) = 0;
};

// Decides how to react to a received message. Does no I/O.
class Conversation {
public:
    Conversation(const ResolvedOptions& options, Reactions& reactions)
        : options_(options), reactions_(reactions) {}

    // Returns whether any stream has received a Welcome.
    bool was_welcomed() const { return seat_.has_value(); }
    // Returns whether the current stream has received a numbered message.
    bool progressed() const { return progressed_; }

    // Starts a new stream and returns its Hello.
    v1::PlayRequest hello();
    // Processes the Welcome of a stream. Sends again the answer that the previous stream may have
    // lost; the server ignores a duplicate. If the server does not resume, it has lost the last
    // part of the match, and the state of the match is reset.
    void welcome(const v1::Welcome& welcome);
    // Processes a message after the Welcome; returns the end of the match if the message is
    // MatchEnded.
    std::optional<v1::MatchEnded> receive(v1::PlayResponse response);
    // Cancels the open request, if any: its answer is no longer needed.
    void cancel();
    // Records an answer of the bot, and sends it if its request is still open.
    void answer(const std::shared_ptr<const Request>& request, const Choice& choice);

private:
    // The newest request, until the next one replaces it.
    struct OpenRequest {
        // Cancels the request.
        std::stop_source cancelling;
        std::shared_ptr<const Request> request;
        std::optional<v1::PlayRequest> answer{};
        // Set once the answer is sent on the current stream. An answer sent on a lost stream may be
        // lost.
        bool sent_on_current_stream = false;
        int refused_answers = 0;
    };

    struct Seat {
        std::string match_id;
        std::uint32_t number;
    };

    void requested(v1::DecisionRequest message);
    void request_repeated(std::uint32_t request_id);
    void send_unsent_answer();
    void rejected(const v1::DecisionRejected& rejected);
    void started(const v1::MatchStarted& started);
    void check_seed(const v1::MatchEnded& ended) const;
    bool is_open(std::uint32_t request_id) const;

    const ResolvedOptions& options_;
    Reactions& reactions_;
    // With the number of a stream, lets the server ignore a Hello that arrives late.
    const std::string client_instance_id_ = random_id();
    // The number of the last stream.
    std::uint32_t stream_number_ = 0;
    std::uint32_t last_sequence_ = 0;
    // Empty before the first Welcome.
    std::optional<Seat> seat_;
    std::string history_id_;
    // The commitment to the seed; empty before MatchStarted, or if the server makes none.
    std::string seed_commitment_;
    // The seed is revealed with the match group, which can end later than the match.
    bool seed_revealed_with_group_ = false;
    std::optional<OpenRequest> open_;
    bool progressed_ = false;
};

}  // namespace bridgemaster
