// Errors of a match, and advice on how to handle them.

#pragma once

#include <map>
#include <stdexcept>
#include <string>

#include "bridgemaster/v1/play.pb.h"

namespace bridgemaster {

// Advice on how to handle an error.
enum class Advice {
    retry,  // Connect again, after a pause.
    fix,    // A retry fails in the same way: change the bot or its options.
    stop,   // Nothing is left to play on this seat.
};

// An error that ended a match, or an attendance, early. what() is one line.
class PlayError : public std::runtime_error {
public:
    // Returns how to handle the error.
    Advice advice() const { return advice_; }
    // Returns the reason of the server's refusal, such as TICKET_UNKNOWN, from the table of
    // refusals; empty if the server did not refuse.
    const std::string& reason() const { return reason_; }

protected:
    PlayError(const std::string& message, Advice advice, std::string reason = "");

private:
    Advice advice_;
    std::string reason_;
};

// The options, or the environment variables that replace them, are not valid.
class OptionsError : public PlayError {
public:
    explicit OptionsError(const std::string& message) : PlayError(message, Advice::fix) {}
};

// The server refused, and a retry does not help.
class RefusedError : public PlayError {
public:
    RefusedError(const std::string& reason, const std::string& message,
                 std::map<std::string, std::string> metadata, Advice advice);

    // Returns details such as the scope that a key lacks, by name.
    const std::map<std::string, std::string>& metadata() const { return metadata_; }

private:
    std::map<std::string, std::string> metadata_;
};

// No server answered in time, or a lost stream could not be resumed in time. The reason comes from
// the last refusal, such as SERVER_STOPPING, if there was one.
class ServerLostError : public PlayError {
public:
    ServerLostError(const std::string& message, std::string reason)
        : PlayError(message, Advice::retry, std::move(reason)) {}
};

// The connection failed because of a TLS mistake, such as an untrusted certificate.
class TlsError : public PlayError {
public:
    explicit TlsError(const std::string& message) : PlayError(message, Advice::fix) {}
};

// The peer is not a Bridgemaster server, or it breaks the protocol.
class ProtocolError : public PlayError {
public:
    explicit ProtocolError(const std::string& message) : PlayError(message, Advice::fix) {}
};

// The match has ended, and its seed does not match the server's commitment.
class BrokenSeedCommitmentError : public PlayError {
public:
    BrokenSeedCommitmentError(const std::string& commitment, v1::MatchEnded ended);

    // Returns the last message of the match, with the seed and the result.
    const v1::MatchEnded& ended() const { return ended_; }

private:
    v1::MatchEnded ended_;
};

// The bot answered one request with refused decisions too often.
class NoLegalDecisionError : public PlayError {
public:
    NoLegalDecisionError(int times, v1::DecisionRejected last);

    // Returns the refusal of the last decision.
    const v1::DecisionRejected& last() const { return last_; }

private:
    v1::DecisionRejected last_;
};

}  // namespace bridgemaster
