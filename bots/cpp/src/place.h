// A server, and how it is reached.

#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/security/credentials.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bridgemaster/bridgemaster.h"

namespace bridgemaster {

inline constexpr const char* default_server = "http://127.0.0.1:50051";

// A server, and how it is reached.
struct Place {
    // Its address, as it was given.
    std::string server;
    // The same as gRPC dials it: host and port.
    std::string target;
    // "http" or "https".
    std::string scheme;
    std::shared_ptr<grpc::ChannelCredentials> credentials;

    // Opens a connection.
    std::shared_ptr<grpc::Channel> connect() const;
    // The server at HOST:PORT, reached in the same way, since such an address says nothing of TLS;
    // none when it is no address.
    std::optional<Place> at(const std::string& host_and_port) const;
};

// The servers of the address of complete options, or of several with commas between them, in their
// order. Throws OptionsError.
std::vector<Place> places_of(const Options& options);

}  // namespace bridgemaster
