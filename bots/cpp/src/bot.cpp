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

Choice Choice::decision(const google::protobuf::Message& decision) {
    v1::GameDecision game_decision;
    if (decision.GetDescriptor() == game_decision.GetDescriptor()) {
        game_decision.CopyFrom(decision);
        return Choice(std::move(game_decision));
    }
    // Wrap the decision in the field of its game.
    const auto* descriptor = game_decision.GetDescriptor();
    for (int index = 0; index < descriptor->field_count(); ++index) {
        const auto* field = descriptor->field(index);
        if (field->message_type() == decision.GetDescriptor()) {
            const auto* reflection = game_decision.GetReflection();
            reflection->MutableMessage(&game_decision, field)->CopyFrom(decision);
            return Choice(std::move(game_decision));
        }
    }
    throw std::invalid_argument(decision.GetDescriptor()->full_name() + " is not a decision");
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
    if (const auto* game_decision = std::get_if<v1::GameDecision>(&kind_)) {
        *decision.mutable_decision() = *game_decision;
    } else {
        decision.set_index(std::get<std::uint32_t>(kind_));
    }
    return request;
}

}  // namespace bridgemaster
