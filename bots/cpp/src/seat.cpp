#include "seat.h"

#include "backoff.h"
#include "text.h"

namespace bridgemaster {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Time to wait for the Welcome on a new stream.
constexpr seconds welcome_timeout{10};
// Time to wait for the end of the stream after MatchEnded.
constexpr seconds closing_timeout{1};
// The number of Ping intervals without a message after which a server is lost.
constexpr int missed_pings = 3;

}  // namespace

Seat::Seat(Bot& bot, ResolvedOptions options)
    : options_(std::move(options)),
      route_(options_.servers),
      conversation_(options_, *this),
      bot_(bot, events_) {}

v1::MatchResult Seat::play() {
    Backoff backoff(options_.connect_for);
    while (true) {
        try {
            v1::MatchResult result = play_on_one_stream().result();
            finish(result);
            return result;
        } catch (const StreamLost& lost) {
            stream_.reset();
            if (stream_was_welcomed_) {
                // A match that waits for other bots can be silent for a long time.
                backoff.restart(options_.reconnect_for, conversation_.progressed());
            }
            route_.check_tls(lost, conversation_.was_welcomed());
            const std::string address = route_.server().address;
            route_.advance();
            const auto next_pause = backoff.next_pause();
            if (!next_pause) {
                throw server_lost(address, lost);
            }
            pause(*next_pause, lost);
        }
    }
}

ServerLostError Seat::server_lost(const std::string& address, const StreamLost& lost) const {
    const bool welcomed = conversation_.was_welcomed();
    const auto waited = welcomed ? options_.reconnect_for : options_.connect_for;
    const std::string what =
        welcomed ? "lost the stream to " + address + " and could not resume it within "
                 : "no server answered at " + address + " within ";
    return {what + in_seconds(waited) + ": " + lost.message, lost.reason};
}

// Waits before the next stream, storing answers that the bot gives in the meantime.
void Seat::pause(Clock::duration pause, const StreamLost& lost) {
    if (conversation_.was_welcomed()) {
        options_.log("stream lost: " + lost.message + "; retrying");
    }
    const auto until = Clock::now() + pause;
    while (auto event = next_event(until)) {
        if (auto* answered = std::get_if<Answered>(&*event)) {
            deferred_.push_back(std::move(*answered));
        }
    }
}

// Opens a stream and uses it until the match has ended.
v1::MatchEnded Seat::play_on_one_stream() {
    stream_was_welcomed_ = false;
    stream_ = std::make_unique<Stream>(options_, route_.server(), ++streams_, conversation_.hello(),
                                       events_);
    const v1::Welcome welcome = read_welcome();
    conversation_.welcome(welcome);
    stream_was_welcomed_ = true;
    for (const auto& answered : std::exchange(deferred_, {})) {
        conversation_.answer(answered.request, answered.choice);
    }
    v1::MatchEnded ended = exchange(missed_pings * milliseconds(welcome.ping_interval_ms()));
    leave();
    stream_.reset();
    return ended;
}

v1::Welcome Seat::read_welcome() {
    const bool welcomed = conversation_.was_welcomed();
    const auto total = welcomed ? options_.reconnect_for : options_.connect_for;
    const auto until =
        Clock::now() + route_.answer_timeout(welcome_timeout, duration_cast<milliseconds>(total));
    while (auto event = next(until)) {
        if (auto* answered = std::get_if<Answered>(&*event)) {
            deferred_.push_back(std::move(*answered));
            continue;
        }
        const auto& response = std::get<v1::PlayResponse>(*event);
        if (!response.has_welcome()) {
            throw ProtocolError(
                "the server broke the protocol: its first message is not a Welcome");
        }
        return response.welcome();
    }
    throw StreamLost{"the server did not send a Welcome in time", ""};
}

// Passes messages between server and bot until the match has ended.
v1::MatchEnded Seat::exchange(Clock::duration silence) {
    const auto silent_until = [&]() -> std::optional<Clock::time_point> {
        if (silence == Clock::duration::zero()) {
            // Without an interval of Pings, the server can be silent forever.
            return std::nullopt;
        }
        return Clock::now() + silence;
    };
    auto until = silent_until();
    while (auto event = next(until)) {
        if (const auto* answered = std::get_if<Answered>(&*event)) {
            conversation_.answer(answered->request, answered->choice);
            continue;
        }
        until = silent_until();
        auto ended = conversation_.receive(std::get<v1::PlayResponse>(std::move(*event)));
        if (ended) {
            return std::move(*ended);
        }
    }
    throw StreamLost{"the server was silent for " + in_seconds(silence), ""};
}

// Closes the stream in order: first the client's half, then the server's.
void Seat::leave() {
    stream_->half_close();
    const auto until = Clock::now() + closing_timeout;
    while (auto event = next_event(until)) {
        const auto* end = std::get_if<StreamEnded>(&*event);
        if (end != nullptr && end->stream == stream_->number()) {
            return;
        }
    }
}

// Passes the result to the bot, and waits until it has finished all calls.
void Seat::finish(v1::MatchResult result) {
    bot_.finish(std::move(result));
    while (true) {
        const auto event = events_.next(std::nullopt);
        if (const auto* done = event ? std::get_if<BotDone>(&*event) : nullptr) {
            if (done->thrown) {
                std::rethrow_exception(done->thrown);
            }
            return;
        }
    }
}

// Returns the next message of the current stream or answer of the bot; none at `until`. Throws the
// error that ended the stream.
std::optional<Seat::Next> Seat::next(std::optional<Clock::time_point> until) {
    while (auto event = next_event(until)) {
        if (auto* answered = std::get_if<Answered>(&*event)) {
            return std::move(*answered);
        }
        // Events of earlier streams are ignored.
        if (auto* received = std::get_if<Received>(&*event);
            received != nullptr && received->stream == stream_->number()) {
            return std::move(received->response);
        }
        if (const auto* end = std::get_if<StreamEnded>(&*event);
            end != nullptr && end->stream == stream_->number()) {
            if (end->status.ok()) {
                throw StreamLost{"the server ended the stream before the match was over", ""};
            }
            throw_for(end->status);
        }
    }
    return std::nullopt;
}

// Returns the next event of any stream or of the bot; throws the exception of the bot.
std::optional<Event> Seat::next_event(std::optional<Clock::time_point> until) {
    auto event = events_.next(until);
    if (const auto* done = event ? std::get_if<BotDone>(&*event) : nullptr) {
        std::rethrow_exception(done->thrown);
    }
    return event;
}

}  // namespace bridgemaster
