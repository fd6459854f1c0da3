#include "seating.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iostream>

#include "text.h"

namespace bridgemaster {
namespace {

// Longest name and version of a bot that a server takes.
constexpr std::size_t max_name_chars = 64;
// Most matches that a bot plays at once.
constexpr int max_slots = 64;
// Three times the default reconnect time of a match.
constexpr std::chrono::milliseconds reconnect_for{30'000};
// For a bot that attends a queue, and for each seat that was offered there: a server that is
// restarted, moved or repaired is often away for minutes. A bot that gives up before it is back
// forfeits its match, and whether it is too late is for the match's own reconnect time to say.
constexpr std::chrono::milliseconds attending_reconnect_for{600'000};

void fill(std::string& option, const char* variable, const char* otherwise = "") {
    if (option.empty()) {
        const char* set = std::getenv(variable);
        option = set != nullptr && *set != '\0' ? set : otherwise;
    }
}

std::string secret(const char* what, const std::string& text) {
    const std::string told = trimmed(text);
    const auto is_good = [](char c) { return '!' <= c && c <= '~'; };
    if (told.empty() || !std::all_of(told.begin(), told.end(), is_good)) {
        throw OptionsError(std::string("the ") + what +
                           " has characters that none has: copy it again");
    }
    return told;
}

void check_name(const char* what, const std::string& text, std::size_t least) {
    const std::size_t length = printable_length(text);
    if (length < least || length > max_name_chars) {
        throw OptionsError(std::string("the bot's ") + what + " \"" + text + "\" must have " +
                           std::to_string(least) + " to " + std::to_string(max_name_chars) +
                           " printable characters");
    }
}

int slots_of(const Options& options) {
    std::string given = options.slots == 0 ? "" : std::to_string(options.slots);
    fill(given, "BRIDGEMASTER_SLOTS", "1");
    int slots = 0;
    const char* end = given.data() + given.size();
    const auto [rest, error] = std::from_chars(given.data(), end, slots);
    if (error != std::errc{} || rest != end || slots < 1 || slots > max_slots) {
        throw OptionsError("a bot plays 1 to " + std::to_string(max_slots) +
                           " matches at once, not " + given);
    }
    return slots;
}

Options completed(Options options) {
    fill(options.server, "BRIDGEMASTER_SERVER", default_server);
    fill(options.ticket, "BRIDGEMASTER_TICKET");
    fill(options.key, "BRIDGEMASTER_KEY");
    fill(options.ca, "BRIDGEMASTER_CA");
    fill(options.client_cert, "BRIDGEMASTER_CLIENT_CERT");
    fill(options.client_key, "BRIDGEMASTER_CLIENT_KEY");
    fill(options.queue, "BRIDGEMASTER_QUEUE");
    check_name("name", options.name, 1);
    check_name("version", options.version, 0);
    return options;
}

// Options that are complete, with what follows from them.
Seating checked(Options options) {
    const auto usual = options.queue.empty() ? reconnect_for : attending_reconnect_for;
    const auto lost_for = options.reconnect_for.value_or(usual);
    const auto first_for = options.connect_for;
    Seating seating{std::move(options), {}, {}, first_for, lost_for};
    const Options& whole = seating.options;
    if (!whole.queue.empty() && !whole.ticket.empty()) {
        // The server that offered it was there a moment ago: one that is not reached is lost.
        seating.connect_for = std::max(seating.connect_for, lost_for);
    }
    seating.places = places_of(whole);
    if (!whole.ticket.empty()) {
        seating.metadata.emplace_back("authorization", "Bearer " + secret("ticket", whole.ticket));
    }
    if (!whole.key.empty()) {
        seating.metadata.emplace_back("x-bridgemaster-key", secret("API key", whole.key));
    }
    return seating;
}

}  // namespace

void Seating::prepare(grpc::ClientContext& context) const {
    for (const auto& [name, value] : metadata) {
        context.AddMetadata(name, value);
    }
}

void Seating::log(const std::string& line) const {
    if (options.log) {
        options.log(shown(line));
    } else {
        std::cerr << "bridgemaster: " + shown(line) + "\n";
    }
}

bool attends(const Options& options) {
    std::string ticket = options.ticket;
    std::string queue = options.queue;
    fill(ticket, "BRIDGEMASTER_TICKET");
    fill(queue, "BRIDGEMASTER_QUEUE");
    return ticket.empty() && !queue.empty();
}

Seating seating(const Options& options) {
    Options whole = completed(options);
    if (whole.ticket.empty()) {
        throw OptionsError(
            "no ticket: set BRIDGEMASTER_TICKET, or give Options::ticket; creating a match returns "
            "one for each seat");
    }
    return checked(std::move(whole));
}

Seating queueing(const Options& options) {
    Options whole = completed(options);
    whole.ticket.clear();
    if (whole.queue.empty()) {
        throw OptionsError("no queue: set BRIDGEMASTER_QUEUE, or give Options::queue");
    }
    whole.slots = slots_of(whole);
    return checked(std::move(whole));
}

}  // namespace bridgemaster
