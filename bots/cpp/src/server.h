// Servers and their addresses.

#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/security/credentials.h>

#include <memory>
#include <string>
#include <vector>

#include "bridgemaster/bridgemaster.h"

namespace bridgemaster {

inline constexpr const char* default_server = "http://127.0.0.1:50051";

// A server and how to connect to it.
struct Server {
    // The address as given in the options.
    std::string address;
    // The address as gRPC dials it: HOST:PORT.
    std::string target;
    // "http" or "https".
    std::string scheme;
    std::shared_ptr<grpc::ChannelCredentials> credentials{};
    // The trusted certificates in PEM, for https; empty for a built-in list.
    std::string trusted{};
    // HOST:PORT of the proxy; empty for none.
    std::string proxy{};

    // Creates a channel; it connects with its first call.
    std::shared_ptr<grpc::Channel> connect() const;
};

// Parses an address, as sdk/addresses.tsv specifies for all SDKs; the result has no credentials yet.
// Throws OptionsError.
Server parse_address(const std::string& text);

// Returns HOST:PORT of a proxy. Throws OptionsError.
std::string parse_proxy(const std::string& text);

// Parses the address of completed options, or several separated by commas. Throws OptionsError.
std::vector<Server> parse_servers(const Options& options);

}  // namespace bridgemaster
