#include "bridgemaster/bot.h"

#include <algorithm>
#include <stdexcept>

namespace bridgemaster {

using std::chrono::milliseconds;

milliseconds Request::used() const {
    return std::chrono::duration_cast<milliseconds>(Clock::now() - received_);
}

milliseconds Request::decision_left() const {
    return std::max(milliseconds(0), milliseconds(message_.clock().decision_left_ms()) - used());
}

milliseconds Request::bank_left() const {
    return std::max(milliseconds(0), milliseconds(message_.clock().bank_left_ms()) - used());
}

Choice Choice::index(std::uint32_t index) {
    return Choice(index);
}

Choice Choice::full(const google::protobuf::Message& decision) {
    v1::GameDecision full;
    if (decision.GetDescriptor() == full.GetDescriptor()) {
        full.CopyFrom(decision);
        return Choice(std::move(full));
    }
    // As the protocol carries it: in the entry of its game.
    const auto* entries = full.GetDescriptor();
    for (int at = 0; at < entries->field_count(); ++at) {
        const auto* entry = entries->field(at);
        if (entry->message_type() == decision.GetDescriptor()) {
            full.GetReflection()->MutableMessage(&full, entry)->CopyFrom(decision);
            return Choice(std::move(full));
        }
    }
    throw std::invalid_argument(decision.GetDescriptor()->full_name() + " is no decision");
}

Choice Choice::resign() {
    return Choice(Resign{});
}

Choice Choice::with_note(std::string note) && {
    note_ = std::move(note);
    return std::move(*this);
}

v1::PlayRequest Choice::message(std::uint32_t request_id) const {
    v1::PlayRequest request;
    if (std::holds_alternative<Resign>(kind_)) {
        request.mutable_resign();
        return request;
    }
    v1::Decision& decision = *request.mutable_decision();
    decision.set_request_id(request_id);
    decision.set_note(note_);
    if (const auto* full = std::get_if<v1::GameDecision>(&kind_)) {
        *decision.mutable_decision() = *full;
    } else {
        decision.set_index(std::get<std::uint32_t>(kind_));
    }
    return request;
}

}  // namespace bridgemaster
