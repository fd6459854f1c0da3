#include "conversation.h"

#include <openssl/sha.h>

#include <array>
#include <charconv>
#include <utility>

#include "refusals.h"

namespace bridgemaster {

v1::PlayRequest Conversation::hello() {
    progressed_ = false;
    if (open_) {
        open_->sent_on_current_stream = false;
    }
    v1::PlayRequest request;
    v1::Hello& hello = *request.mutable_hello();
    hello.set_protocol_revision(protocol_revision);
    hello.set_bot_name(options_.options.name);
    hello.set_bot_version(options_.options.version);
    hello.set_client_instance_id(client_instance_id_);
    hello.set_stream_number(++stream_number_);
    for (const auto& game : options_.options.games) {
        hello.add_games(game);
    }
    if (last_sequence_ > 0) {
        hello.set_last_sequence(last_sequence_);
        hello.set_history_id(history_id_);
    }
    return request;
}

void Conversation::welcome(const v1::Welcome& welcome) {
    if (seat_ && (seat_->match_id != welcome.match_id() || seat_->number != welcome.seat())) {
        throw ProtocolError("the ticket now belongs to a different seat");
    }
    seat_ = Seat{welcome.match_id(), welcome.seat()};
    history_id_ = welcome.history_id();
    if (!welcome.resumed()) {
        if (last_sequence_ > 0) {
            options_.log("the server lost the last part of the match; starting over");
        }
        last_sequence_ = 0;
        cancel();
    }
    send_unsent_answer();
}

std::optional<v1::MatchEnded> Conversation::receive(v1::PlayResponse response) {
    switch (response.message_case()) {
        case v1::PlayResponse::kPing: {
            v1::PlayRequest pong;
            pong.mutable_pong()->set_nonce(response.ping().nonce());
            reactions_.send(pong);
            return std::nullopt;
        }
        case v1::PlayResponse::kDraining:
            return std::nullopt;
        case v1::PlayResponse::kWelcome:
            throw ProtocolError("the server broke the protocol: a second Welcome on one stream");
        default:
            break;
    }
    if (response.sequence() <= last_sequence_) {
        // The message is repeated after a lost stream, or not numbered. Only an open request is
        // handled again.
        if (response.has_decision_request()) {
            request_repeated(response.decision_request().request_id());
        }
        return std::nullopt;
    }
    last_sequence_ = response.sequence();
    progressed_ = true;
    switch (response.message_case()) {
        case v1::PlayResponse::kMatchStarted:
            started(response.match_started());
            reactions_.notify(std::move(response));
            break;
        case v1::PlayResponse::kDecisionRequest:
            requested(std::move(*response.mutable_decision_request()));
            break;
        case v1::PlayResponse::kDecisionRejected: {
            const v1::DecisionRejected refusal = response.decision_rejected();
            reactions_.notify(std::move(response));
            rejected(refusal);
            break;
        }
        case v1::PlayResponse::kSeatStatus:
            reactions_.notify(std::move(response));
            break;
        case v1::PlayResponse::kMatchEnded:
            cancel();
            check_seed(response.match_ended());
            return std::move(*response.mutable_match_ended());
        default:
            // A message kind that only newer servers send.
            break;
    }
    return std::nullopt;
}

void Conversation::cancel() {
    if (open_) {
        open_->cancelling.request_stop();
        open_.reset();
    }
}

void Conversation::answer(const std::shared_ptr<const Request>& request, const Choice& choice) {
    const std::uint32_t request_id = request->message().request_id();
    if (!open_ || open_->request != request) {
        options_.log("request " + std::to_string(request_id) +
                     ": answer ignored: the request is not open");
        return;
    }
    open_->answer = choice.message(request_id);
    send_unsent_answer();
}

// Sends the answer, unless there is none or the current stream has sent it.
void Conversation::send_unsent_answer() {
    if (open_ && open_->answer && !open_->sent_on_current_stream) {
        open_->sent_on_current_stream = true;
        reactions_.send(*open_->answer);
    }
}

void Conversation::requested(v1::DecisionRequest message) {
    if (open_ && message.request_id() <= open_->request->message().request_id()) {
        request_repeated(message.request_id());
        return;
    }
    cancel();
    std::stop_source cancelling;
    auto request = std::make_shared<const Request>(std::move(message), seat_ ? seat_->number : 0,
                                                   Request::Clock::now(), cancelling.get_token());
    open_ = OpenRequest{std::move(cancelling), std::move(request)};
    reactions_.decide(open_->request);
}

// Processes a repeated request. Decide is not called again, because the first call might still be
// running.
void Conversation::request_repeated(std::uint32_t request_id) {
    if (is_open(request_id)) {
        send_unsent_answer();
    }
}

void Conversation::rejected(const v1::DecisionRejected& rejected) {
    options_.log("request " + std::to_string(rejected.request_id()) +
                 ": refused: " + rejection_text(rejected));
    if (!is_open(rejected.request_id()) || !is_open(rejected.open_request_id())) {
        return;
    }
    open_->answer.reset();
    open_->sent_on_current_stream = false;
    if (++open_->refused_answers >= max_refused_answers) {
        throw NoLegalDecisionError(open_->refused_answers, rejected);
    }
    reactions_.decide(open_->request);
}

void Conversation::started(const v1::MatchStarted& started) {
    if (!seed_commitment_.empty() && seed_commitment_ != started.seed_commitment()) {
        throw ProtocolError("the server broke the protocol: the seed commitment changed");
    }
    seed_commitment_ = started.seed_commitment();
    seed_revealed_with_group_ =
        started.config().group().seed_reveal() == v1::SEED_REVEAL_WITH_GROUP;
}

void Conversation::check_seed(const v1::MatchEnded& ended) const {
    const bool is_withheld = ended.seed().empty() && ended.seed_salt().empty();
    if (seed_commitment_.empty() || (seed_revealed_with_group_ && is_withheld)) {
        return;
    }
    if (seed_commitment_ != seed_commitment(ended.seed(), ended.seed_salt())) {
        throw BrokenSeedCommitmentError(seed_commitment_, ended);
    }
}

bool Conversation::is_open(std::uint32_t request_id) const {
    return open_ && open_->request->message().request_id() == request_id;
}

std::string seed_commitment(const std::string& seed, const std::string& seed_salt) {
    constexpr int hex = 16;
    std::string bytes;
    for (std::size_t at = 0; at < seed_salt.size(); at += 2) {
        unsigned char byte = 0;
        const char* begin = seed_salt.data() + at;
        const char* end = seed_salt.data() + std::min(at + 2, seed_salt.size());
        const auto [rest, error] = std::from_chars(begin, end, byte, hex);
        if (error != std::errc{} || rest != begin + 2) {
            return "";
        }
        bytes += static_cast<char>(byte);
    }
    bytes += seed;
    std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
    SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
    std::string commitment;
    for (const unsigned char byte : digest) {
        commitment += "0123456789abcdef"[byte >> 4];
        commitment += "0123456789abcdef"[byte & 0xf];
    }
    return commitment;
}

}  // namespace bridgemaster
