// The refusals of docs/reference/refusals.md, and advice on how to handle them.

#pragma once

#include <grpcpp/support/status.h>

#include <string>

#include "bridgemaster/errors.h"

namespace bridgemaster {

// A stream ended before the match did; a retry might help.
struct StreamLost {
    std::string message;
    // The reason of the refusal; empty if there was none.
    std::string reason;
};

// Throws the exception for a gRPC failure: StreamLost if a retry might help, otherwise a PlayError.
[[noreturn]] void throw_for(const grpc::Status& failure);

Advice advice_for(const std::string& reason, grpc::StatusCode code);

// Returns the name of a reason, or its number if only newer servers use it.
std::string reason_name(v1::RefusalReason reason);

// Returns the reason for a refused decision, as one line for people.
std::string rejection_text(const v1::DecisionRejected& rejected);

}  // namespace bridgemaster
