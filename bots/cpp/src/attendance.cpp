#include "attendance.h"

#include "bridgemaster/v1/lobby_service.grpc.pb.h"
#include "seat.h"
#include "text.h"

namespace bridgemaster {
namespace {

// Number of recent offer ids stored for deduplication: far more than the slots of a bot.
constexpr std::size_t max_recent_offers = 1024;
// Refusal reason of a queue that does not exist, or is not open yet.
constexpr const char* queue_unknown = "QUEUE_UNKNOWN";

}  // namespace

Attendance::Attendance(const MakeBot& make_bot, const Options& options)
    : make_bot_(make_bot),
      options_(options),
      resolved_(resolve_attend_options(options)),
      route_(resolved_.servers) {}

Attendance::~Attendance() {
    for (auto& match : matches_) {
        match.thread.join();
    }
}

void Attendance::attend() {
    Backoff backoff(resolved_.connect_for);
    while (true) {
        progressed_ = false;
        try {
            attend_on_one_stream();
            return;
        } catch (const StreamLost& lost) {
            pause(backoff, lost);
        } catch (const RefusedError& refused) {
            // A contest opens its queue shortly after it starts or resumes.
            if (refused.reason() != queue_unknown) {
                throw;
            }
            pause(backoff, {refused.what(), refused.reason()});
        }
    }
}

void Attendance::pause(Backoff& backoff, const StreamLost& lost) {
    const Options& options = resolved_.options;
    if (progressed_) {
        backoff.restart(resolved_.reconnect_for, true);
    }
    const std::string address = route_.server().address;
    route_.advance();
    const auto pause = backoff.next_pause();
    if (!pause) {
        const std::string what =
            attended_ ? "lost the stream to " + address + " and could not resume it within " +
                            in_seconds(resolved_.reconnect_for)
                      : "queue " + options.queue + " at " + address +
                            " could not be attended within " + in_seconds(resolved_.connect_for);
        throw ServerLostError(what + ": " + lost.message, lost.reason);
    }
    if (attended_) {
        resolved_.log("attendance lost: " + lost.message + "; retrying");
    }
    std::this_thread::sleep_for(*pause);
}

void Attendance::attend_on_one_stream() {
    const Options& options = resolved_.options;
    const auto stub = v1::LobbyService::NewStub(route_.server().connect());
    grpc::ClientContext context;
    resolved_.prepare(context);
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
        receive(message);
        message.Clear();
    }
    const grpc::Status status = call->Finish();
    if (!status.ok()) {
        throw_for(status);
    }
}

void Attendance::receive(const v1::AttendResponse& message) {
    switch (message.message_case()) {
        case v1::AttendResponse::kOffer:
            accept(message.offer());
            break;
        case v1::AttendResponse::kAttendance:
            if (!message.attendance().detail().empty()) {
                resolved_.log("attending: " + message.attendance().detail());
            }
            break;
        case v1::AttendResponse::kOfferWithdrawn:
            resolved_.log("offer withdrawn: " + message.offer_withdrawn().detail());
            break;
        default:
            // A message kind that only newer servers send.
            break;
    }
}

// Starts the match of an offer, unless the offer is a repetition.
void Attendance::accept(const v1::Offer& offer) {
    if (!recent_offers_.insert(offer.offer_id()).second) {
        return;
    }
    offers_.push_back(offer.offer_id());
    if (offers_.size() > max_recent_offers) {
        recent_offers_.erase(offers_.front());
        offers_.pop_front();
    }
    Options options = options_;
    options.ticket = offer.ticket();
    ResolvedOptions seat = resolve_options(options);
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

void Attendance::play(const ResolvedOptions& options, const std::string& match_id) const {
    try {
        const auto bot = make_bot_();
        Seat(*bot, options).play();
    } catch (const PlayError& error) {
        options.log("match " + match_id + " failed: " + error.what());
    } catch (const std::exception& error) {
        options.log("the bot failed in match " + match_id + ": " + error.what());
    } catch (...) {
        options.log("the bot failed in match " + match_id);
    }
}

}  // namespace bridgemaster
