#include "attendance.h"

#include "bridgemaster/v1/lobby_service.grpc.pb.h"
#include "seat.h"
#include "text.h"

namespace bridgemaster {
namespace {

// Offers that are known when they come again: those of all slots, many times over.
constexpr std::size_t remembered_offers = 1024;
// The refusal while the queue is not opened yet.
constexpr const char* queue_unknown = "QUEUE_UNKNOWN";

}  // namespace

Attendance::Attendance(const MakeBot& make_bot, const Options& options)
    : make_bot_(make_bot),
      options_(options),
      queueing_(queueing(options)),
      route_(queueing_.places) {}

Attendance::~Attendance() {
    for (auto& match : matches_) {
        match.thread.join();
    }
}

void Attendance::attend() {
    Backoff backoff(queueing_.connect_for);
    while (true) {
        progressed_ = false;
        try {
            attend_on_one_stream();
            return;
        } catch (const StreamLost& lost) {
            pause(backoff, lost);
        } catch (const RefusedError& refused) {
            // A contest that begins or goes on opens it in a moment.
            if (refused.reason() != queue_unknown) {
                throw;
            }
            pause(backoff, {refused.what(), refused.reason()});
        }
    }
}

void Attendance::pause(Backoff& backoff, const StreamLost& lost) {
    const Options& options = queueing_.options;
    if (progressed_) {
        backoff.restart(queueing_.reconnect_for, true);
    }
    const std::string server = route_.place().server;
    const bool at_once = route_.go_on(lost.moved_to);
    const auto span = backoff.next_pause();
    if (!span) {
        const std::string how =
            attended_ ? server + " was lost and did not come back within " +
                            in_seconds(queueing_.reconnect_for)
                      : "queue " + options.queue + " of " + server +
                            " could not be attended within " + in_seconds(queueing_.connect_for);
        throw ServerLostError(how + ": " + lost.message, lost.reason);
    }
    if (at_once) {
        return;
    }
    if (attended_) {
        queueing_.log("no attendance: " + lost.message);
    }
    std::this_thread::sleep_for(*span);
}

void Attendance::attend_on_one_stream() {
    const Options& options = queueing_.options;
    const auto stub = v1::LobbyService::NewStub(route_.place().connect());
    grpc::ClientContext context;
    queueing_.prepare(context);
    v1::AttendRequest request;
    request.set_queue_id(options.queue);
    request.set_bot_name(options.name);
    request.set_bot_version(options.version);
    request.set_slots(static_cast<std::uint32_t>(options.slots));
    request.set_protocol_revision(protocol_revision);
    const auto call = stub->Attend(&context, request);
    v1::AttendResponse message;
    while (call->Read(&message)) {
        attended_ = progressed_ = true;
        route_.arrived();
        receive(message);
        message.Clear();
    }
    const grpc::Status status = call->Finish();
    if (!status.ok()) {
        throw_failure(status);
    }
}

void Attendance::receive(const v1::AttendResponse& message) {
    switch (message.message_case()) {
        case v1::AttendResponse::kOffer:
            take(message.offer());
            break;
        case v1::AttendResponse::kAttendance:
            if (!message.attendance().detail().empty()) {
                queueing_.log("attending: " + message.attendance().detail());
            }
            break;
        case v1::AttendResponse::kOfferWithdrawn:
            queueing_.log("an offer holds no more: " + message.offer_withdrawn().detail());
            break;
        default:
            // A kind of a newer server.
            break;
    }
}

// Starts the match of an offer, unless it is known.
void Attendance::take(const v1::Offer& offer) {
    if (!known_offers_.insert(offer.offer_id()).second) {
        return;
    }
    offers_.push_back(offer.offer_id());
    if (offers_.size() > remembered_offers) {
        known_offers_.erase(offers_.front());
        offers_.pop_front();
    }
    Options options = options_;
    options.ticket = offer.ticket();
    if (const auto place = route_.place().at(offer.address())) {
        options.server = place->server;
    }
    Seating seat = seating(options);
    std::erase_if(matches_, [](Match& match) {
        const bool is_over = match.is_over;
        if (is_over) {
            match.thread.join();
        }
        return is_over;
    });
    Match& match = matches_.emplace_back();
    match.thread = std::thread([this, &match, seat = std::move(seat), id = offer.match_id()] {
        play(seat, id);
        match.is_over = true;
    });
}

void Attendance::play(const Seating& seating, const std::string& match_id) const {
    try {
        const auto bot = make_bot_();
        Seat(*bot, seating).play();
    } catch (const PlayError& error) {
        seating.log("match " + match_id + " was not played to its end: " + error.what());
    } catch (const std::exception& error) {
        seating.log("the bot failed in match " + match_id + ": " + error.what());
    } catch (...) {
        seating.log("the bot failed in match " + match_id);
    }
}

}  // namespace bridgemaster
