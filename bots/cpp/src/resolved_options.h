// Validated options, with all defaults filled in.

#pragma once

#include <grpcpp/client_context.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "bridgemaster/bridgemaster.h"
#include "server.h"

namespace bridgemaster {

// Completed options of a seat or an attendance, with the values derived from them.
struct ResolvedOptions {
    Options options;
    // The servers to try, in this order.
    std::vector<Server> servers;
    // Names and values of the metadata of a call: ticket and key.
    std::vector<std::pair<std::string, std::string>> metadata;
    // Times to keep trying the first connection, and to resume a lost stream.
    std::chrono::milliseconds connect_for;
    std::chrono::milliseconds reconnect_for;

    // Adds the metadata to a call.
    void prepare(grpc::ClientContext& context) const;
    void log(const std::string& line) const;
};

// Returns whether a bot attends a queue: a queue is named, and no ticket is set.
bool should_attend(const Options& options);

// Completes and validates the options of a seat. Throws OptionsError.
ResolvedOptions resolve_options(const Options& options);

// Completes and validates the options of an attendance. Throws OptionsError.
ResolvedOptions resolve_attend_options(const Options& options);

}  // namespace bridgemaster
