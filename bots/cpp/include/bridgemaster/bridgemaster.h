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
// The environment says what to play: BRIDGEMASTER_TICKET has the join ticket of the seat,
// BRIDGEMASTER_SERVER the address of the server, and BRIDGEMASTER_KEY the API key if the server
// asks for one. play takes these as Options, and returns the result of the match.

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

// Revision of the protocol that this library speaks.
inline constexpr std::uint32_t protocol_revision = 1;

// How a bot reaches its seat, and what it says about itself. What is left out is taken from the
// environment.
struct Options {
    // 1 to 64 printable characters. On a server that asks for API keys, the name of the key counts
    // instead.
    std::string name;
    // At most 64 printable characters.
    std::string version{};
    // Identifiers of the games that the bot plays, such as "alhambra"; none for all.
    std::vector<std::string> games{};
    // Address, such as "http://127.0.0.1:50051" or "https://host:50051", or those of a cluster with
    // commas between them; BRIDGEMASTER_SERVER, or http://127.0.0.1:50051.
    std::string server{};
    // The join ticket of the seat; BRIDGEMASTER_TICKET.
    std::string ticket{};
    // The API key, for servers that ask for one; BRIDGEMASTER_KEY.
    std::string key{};
    // PEM file of the certificates to trust for https, instead of the system's; BRIDGEMASTER_CA.
    std::string ca{};
    // PEM files, for servers that ask for a client certificate; BRIDGEMASTER_CLIENT_CERT and
    // BRIDGEMASTER_CLIENT_KEY.
    std::string client_cert{};
    std::string client_key{};
    // The queue to attend instead of a ticket: the name of a contest or a ladder;
    // BRIDGEMASTER_QUEUE.
    std::string queue{};
    // Matches that a bot which attends a queue plays at once, 1 to 64; 0 takes BRIDGEMASTER_SLOTS,
    // or 1.
    int slots = 0;
    // How long the first connection is tried for: a bot may be started a little before its server.
    std::chrono::milliseconds connect_for{10'000};
    // How long a lost server is looked for, each time; if left out 30 s, or with a queue 10 minutes,
    // for the attendance and for each seat that was offered there.
    std::optional<std::chrono::milliseconds> reconnect_for{};
    // Takes warnings, each on one line, from several threads when a queue is attended; else they go
    // to standard error.
    std::function<void(const std::string& line)> log{};
};

// Plays one match to its end and returns its result. May be called by several threads at once.
//
// Throws a PlayError when the match could not be played to its end, and what the bot throws. Ends
// only when the bot has stopped thinking.
v1::MatchResult play(Bot& bot, const Options& options);

// Makes the bot of a match.
using MakeBot = std::function<std::unique_ptr<Bot>()>;

// Attends a queue, and plays each match that is offered there, until the queue is left or closed.
// Each match gets a bot of its own, and a thread. A match that is not played to its end is logged,
// and the others go on; all are played to their end before this ends.
//
// Throws a PlayError when the queue cannot be attended, or its server is lost.
void attend(const MakeBot& make_bot, const Options& options);

// Is the body of a program: plays a match, says in one line how it ended, and returns the exit
// code: 1, with a line on standard error, when it could not be played to its end.
int run(Bot& bot, const Options& options);

// Is the body of a program that can attend: plays the match of BRIDGEMASTER_TICKET, or attends the
// queue of BRIDGEMASTER_QUEUE and plays what it is offered there. Returns the exit code as run
// does.
int run_each(const MakeBot& make_bot, const Options& options);

// Computes the commitment to a seed, given its salt in hex; empty when the salt is no hex.
std::string seed_commitment(const std::string& seed, const std::string& seed_salt);

}  // namespace bridgemaster
