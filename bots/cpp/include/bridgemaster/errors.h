// Why a match could not be played to its end, and what to do about it.

#pragma once

#include <map>
#include <stdexcept>
#include <string>

#include "bridgemaster/v1/play.pb.h"

namespace bridgemaster {

// What to do about an error.
enum class Advice {
    retry,  // Connect again, after a pause.
    fix,    // Trying again fails in the same way.
    stop,   // The seat is not to be played any more.
};

// The match could not be played to its end; what() says why, on one line.
class PlayError : public std::runtime_error {
public:
    // What to do about it.
    Advice advice() const { return advice_; }
    // The reason of the server's refusal, such as TICKET_UNKNOWN: one of the table in PROTOCOL.md.
    // Empty when the server did not refuse.
    const std::string& reason() const { return reason_; }

protected:
    PlayError(const std::string& message, Advice advice, std::string reason = "");

private:
    Advice advice_;
    std::string reason_;
};

// The options, or the environment variables in their place, cannot be used.
class OptionsError : public PlayError {
public:
    explicit OptionsError(const std::string& message) : PlayError(message, Advice::fix) {}
};

// The server refused, and trying again does not help.
class RefusedError : public PlayError {
public:
    RefusedError(const std::string& reason, const std::string& message,
                 std::map<std::string, std::string> metadata, Advice advice);

    // Further facts, such as the scope that a key lacks.
    const std::map<std::string, std::string>& metadata() const { return metadata_; }

private:
    std::map<std::string, std::string> metadata_;
};

// No server answered in time, or a lost stream did not come back in time. The reason is that of the
// last refusal, such as SERVER_STOPPING, if there was one.
class ServerLostError : public PlayError {
public:
    ServerLostError(const std::string& message, std::string reason)
        : PlayError(message, Advice::retry, std::move(reason)) {}
};

// The other side is no Bridgemaster server, or one that breaks the protocol.
class ProtocolError : public PlayError {
public:
    explicit ProtocolError(const std::string& message) : PlayError(message, Advice::fix) {}
};

// The match is over, and its seed is not the one that the server had committed to.
class BrokenSeedCommitmentError : public PlayError {
public:
    BrokenSeedCommitmentError(const std::string& commitment, v1::MatchEnded ended);

    // What came at the end, with the result.
    const v1::MatchEnded& ended() const { return ended_; }

private:
    v1::MatchEnded ended_;
};

// The bot kept answering one request with decisions that were refused.
class NoLegalDecisionError : public PlayError {
public:
    NoLegalDecisionError(int times, v1::DecisionRejected last);

    // The last refusal.
    const v1::DecisionRejected& last() const { return last_; }

private:
    v1::DecisionRejected last_;
};

}  // namespace bridgemaster
