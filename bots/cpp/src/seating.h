// Options that were checked, with all that was taken from elsewhere.

#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/security/credentials.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bridgemaster/bridgemaster.h"

namespace bridgemaster {

// A server, and what is shown to it.
struct Server {
    // The address as it was given, for people.
    std::string url;
    // The server as gRPC dials it: host and port.
    std::string target;
    // "http" or "https".
    std::string scheme;
    std::shared_ptr<grpc::ChannelCredentials> credentials;
    // Names and values of the entries of a call: ticket and key.
    std::vector<std::pair<std::string, std::string>> metadata;

    // Opens a connection.
    std::shared_ptr<grpc::Channel> connect() const;
    // Prepares a call.
    void prepare(grpc::ClientContext& context) const;
};

// What a seat needs. Its options are complete.
struct Seating {
    Options options;
    Server server;

    void log(const std::string& line) const;
};

// Whether a bot is to attend a queue: one is named, and no ticket.
bool attends(const Options& options);

// Checks the options of a seat and completes them. Throws OptionsError.
Seating seating(const Options& options);

// Checks the options of an attendance and completes them. Throws OptionsError.
Seating queueing(const Options& options);

}  // namespace bridgemaster
