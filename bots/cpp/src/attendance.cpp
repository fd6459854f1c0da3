#include "attendance.h"

#include <condition_variable>

#include "bridgemaster/v1/lobby_service.grpc.pb.h"
#include "seat.h"

namespace bridgemaster {
namespace {

// Number of recent offer ids stored for deduplication: far more than the slots of a bot.
constexpr std::size_t max_recent_offers = 1024;
// Refusal reason of a queue that does not exist, or is not open yet.
constexpr const char* queue_unknown = "QUEUE_UNKNOWN";
// Reason that the server receives with an offer for which no slot became free.
constexpr const char* slots_busy =
    "all slots are busy: the bot still computes for matches that have ended";
// Time limit of a call that reports busy slots.
constexpr std::chrono::seconds report_timeout{10};

}  // namespace

Attendance::Attendance(const MakeBot& make_bot, const Options& options)
    : make_bot_(make_bot),
      options_(options),
      resolved_(resolve_attend_options(options)),
      route_(resolved_.servers),
      slots_(resolved_.options.slots),
      checking_([this](const std::stop_token& stopped) { check_slots(stopped); }) {}

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
    slots_.set_used_at_server(std::nullopt);
    route_.check_tls(lost, attended_);
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
    request.set_client_instance_id(client_instance_id_);
    request.set_stream_number(++stream_number_);
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
            {
                const std::lock_guard lock(mutex_);
                report_to_ = route_.server();
                id_ = message.attendance().attendance_id();
            }
            slots_.set_used_at_server(static_cast<int>(message.attendance().slots_used()),
                                      static_cast<int>(message.attendance().busy_slots()));
            if (!message.attendance().detail().empty()) {
                resolved_.log("attending: " + message.attendance().detail());
            }
            break;
        case v1::AttendResponse::kOfferWithdrawn:
            slots_.withdraw(message.offer_withdrawn().offer_id());
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
    if (!slots_.take(offer)) {
        return;
    }
    std::erase_if(matches_, [](Match& match) {
        const bool is_over = match.is_over;
        if (is_over) {
            match.thread.join();
        }
        return is_over;
    });
    Match& match = matches_.emplace_back();
    match.thread = std::thread([this, &match, first = offer] {
        for (std::optional<v1::Offer> next = first; next; next = slots_.release()) {
            play(*next);
        }
        match.is_over = true;
    });
}

// Plays the match of an offer. Returns once the last method of the bot has returned.
void Attendance::play(const v1::Offer& offer) const {
    const std::string& match_id = offer.match_id();
    try {
        Options options = options_;
        options.ticket = offer.ticket();
        const auto bot = make_bot_();
        Seat(*bot, resolve_options(options)).play();
    } catch (const PlayError& error) {
        resolved_.log("match " + match_id + " failed: " + error.what());
    } catch (const std::exception& error) {
        resolved_.log("the bot failed in match " + match_id + ": " + error.what());
    } catch (...) {
        resolved_.log("the bot failed in match " + match_id);
    }
}

// Reports busy slots to the server, and declines offers for which no slot became free.
void Attendance::check_slots(const std::stop_token& stopped) {
    std::mutex mutex;
    std::condition_variable_any wait;
    std::unique_lock lock(mutex);
    while (!stopped.stop_requested()) {
        wait.wait_for(lock, stopped, Slots::check_interval, [] { return false; });
        if (!stopped.stop_requested()) {
            report(slots_.check());
        }
    }
}

void Attendance::report(const Slots::Check& check) {
    std::optional<Server> server;
    v1::UpdateAttendanceRequest update;
    {
        const std::lock_guard lock(mutex_);
        server = report_to_;
        update.set_attendance_id(id_);
    }
    if (!server || (!check.busy && check.overdue.empty())) {
        return;
    }
    const auto stub = v1::LobbyService::NewStub(server->connect());
    const auto log_failure = [this](const grpc::Status& status) {
        if (!status.ok()) {
            resolved_.log("cannot report busy slots: " + status.error_message());
        }
    };
    if (check.busy) {
        if (*check.busy > 0) {
            resolved_.log(std::to_string(*check.busy) +
                          " slots are busy: the bot still computes for finished matches");
        }
        update.set_busy_slots(static_cast<std::uint32_t>(*check.busy));
        v1::UpdateAttendanceResponse response;
        grpc::ClientContext context;
        resolved_.prepare(context);
        context.set_deadline(std::chrono::system_clock::now() + report_timeout);
        log_failure(stub->UpdateAttendance(&context, update, &response));
    }
    for (const auto& offer : check.overdue) {
        if (!slots_.withdraw(offer.offer_id())) {
            continue;
        }
        resolved_.log("offer " + offer.offer_id() + " declined: " + slots_busy);
        v1::DeclineOfferRequest decline;
        decline.set_offer_id(offer.offer_id());
        decline.set_reason(slots_busy);
        v1::DeclineOfferResponse response;
        grpc::ClientContext context;
        resolved_.prepare(context);
        context.set_deadline(std::chrono::system_clock::now() + report_timeout);
        log_failure(stub->DeclineOffer(&context, decline, &response));
    }
}

}  // namespace bridgemaster
