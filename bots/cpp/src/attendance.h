// Attendance of the queue of a contest or a ladder.

#pragma once

#include <atomic>
#include <deque>
#include <list>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <unordered_set>

#include "backoff.h"
#include "bridgemaster/v1/lobby_service.pb.h"
#include "refusals.h"
#include "resolved_options.h"
#include "route.h"
#include "slots.h"
#include "text.h"

namespace bridgemaster {

// Plays the matches that a queue offers, each with its own bot and thread.
class Attendance {
public:
    Attendance(const MakeBot& make_bot, const Options& options);
    // Waits for the matches in progress.
    ~Attendance();
    Attendance(const Attendance&) = delete;
    Attendance& operator=(const Attendance&) = delete;

    // Returns once the queue is closed or left.
    void attend();

private:
    struct Match {
        std::atomic<bool> is_over = false;
        std::thread thread{};
    };

    void attend_on_one_stream();
    void pause(Backoff& backoff, const StreamLost& lost);
    void receive(const v1::AttendResponse& message);
    void accept(const v1::Offer& offer);
    void play(const v1::Offer& offer) const;
    void check_slots(const std::stop_token& stopped);
    void report(const Slots::Check& check);

    const MakeBot& make_bot_;
    Options options_;
    ResolvedOptions resolved_;
    Route route_;
    // The ids of the recent offers, oldest first, and as a set.
    std::deque<std::string> offers_;
    std::unordered_set<std::string> recent_offers_;
    // With the number of a stream, lets the server ignore a request that arrives late.
    const std::string client_instance_id_ = random_id();
    // The number of the last stream.
    std::uint32_t stream_number_ = 0;
    Slots slots_;
    std::list<Match> matches_;
    // Protects the server of the current stream, and the id of its attendance.
    std::mutex mutex_;
    std::optional<Server> report_to_;
    std::string id_;
    // True once any stream has received a message.
    bool attended_ = false;
    // True once the current stream has received a message.
    bool progressed_ = false;
    // The last member, so that it is stopped before the members that it uses are destroyed.
    std::jthread checking_;
};

}  // namespace bridgemaster
