// Attends a queue of a contest or a ladder.

#pragma once

#include <atomic>
#include <deque>
#include <list>
#include <string>
#include <thread>
#include <unordered_set>

#include "backoff.h"
#include "bridgemaster/v1/lobby_service.pb.h"
#include "refusals.h"
#include "route.h"
#include "seating.h"

namespace bridgemaster {

// Plays the matches that a queue offers, each with a bot and a thread of its own.
class Attendance {
public:
    Attendance(const MakeBot& make_bot, const Options& options);
    // Waits for the matches in play.
    ~Attendance();
    Attendance(const Attendance&) = delete;
    Attendance& operator=(const Attendance&) = delete;

    // Attends until the queue is left or closed, over as many streams as it takes.
    void attend();

private:
    struct Match {
        std::atomic<bool> is_over = false;
        std::thread thread{};
    };

    void attend_on_one_stream();
    void pause(Backoff& backoff, const StreamLost& lost);
    void receive(const v1::AttendResponse& message);
    void take(const v1::Offer& offer);
    void play(const Seating& seating, const std::string& match_id) const;

    const MakeBot& make_bot_;
    Options options_;
    Seating queueing_;
    Route route_;
    // The offers that are known, the oldest first.
    std::deque<std::string> offers_;
    std::unordered_set<std::string> known_offers_;
    std::list<Match> matches_;
    // Whether a server ever answered, and whether one did on the newest stream.
    bool attended_ = false;
    bool progressed_ = false;
};

}  // namespace bridgemaster
