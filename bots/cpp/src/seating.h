// Options that were checked, with all that was taken from elsewhere.

#pragma once

#include <grpcpp/client_context.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "bridgemaster/bridgemaster.h"
#include "place.h"

namespace bridgemaster {

// What a seat needs. Its options are complete.
struct Seating {
    Options options;
    // The servers, in the order in which they were named.
    std::vector<Place> places;
    // Names and values of the entries of a call: ticket and key.
    std::vector<std::pair<std::string, std::string>> metadata;
    // How long the first connection is tried for, and a lost server looked for.
    std::chrono::milliseconds connect_for;
    std::chrono::milliseconds reconnect_for;

    // Prepares a call.
    void prepare(grpc::ClientContext& context) const;
    void log(const std::string& line) const;
};

// Whether a bot is to attend a queue: one is named, and no ticket.
bool attends(const Options& options);

// Checks the options of a seat and completes them. Throws OptionsError.
Seating seating(const Options& options);

// Checks the options of an attendance and completes them. Throws OptionsError.
Seating queueing(const Options& options);

}  // namespace bridgemaster
