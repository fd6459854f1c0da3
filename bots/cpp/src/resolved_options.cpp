#include "resolved_options.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iostream>

#include "text.h"

namespace bridgemaster {
namespace {

// Maximum length of a bot's name and of its version; the server refuses longer ones.
constexpr std::size_t max_name_chars = 64;
// Maximum number of matches that a bot plays at once.
constexpr int max_slots = 64;
// Default time to resume a lost stream: three times the default reconnect time of a match.
constexpr std::chrono::milliseconds reconnect_for{30'000};
// Default time to resume a lost stream while a bot attends a queue, and for each offered seat. A
// server that is restarted, moved or repaired is often unavailable for minutes. A bot that stops
// retrying forfeits its match, so the library leaves the decision to the reconnect time of the
// match.
constexpr std::chrono::milliseconds attend_reconnect_for{600'000};

void fill(std::string& option, const char* variable, const char* fallback = "") {
    if (option.empty()) {
        const char* value = std::getenv(variable);
        option = value != nullptr && *value != '\0' ? value : fallback;
    }
}

std::string validate_secret(const char* what, const std::string& text) {
    const std::string secret = trimmed(text);
    const auto is_valid = [](char c) { return '!' <= c && c <= '~'; };
    if (secret.empty() || !std::all_of(secret.begin(), secret.end(), is_valid)) {
        throw OptionsError(std::string("the ") + what +
                           " is not valid: it must be printable ASCII without spaces");
    }
    return secret;
}

void validate_name(const char* option, const std::string& text, std::size_t min_chars) {
    const std::size_t length = printable_length(text);
    if (length < min_chars || length > max_name_chars) {
        throw OptionsError(std::string(option) + ": \"" + text + "\" must have " +
                           std::to_string(min_chars) + " to " + std::to_string(max_name_chars) +
                           " printable characters");
    }
}

int validate_slots(const Options& options) {
    std::string text = options.slots == 0 ? "" : std::to_string(options.slots);
    fill(text, "BRIDGEMASTER_SLOTS", "1");
    int slots = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, slots);
    if (error != std::errc{} || rest != end || slots < 1 || slots > max_slots) {
        throw OptionsError("slots: " + text + " is out of range (1 to " +
                           std::to_string(max_slots) + ")");
    }
    return slots;
}

Options with_defaults(Options options) {
    fill(options.server, "BRIDGEMASTER_SERVER", default_server);
    fill(options.ticket, "BRIDGEMASTER_TICKET");
    fill(options.key, "BRIDGEMASTER_KEY");
    fill(options.ca, "BRIDGEMASTER_CA");
    fill(options.proxy, "BRIDGEMASTER_PROXY");
    fill(options.client_cert, "BRIDGEMASTER_CLIENT_CERT");
    fill(options.client_key, "BRIDGEMASTER_CLIENT_KEY");
    fill(options.queue, "BRIDGEMASTER_QUEUE");
    validate_name("name", options.name, 1);
    validate_name("version", options.version, 0);
    return options;
}

// Derives servers, metadata and times from completed options.
ResolvedOptions resolve(Options options) {
    const auto default_time = options.queue.empty() ? reconnect_for : attend_reconnect_for;
    const auto lost_for = options.reconnect_for.value_or(default_time);
    const auto first_for = options.connect_for;
    ResolvedOptions resolved{std::move(options), {}, {}, first_for, lost_for};
    const Options& completed = resolved.options;
    if (!completed.queue.empty() && !completed.ticket.empty()) {
        // The server was reachable a moment ago, so the first connection is retried for as long as
        // a lost stream.
        resolved.connect_for = std::max(resolved.connect_for, lost_for);
    }
    resolved.servers = parse_servers(completed);
    if (!completed.ticket.empty()) {
        resolved.metadata.emplace_back("authorization",
                                       "Bearer " + validate_secret("ticket", completed.ticket));
    }
    if (!completed.key.empty()) {
        resolved.metadata.emplace_back("x-bridgemaster-key",
                                       validate_secret("API key", completed.key));
    }
    return resolved;
}

}  // namespace

void ResolvedOptions::prepare(grpc::ClientContext& context) const {
    for (const auto& [name, value] : metadata) {
        context.AddMetadata(name, value);
    }
}

void ResolvedOptions::log(const std::string& line) const {
    if (options.log) {
        options.log(escape(line));
    } else {
        std::cerr << "bridgemaster: " + escape(line) + "\n";
    }
}

bool should_attend(const Options& options) {
    std::string ticket = options.ticket;
    std::string queue = options.queue;
    fill(ticket, "BRIDGEMASTER_TICKET");
    fill(queue, "BRIDGEMASTER_QUEUE");
    return ticket.empty() && !queue.empty();
}

ResolvedOptions resolve_options(const Options& options) {
    Options completed = with_defaults(options);
    if (completed.ticket.empty()) {
        throw OptionsError(
            "no ticket: set BRIDGEMASTER_TICKET or Options::ticket; creating a match returns a "
            "ticket for each seat");
    }
    return resolve(std::move(completed));
}

ResolvedOptions resolve_attend_options(const Options& options) {
    Options completed = with_defaults(options);
    completed.ticket.clear();
    if (completed.queue.empty()) {
        throw OptionsError("no queue: set BRIDGEMASTER_QUEUE or Options::queue");
    }
    completed.slots = validate_slots(completed);
    return resolve(std::move(completed));
}

}  // namespace bridgemaster
