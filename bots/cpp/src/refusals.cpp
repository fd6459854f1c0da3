#include "refusals.h"

#include <array>
#include <optional>
#include <unordered_map>

#include "bridgemaster/v1/refusal.pb.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "text.h"

namespace bridgemaster {
namespace {

constexpr const char* domain = "bridgemaster";
constexpr std::string_view prefix = "REFUSAL_REASON_";
// The refusal of what another server has; its metadata names that.
constexpr const char* moved = "MOVED";
constexpr const char* moved_to = "address";

// The reasons that PROTOCOL.md marks with retry or stop; all others it marks with fix.
const std::unordered_map<std::string, Advice>& advices() {
    static const std::unordered_map<std::string, Advice> all{
        {"HELLO_LATE", Advice::retry},
        {"SLOW_CONSUMER", Advice::retry},
        {"LIMIT_REACHED", Advice::retry},
        {"SERVER_STOPPING", Advice::retry},
        {"STORAGE_FAILED", Advice::retry},
        {"MATCH_RUNNING", Advice::retry},
        {"GROUP_RUNNING", Advice::retry},
        {moved, Advice::retry},
        {"NODE_SUPERSEDED", Advice::retry},
        {"ATTENDANCE_UNKNOWN", Advice::retry},
        {"KEYS_UNREADABLE", Advice::retry},
        {"BOT_NOT_AVAILABLE", Advice::retry},
        {"SUPERSEDED", Advice::stop},
        {"SEAT_CLOSED", Advice::stop},
        {"MATCH_CANCELLED", Advice::stop},
        {"MATCH_ENDED", Advice::stop},
        {"OFFER_UNKNOWN", Advice::stop},
        {"LADDER_CLOSED", Advice::stop},
        {"REPLAY_FORGOTTEN", Advice::stop},
        {"DATA_DAMAGED", Advice::stop},
    };
    return all;
}

// What a broken connection looks like, for a status without a reason that is known here.
bool is_to_retry(grpc::StatusCode code) {
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

// The reason in the details of a status.
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

void throw_failure(const grpc::Status& failure) {
    const auto info = error_info(failure);
    const std::string& message = failure.error_message();
    if (!info) {
        const std::string text =
            "status " + std::to_string(failure.error_code()) + " of gRPC: " + message;
        if (is_to_retry(failure.error_code())) {
            throw StreamLost{shown(text), ""};
        }
        throw ProtocolError("the call failed; is this a Bridgemaster server? " + text);
    }
    const Advice advice = advice_of(info->reason(), failure.error_code());
    const auto& metadata = info->metadata();
    if (advice == Advice::retry) {
        StreamLost lost{shown(info->reason() + ": " + message), info->reason()};
        const auto address = metadata.find(moved_to);
        if (lost.reason == moved && address != metadata.end()) {
            lost.moved_to = address->second;
        }
        throw lost;
    }
    throw RefusedError(info->reason(), message, {metadata.begin(), metadata.end()}, advice);
}

Advice advice_of(const std::string& reason, grpc::StatusCode code) {
    v1::RefusalReason known{};
    if (!v1::RefusalReason_Parse(std::string(prefix) + reason, &known)) {
        // A reason of a newer server.
        return is_to_retry(code) ? Advice::retry : Advice::fix;
    }
    const auto found = advices().find(reason);
    return found == advices().end() ? Advice::fix : found->second;
}

std::string reason_name(v1::RefusalReason reason) {
    const std::string& name = v1::RefusalReason_Name(reason);
    return name.empty() ? "reason " + std::to_string(reason) : name.substr(prefix.size());
}

std::string explanation(const v1::DecisionRejected& rejected) {
    return reason_name(rejected.reason()) + " at \"" + rejected.field() + "\": " + rejected.detail();
}

PlayError::PlayError(const std::string& message, Advice advice, std::string reason)
    : std::runtime_error(shown(message)), advice_(advice), reason_(std::move(reason)) {}

RefusedError::RefusedError(const std::string& reason, const std::string& message,
                           std::map<std::string, std::string> metadata, Advice advice)
    : PlayError("the server refused: " + reason + ": " + message + " (" + text_of(advice) + ")",
                advice, reason),
      metadata_(std::move(metadata)) {}

BrokenSeedCommitmentError::BrokenSeedCommitmentError(const std::string& commitment,
                                                     v1::MatchEnded ended)
    : PlayError("the server played another seed than it had committed to: the commitment was " +
                    commitment + ", the seed revealed is \"" + ended.seed() + "\" with the salt \"" +
                    ended.seed_salt() + "\"",
                Advice::stop),
      ended_(std::move(ended)) {}

NoLegalDecisionError::NoLegalDecisionError(int times, v1::DecisionRejected last)
    : PlayError("request " + std::to_string(last.request_id()) + " was answered " +
                    std::to_string(times) +
                    " times with a decision that was refused; at last: " + explanation(last),
                Advice::fix, reason_name(last.reason())),
      last_(std::move(last)) {}

}  // namespace bridgemaster
