// The refusals of PROTOCOL.md, and what to do about them.

#pragma once

#include <grpcpp/support/status.h>

#include <string>

#include "bridgemaster/errors.h"

namespace bridgemaster {

// A stream ended before the match did; another one may carry on.
struct StreamLost {
    std::string message;
    // That of the refusal; empty without one.
    std::string reason;
    // Where the server sends the caller, as HOST:PORT; empty when it does not.
    std::string moved_to{};
};

// Throws what a failure of gRPC means: StreamLost when trying again may help, else a PlayError.
[[noreturn]] void throw_failure(const grpc::Status& failure);

Advice advice_of(const std::string& reason, grpc::StatusCode code);

// The name of a reason, or its number if a newer server sent it.
std::string reason_name(v1::RefusalReason reason);

// Why a decision was refused, for people.
std::string explanation(const v1::DecisionRejected& rejected);

}  // namespace bridgemaster
