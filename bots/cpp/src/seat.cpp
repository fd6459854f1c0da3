#include "seat.h"

#include "backoff.h"
#include "text.h"

namespace bridgemaster {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Time for the Welcome, once a stream is asked for.
constexpr seconds welcome_timeout{10};
// Time that the server has to end the stream after MatchEnded.
constexpr seconds closing_timeout{1};
// A server that is silent for this many intervals of its Pings is gone.
constexpr int missed_pings = 3;

}  // namespace

Seat::Seat(Bot& bot, Seating seating)
    : seating_(std::move(seating)),
      route_(seating_.places),
      conversation_(seating_, *this),
      bot_(bot, events_) {}

v1::MatchResult Seat::play() {
    Backoff backoff(seating_.connect_for);
    while (true) {
        try {
            v1::MatchResult result = play_on_one_stream().result();
            finish(result);
            return result;
        } catch (const StreamLost& lost) {
            stream_.reset();
            if (stream_was_welcomed_) {
                // A match that waits for other bots may say nothing for long.
                backoff.restart(seating_.reconnect_for, conversation_.progressed());
            }
            const std::string server = route_.place().server;
            const bool at_once = route_.go_on(lost.moved_to);
            const auto span = backoff.next_pause();
            if (!span) {
                throw server_lost(server, lost);
            }
            if (!at_once) {
                pause(*span, lost);
            }
        }
    }
}

ServerLostError Seat::server_lost(const std::string& server, const StreamLost& lost) const {
    const bool welcomed = conversation_.was_welcomed();
    const auto tried = welcomed ? seating_.reconnect_for : seating_.connect_for;
    const char* how =
        welcomed ? " was lost and did not come back within " : " could not be reached within ";
    return {server + how + in_seconds(tried) + ": " + lost.message, lost.reason};
}

// Waits before the next stream; what the bot answers meanwhile is kept.
void Seat::pause(Clock::duration pause, const StreamLost& lost) {
    if (conversation_.was_welcomed()) {
        seating_.log("no stream: " + lost.message);
    }
    const auto until = Clock::now() + pause;
    while (auto event = next_event(until)) {
        if (auto* answered = std::get_if<Answered>(&*event)) {
            held_.push_back(std::move(*answered));
        }
    }
}

// Opens a stream and converses on it until the match is over.
v1::MatchEnded Seat::play_on_one_stream() {
    stream_was_welcomed_ = false;
    stream_ = std::make_unique<Stream>(seating_, route_.place(), ++streams_, conversation_.hello(),
                                       events_);
    const v1::Welcome welcome = read_welcome();
    conversation_.welcome(welcome);
    stream_was_welcomed_ = true;
    route_.arrived();
    for (const auto& answered : std::exchange(held_, {})) {
        conversation_.answer(answered.request, answered.choice);
    }
    v1::MatchEnded ended = converse(missed_pings * milliseconds(welcome.ping_interval_ms()));
    leave();
    stream_.reset();
    return ended;
}

v1::Welcome Seat::read_welcome() {
    const bool welcomed = conversation_.was_welcomed();
    const auto span = welcomed ? seating_.reconnect_for : seating_.connect_for;
    const auto until =
        Clock::now() + route_.patience(welcome_timeout, duration_cast<milliseconds>(span));
    while (auto event = next(until)) {
        if (auto* answered = std::get_if<Answered>(&*event)) {
            held_.push_back(std::move(*answered));
            continue;
        }
        const auto& response = std::get<v1::PlayResponse>(*event);
        if (!response.has_welcome()) {
            throw ProtocolError("the server broke the protocol: its first message is no Welcome");
        }
        return response.welcome();
    }
    throw StreamLost{"no Welcome came", ""};
}

// Carries messages between server and bot, in whatever order the two get ready.
v1::MatchEnded Seat::converse(Clock::duration silence) {
    const auto silent_until = [&]() -> std::optional<Clock::time_point> {
        if (silence == Clock::duration::zero()) {
            // A server that tells no interval may be silent for as long as it likes.
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

// Leaves in order: closes our half, and lets the server close its own.
void Seat::leave() {
    stream_->end();
    const auto until = Clock::now() + closing_timeout;
    while (auto event = next_event(until)) {
        const auto* end = std::get_if<StreamEnded>(&*event);
        if (end != nullptr && end->stream == stream_->number()) {
            return;
        }
    }
}

// Tells the bot the result, and waits until it has done all that it was given.
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

// The next message of the stream in use or answer of the bot; none when the moment has come. Throws
// what ends the stream.
std::optional<Seat::Next> Seat::next(std::optional<Clock::time_point> until) {
    while (auto event = next_event(until)) {
        if (auto* answered = std::get_if<Answered>(&*event)) {
            return std::move(*answered);
        }
        // What a stream before had still to say does not count any more.
        if (auto* received = std::get_if<Received>(&*event);
            received != nullptr && received->stream == stream_->number()) {
            return std::move(received->response);
        }
        if (const auto* end = std::get_if<StreamEnded>(&*event);
            end != nullptr && end->stream == stream_->number()) {
            if (end->status.ok()) {
                throw StreamLost{"the server ended the stream before the match was over", ""};
            }
            throw_failure(end->status);
        }
    }
    return std::nullopt;
}

// The next event, of whatever stream; throws what the bot threw.
std::optional<Event> Seat::next_event(std::optional<Clock::time_point> until) {
    auto event = events_.next(until);
    if (const auto* done = event ? std::get_if<BotDone>(&*event) : nullptr) {
        std::rethrow_exception(done->thrown);
    }
    return event;
}

}  // namespace bridgemaster
