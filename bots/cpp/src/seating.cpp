#include "seating.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <regex>
#include <sstream>

#include "text.h"

namespace bridgemaster {
namespace {

constexpr const char* default_server = "http://127.0.0.1:50051";
// Longest name and version of a bot that a server takes.
constexpr std::size_t max_name_chars = 64;
// Most matches that a bot plays at once.
constexpr int max_slots = 64;
// Silence after which the transport checks that the server is still there, and the time that it has
// to show so: a machine that vanished is noticed within the sum.
constexpr int keep_alive_ms = 10'000;
// Time for a connection to be made.
constexpr int connect_timeout_ms = 10'000;

// Where Linux systems keep the certificates that they trust.
constexpr const char* system_lists[] = {
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem",
};

void fill(std::string& option, const char* variable, const char* otherwise = "") {
    if (option.empty()) {
        const char* set = std::getenv(variable);
        option = set != nullptr && *set != '\0' ? set : otherwise;
    }
}

std::string secret(const char* what, const std::string& text) {
    const char* blank = " \t\r\n";
    const auto first = text.find_first_not_of(blank);
    const auto last = text.find_last_not_of(blank);
    const std::string trimmed =
        first == std::string::npos ? "" : text.substr(first, last - first + 1);
    const auto is_good = [](char c) { return '!' <= c && c <= '~'; };
    if (trimmed.empty() || !std::all_of(trimmed.begin(), trimmed.end(), is_good)) {
        throw OptionsError(std::string("the ") + what +
                           " has characters that none has: copy it again");
    }
    return trimmed;
}

void check_name(const char* what, const std::string& text, std::size_t least) {
    const std::size_t length = printable_length(text);
    if (length < least || length > max_name_chars) {
        throw OptionsError(std::string("the bot's ") + what + " \"" + text + "\" must have " +
                           std::to_string(least) + " to " + std::to_string(max_name_chars) +
                           " printable characters");
    }
}

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream content;
    if (!file || !(content << file.rdbuf())) {
        throw OptionsError(path + ": " + std::strerror(errno));
    }
    return content.str();
}

std::string system_roots() {
    for (const char* path : system_lists) {
        if (std::ifstream(path)) {
            return read_file(path);
        }
    }
    // Those of gRPC's own list.
    return "";
}

std::shared_ptr<grpc::ChannelCredentials> tls(const Options& options) {
    if (options.client_cert.empty() != options.client_key.empty()) {
        throw OptionsError("a client certificate and its private key are given together");
    }
    grpc::SslCredentialsOptions files;
    files.pem_root_certs = options.ca.empty() ? system_roots() : read_file(options.ca);
    if (!options.client_cert.empty()) {
        files.pem_cert_chain = read_file(options.client_cert);
        files.pem_private_key = read_file(options.client_key);
    }
    return grpc::SslCredentials(files);
}

Server server_of(const Options& options) {
    static const std::regex address(
        R"((https?)://(\[[0-9a-fA-F:.]+\]|[^/?#@:\[\]\s]+):(\d{1,5})/?)");
    const bool has_scheme = options.server.find("://") != std::string::npos;
    const std::string url = has_scheme ? options.server : "http://" + options.server;
    std::smatch parts;
    const bool is_address = std::regex_match(url, parts, address);
    const int port = is_address ? std::stoi(parts[3]) : 0;
    if (port < 1 || port > 65535) {
        throw OptionsError("server \"" + options.server + "\" is not an address such as " +
                           default_server);
    }
    Server server{options.server, parts[2].str() + ":" + parts[3].str(), parts[1], nullptr, {}};
    server.credentials =
        server.scheme == "https" ? tls(options) : grpc::InsecureChannelCredentials();
    if (!options.ticket.empty()) {
        server.metadata.emplace_back("authorization", "Bearer " + secret("ticket", options.ticket));
    }
    if (!options.key.empty()) {
        server.metadata.emplace_back("x-bridgemaster-key", secret("API key", options.key));
    }
    return server;
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

}  // namespace

std::shared_ptr<grpc::Channel> Server::connect() const {
    grpc::ChannelArguments arguments;
    // A server on the own machine or network is not reached through the proxy of the browser.
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    // Without this a new channel would wait for the back-off of the one before it.
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, connect_timeout_ms);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, keep_alive_ms);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, keep_alive_ms);
    arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
    return grpc::CreateCustomChannel(target, credentials, arguments);
}

void Server::prepare(grpc::ClientContext& context) const {
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
    Server server = server_of(whole);
    return {std::move(whole), std::move(server)};
}

Seating queueing(const Options& options) {
    Options whole = completed(options);
    whole.ticket.clear();
    if (whole.queue.empty()) {
        throw OptionsError("no queue: set BRIDGEMASTER_QUEUE, or give Options::queue");
    }
    whole.slots = slots_of(whole);
    Server server = server_of(whole);
    return {std::move(whole), std::move(server)};
}

}  // namespace bridgemaster
