#include "server.h"

#include <grpcpp/create_channel.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <regex>
#include <sstream>

#include "text.h"

namespace bridgemaster {
namespace {

// Separates the addresses of a cluster.
constexpr char separator = ',';
// Interval of keepalive pings, and the time to wait for their answer: a vanished machine is noticed
// within the sum of both.
constexpr int keep_alive_ms = 10'000;
// Time limit of one connection attempt.
constexpr int connect_timeout_ms = 5'000;

// Paths of the trusted certificates on Linux systems.
constexpr const char* system_root_paths[] = {
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
    for (const char* path : system_root_paths) {
        if (std::ifstream(path)) {
            return read_file(path);
        }
    }
    // Empty for gRPC's built-in list.
    return "";
}

std::shared_ptr<grpc::ChannelCredentials> tls(const Options& options) {
    if (options.client_cert.empty() != options.client_key.empty()) {
        throw OptionsError(
            "a client certificate requires its private key, and a private key its certificate");
    }
    grpc::SslCredentialsOptions files;
    files.pem_root_certs = options.ca.empty() ? system_roots() : read_file(options.ca);
    if (!options.client_cert.empty()) {
        files.pem_cert_chain = read_file(options.client_cert);
        files.pem_private_key = read_file(options.client_key);
    }
    return grpc::SslCredentials(files);
}

// Parses an address; the result has no credentials yet. Returns none if the address is not valid.
std::optional<Server> parse_address(const std::string& address) {
    static const std::regex pattern(
        R"((https?)://(\[[0-9a-fA-F:.]+\]|[^/?#@:\[\]\s]+):(\d{1,5})/?)");
    const bool has_scheme = address.find("://") != std::string::npos;
    const std::string url = has_scheme ? address : "http://" + address;
    std::smatch parts;
    const bool is_valid = std::regex_match(url, parts, pattern);
    const int port = is_valid ? std::stoi(parts[3]) : 0;
    if (port < 1 || port > 65535) {
        return std::nullopt;
    }
    return Server{address, parts[2].str() + ":" + parts[3].str(), parts[1], nullptr};
}

}  // namespace

std::shared_ptr<grpc::Channel> Server::connect() const {
    grpc::ChannelArguments arguments;
    // Bot servers usually run on the same machine or network, which a proxy cannot reach.
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    // Without this, a new channel would inherit the backoff of the previous one.
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    // Despite its name, also the time limit of an attempt.
    arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, connect_timeout_ms);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, keep_alive_ms);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, keep_alive_ms);
    arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
    return grpc::CreateCustomChannel(target, credentials, arguments);
}

std::vector<Server> parse_servers(const Options& options) {
    std::vector<Server> servers;
    std::size_t begin = 0;
    while (begin != std::string::npos) {
        const std::size_t end = options.server.find(separator, begin);
        const std::size_t length = end == std::string::npos ? end : end - begin;
        const std::string address = trimmed(options.server.substr(begin, length));
        auto server = parse_address(address);
        if (!server) {
            throw OptionsError("server: \"" + address + "\" is not an address such as " +
                               default_server);
        }
        server->credentials =
            server->scheme == "https" ? tls(options) : grpc::InsecureChannelCredentials();
        servers.push_back(std::move(*server));
        begin = end == std::string::npos ? end : end + 1;
    }
    return servers;
}

}  // namespace bridgemaster
