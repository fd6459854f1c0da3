#include "server.h"

#include <grpcpp/create_channel.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
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

void add_credentials(Server& server, const Options& options) {
    if (server.scheme == "http") {
        server.credentials = grpc::InsecureChannelCredentials();
        return;
    }
    if (options.client_cert.empty() != options.client_key.empty()) {
        throw OptionsError(
            "a client certificate requires its private key, and a private key its certificate");
    }
    grpc::SslCredentialsOptions files;
    server.trusted = options.ca.empty() ? system_roots() : read_file(options.ca);
    files.pem_root_certs = server.trusted;
    if (!options.client_cert.empty()) {
        files.pem_cert_chain = read_file(options.client_cert);
        files.pem_private_key = read_file(options.client_key);
    }
    server.credentials = grpc::SslCredentials(files);
}

OptionsError invalid_address(const std::string& address, const char* problem) {
    return OptionsError("server: \"" + address + "\" is not an address such as " + default_server +
                        ": " + problem);
}

}  // namespace

std::string parse_proxy(const std::string& text) {
    Server proxy;
    try {
        proxy = parse_address(text);
    } catch (const OptionsError& error) {
        const std::string message = error.what();
        throw OptionsError("proxy" + message.substr(message.find(':')));
    }
    if (proxy.scheme != "http") {
        throw OptionsError("proxy: \"" + text + "\" is not supported: the scheme must be http");
    }
    return proxy.target;
}

Server parse_address(const std::string& text) {
    const std::string address = trimmed(text);
    if (address.starts_with("unix:") || address.starts_with("unix-abstract:")) {
        throw invalid_address(address, "Unix sockets are not supported");
    }
    const auto end_of_scheme = address.find("://");
    const bool has_scheme = end_of_scheme != std::string::npos;
    std::string scheme = has_scheme ? address.substr(0, end_of_scheme) : "http";
    std::transform(scheme.begin(), scheme.end(), scheme.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (scheme != "http" && scheme != "https") {
        throw invalid_address(address, "the scheme is not http or https");
    }
    std::string rest = has_scheme ? address.substr(end_of_scheme + 3) : address;
    if (rest.ends_with('/')) {
        rest.pop_back();
    }
    if (rest.find_first_of("/?#") != std::string::npos) {
        throw invalid_address(address, "a path is not allowed");
    }
    const bool is_bracketed = rest.starts_with('[');
    if (!is_bracketed && rest.find(':') != rest.rfind(':')) {
        throw invalid_address(address, "an IPv6 address needs brackets");
    }
    // An IPv6 address has at least two colons.
    static const std::regex bracketed(
        R"((\[[0-9a-fA-F.]*:[0-9a-fA-F.]*:[0-9a-fA-F:.]*\])(:(.*))?)");
    static const std::regex named(R"(([A-Za-z0-9._-]+)(:(.*))?)");
    std::smatch parts;
    if (!std::regex_match(rest, parts, is_bracketed ? bracketed : named)) {
        throw invalid_address(address, "the host is not valid");
    }
    std::string port = parts[3];
    if (has_scheme && !parts[2].matched) {
        port = scheme == "https" ? "443" : "80";
    }
    if (port.empty()) {
        throw invalid_address(address, "the port is missing");
    }
    static const std::regex number("[1-9][0-9]{0,4}");
    if (!std::regex_match(port, number) || std::stoi(port) > 65535) {
        throw invalid_address(address, "the port is out of range (1 to 65535)");
    }
    return Server{address, parts[1].str() + ":" + port, scheme};
}

std::shared_ptr<grpc::Channel> Server::connect() const {
    grpc::ChannelArguments arguments;
    if (proxy.empty()) {
        // Bot servers usually run on the same machine or network, which the proxy of the environment
        // cannot reach.
        arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    } else {
        arguments.SetString(GRPC_ARG_HTTP_PROXY, "http://" + proxy);
    }
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
        Server server = parse_address(options.server.substr(begin, length));
        add_credentials(server, options);
        server.proxy = options.proxy.empty() ? "" : parse_proxy(options.proxy);
        servers.push_back(std::move(server));
        begin = end == std::string::npos ? end : end + 1;
    }
    return servers;
}

}  // namespace bridgemaster
