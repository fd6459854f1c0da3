#include "refusals.h"

#include <optional>

#include "bridgemaster/v1/refusal.pb.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "text.h"

namespace bridgemaster {
namespace {

constexpr const char* domain = "bridgemaster";
constexpr std::string_view prefix = "REFUSAL_REASON_";

// Returns whether a code is that of a temporary failure, for a reason that only newer servers use.
bool is_retryable(grpc::StatusCode code) {
    switch (code) {
        case grpc::StatusCode::UNAVAILABLE:
        case grpc::StatusCode::UNKNOWN:
        case grpc::StatusCode::INTERNAL:
        case grpc::StatusCode::CANCELLED:
        case grpc::StatusCode::ABORTED:
        case grpc::StatusCode::DEADLINE_EXCEEDED:
        case grpc::StatusCode::RESOURCE_EXHAUSTED:
            return true;
        default:
            return false;
    }
}

// Reads the reason from the details of a status.
std::optional<google::rpc::ErrorInfo> error_info(const grpc::Status& failure) {
    google::rpc::Status status;
    if (!status.ParseFromString(failure.error_details())) {
        return std::nullopt;
    }
    for (const auto& detail : status.details()) {
        google::rpc::ErrorInfo info;
        if (detail.UnpackTo(&info) && info.domain() == domain) {
            return info;
        }
    }
    return std::nullopt;
}

const char* text_of(Advice advice) {
    switch (advice) {
        case Advice::retry:
            return "try again later";
        case Advice::fix:
            return "fix the bot or its options";
        case Advice::stop:
            return "nothing is left to play";
    }
    return "";
}

}  // namespace

void throw_for(const grpc::Status& failure) {
    const auto info = error_info(failure);
    const std::string& message = failure.error_message();
    if (!info) {
        // The status comes from the transport or from an intermediary, such as a proxy.
        const char* origin =
            is_retryable(failure.error_code())
                ? ""
                : " (not an answer of a Bridgemaster server; check the address and proxies)";
        const std::string code = std::to_string(failure.error_code());
        throw StreamLost{escape("gRPC status " + code + ": " + message + origin), ""};
    }
    const Advice advice = advice_for(info->reason(), failure.error_code());
    if (advice == Advice::retry) {
        throw StreamLost{escape(info->reason() + ": " + message), info->reason()};
    }
    const auto& metadata = info->metadata();
    throw RefusedError(info->reason(), message, {metadata.begin(), metadata.end()}, advice);
}

Advice advice_for(const std::string& reason, grpc::StatusCode code) {
    const auto* value = v1::RefusalReason_descriptor()->FindValueByName(std::string(prefix) + reason);
    if (value == nullptr) {
        // Only newer servers use this reason.
        return is_retryable(code) ? Advice::retry : Advice::fix;
    }
    switch (value->options().GetExtension(v1::advice)) {
        case v1::REFUSAL_ADVICE_RETRY:
            return Advice::retry;
        case v1::REFUSAL_ADVICE_STOP:
            return Advice::stop;
        default:
            return Advice::fix;
    }
}

std::string reason_name(v1::RefusalReason reason) {
    const std::string& name = v1::RefusalReason_Name(reason);
    return name.empty() ? "reason " + std::to_string(reason) : name.substr(prefix.size());
}

std::string rejection_text(const v1::DecisionRejected& rejected) {
    return reason_name(rejected.reason()) + " at \"" + rejected.field() + "\": " + rejected.detail();
}

PlayError::PlayError(const std::string& message, Advice advice, std::string reason)
    : std::runtime_error(escape(message)), advice_(advice), reason_(std::move(reason)) {}

RefusedError::RefusedError(const std::string& reason, const std::string& message,
                           std::map<std::string, std::string> metadata, Advice advice)
    : PlayError("the server refused: " + reason + ": " + message + " (" + text_of(advice) + ")",
                advice, reason),
      metadata_(std::move(metadata)) {}

BrokenSeedCommitmentError::BrokenSeedCommitmentError(const std::string& commitment,
                                                     v1::MatchEnded ended)
    : PlayError("the revealed seed does not match the commitment: commitment \"" + commitment +
                    "\", seed \"" + ended.seed() + "\", salt \"" + ended.seed_salt() + "\"",
                Advice::stop),
      ended_(std::move(ended)) {}

NoLegalDecisionError::NoLegalDecisionError(int times, v1::DecisionRejected last)
    : PlayError("the server refused " + std::to_string(times) + " decisions for request " +
                    std::to_string(last.request_id()) + "; the last: " + rejection_text(last),
                Advice::fix, reason_name(last.reason())),
      last_(std::move(last)) {}

}  // namespace bridgemaster
