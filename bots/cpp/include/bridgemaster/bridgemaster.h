// Plays seats of Bridgemaster matches. A complete bot:
//
//     #include <bridgemaster/bridgemaster.h>
//
//     struct Middle : bridgemaster::Bot {
//         bridgemaster::Choice decide(const bridgemaster::Request& request) override {
//             return bridgemaster::Choice::index(request.legal_count() / 2);
//         }
//     };
//
//     int main() {
//         Middle bot;
//         return bridgemaster::run(bot, {.name = "middle"});
//     }
//
// Environment variables select the match: BRIDGEMASTER_TICKET is the join ticket of the seat,
// BRIDGEMASTER_SERVER the address of the server, and BRIDGEMASTER_KEY the API key if the server
// requires one. play takes these as Options, and returns the result of the match.

#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bridgemaster/bot.h"
#include "bridgemaster/errors.h"

namespace bridgemaster {

// The protocol revision that this library implements.
inline constexpr std::uint32_t protocol_revision = 1;

// The server and seat or queue to play, and how the bot introduces itself. Empty members are
// replaced from the environment.
struct Options {
    // 1 to 64 printable characters. A server that requires API keys uses the name of the key
    // instead.
    std::string name;
    // At most 64 printable characters.
    std::string version{};
    // Identifiers of the games that the bot plays, such as "alhambra"; empty for all.
    std::vector<std::string> games{};
    // Address, such as "http://127.0.0.1:50051" or "https://host:50051"; the addresses of a cluster
    // are separated by commas. Default: BRIDGEMASTER_SERVER, or http://127.0.0.1:50051.
    std::string server{};
    // The join ticket of the seat. Default: BRIDGEMASTER_TICKET.
    std::string ticket{};
    // The API key, for servers that require one. Default: BRIDGEMASTER_KEY.
    std::string key{};
    // PEM file of the certificates to trust for https instead of the system's. Default:
    // BRIDGEMASTER_CA.
    std::string ca{};
    // PEM files, for servers that require a client certificate. Default: BRIDGEMASTER_CLIENT_CERT
    // and BRIDGEMASTER_CLIENT_KEY.
    std::string client_cert{};
    std::string client_key{};
    // Address of an HTTP proxy, such as "http://127.0.0.1:3128", which connects by CONNECT. Default:
    // BRIDGEMASTER_PROXY, or no proxy. gRPC still connects directly to hosts in the variable
    // no_proxy. Other variables, such as https_proxy, are ignored.
    std::string proxy{};
    // The queue to attend instead of a ticket: the name of a contest or a ladder. Default:
    // BRIDGEMASTER_QUEUE.
    std::string queue{};
    // Number of matches that an attending bot plays at once, 1 to 64. Default: BRIDGEMASTER_SLOTS,
    // or 1.
    int slots = 0;
    // Time to keep trying the first connection. A bot might be started slightly before its server.
    std::chrono::milliseconds connect_for{10'000};
    // Time to keep trying to resume a lost stream, for each loss. Default: 30 s, or 10 minutes with
    // a queue, for the attendance and for each seat offered there.
    std::optional<std::chrono::milliseconds> reconnect_for{};
    // Receives warnings, one line each; from several threads while a queue is attended. By default
    // they go to standard error.
    std::function<void(const std::string& line)> log{};
};

// Plays one match to its end and returns its result. Can be called from several threads at once.
//
// Throws a PlayError if the match could not be played to its end; exceptions of the bot propagate.
// Returns only after the current call of the bot has returned.
v1::MatchResult play(Bot& bot, const Options& options);

// Creates the bot of a match.
using MakeBot = std::function<std::unique_ptr<Bot>()>;

// Attends a queue and plays every match offered there, until the queue is closed or left. Each
// match gets its own bot and thread. A failed match is logged, and does not affect other matches.
// Matches in progress are finished first. A slot is free once all methods of its bot have returned;
// a busy slot of a match that has ended is logged and reported.
//
// Throws a PlayError if the queue cannot be attended, or its server is lost.
void attend(const MakeBot& make_bot, const Options& options);

// Runs a bot program: plays a match and prints its outcome on one line. Returns the exit code: 1,
// with a line on standard error, if the match could not be played to its end.
int run(Bot& bot, const Options& options);

// Runs a bot program that can attend: plays the match of BRIDGEMASTER_TICKET, or attends the queue
// of BRIDGEMASTER_QUEUE and plays every match offered there. Returns the exit code as run does.
int run_each(const MakeBot& make_bot, const Options& options);

// Computes the commitment to a seed; empty if the salt is not valid hex.
std::string seed_commitment(const std::string& seed, const std::string& seed_salt);

}  // namespace bridgemaster
