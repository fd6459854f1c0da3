#include "place.h"

#include <grpcpp/create_channel.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <regex>
#include <sstream>

#include "text.h"

namespace bridgemaster {
namespace {

// Between the addresses of several servers.
constexpr char between = ',';
// Silence after which the transport checks that the server is still there, and the time that it has
// to show so: a machine that vanished is noticed within the sum.
constexpr int keep_alive_ms = 10'000;
// Time for one attempt to reach a server: another one may be there.
constexpr int connect_timeout_ms = 5'000;

// Where Linux systems keep the certificates that they trust.
constexpr const char* system_lists[] = {
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem",
};

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

// The server of an address, which has no credentials yet; none when it is no address.
std::optional<Place> parsed(const std::string& server) {
    static const std::regex address(
        R"((https?)://(\[[0-9a-fA-F:.]+\]|[^/?#@:\[\]\s]+):(\d{1,5})/?)");
    const bool has_scheme = server.find("://") != std::string::npos;
    const std::string url = has_scheme ? server : "http://" + server;
    std::smatch parts;
    const bool is_address = std::regex_match(url, parts, address);
    const int port = is_address ? std::stoi(parts[3]) : 0;
    if (port < 1 || port > 65535) {
        return std::nullopt;
    }
    return Place{server, parts[2].str() + ":" + parts[3].str(), parts[1], nullptr};
}

}  // namespace

std::shared_ptr<grpc::Channel> Place::connect() const {
    grpc::ChannelArguments arguments;
    // A server on the own machine or network is not reached through the proxy of the browser.
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    // Without this a new channel would wait for the back-off of the one before it.
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    // The time for an attempt, in spite of its name.
    arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, connect_timeout_ms);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, keep_alive_ms);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, keep_alive_ms);
    arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
    return grpc::CreateCustomChannel(target, credentials, arguments);
}

std::optional<Place> Place::at(const std::string& host_and_port) const {
    auto place = parsed(scheme + "://" + host_and_port);
    if (place) {
        place->credentials = credentials;
    }
    return place;
}

std::vector<Place> places_of(const Options& options) {
    std::vector<Place> places;
    std::size_t begin = 0;
    while (begin != std::string::npos) {
        const std::size_t end = options.server.find(between, begin);
        const std::size_t length = end == std::string::npos ? end : end - begin;
        const std::string server = trimmed(options.server.substr(begin, length));
        auto place = parsed(server);
        if (!place) {
            throw OptionsError("server \"" + server + "\" is not an address such as " +
                               default_server);
        }
        place->credentials =
            place->scheme == "https" ? tls(options) : grpc::InsecureChannelCredentials();
        places.push_back(std::move(*place));
        begin = end == std::string::npos ? end : end + 1;
    }
    return places;
}

}  // namespace bridgemaster
