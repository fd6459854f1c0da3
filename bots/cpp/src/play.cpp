#include <iostream>

#include "attendance.h"
#include "bridgemaster/bridgemaster.h"
#include "seat.h"
#include "text.h"

namespace bridgemaster {
namespace {

int failed(const Options& options, const PlayError& error) {
    std::cerr << shown(options.name) + ": error: " + error.what() + "\n";
    return EXIT_FAILURE;
}

}  // namespace

v1::MatchResult play(Bot& bot, const Options& options) {
    return Seat(bot, seating(options)).play();
}

void attend(const MakeBot& make_bot, const Options& options) {
    Attendance(make_bot, options).attend();
}

int run(Bot& bot, const Options& options) {
    try {
        const v1::MatchResult result = play(bot, options);
        std::string line = shown(options.name) + ": match " + shown(result.match_id()) + " is over";
        const char* between = "; ";
        for (const auto& seat : result.seats()) {
            line += between + ("seat " + std::to_string(seat.seat())) + ": place " +
                    std::to_string(seat.place()) + " with " + std::to_string(seat.score());
            between = ", ";
        }
        std::cout << line + "\n";
        return EXIT_SUCCESS;
    } catch (const PlayError& error) {
        return failed(options, error);
    }
}

int run_each(const MakeBot& make_bot, const Options& options) {
    if (!attends(options)) {
        const auto bot = make_bot();
        return run(*bot, options);
    }
    try {
        attend(make_bot, options);
        std::cout << shown(options.name) + ": the queue is left\n";
        return EXIT_SUCCESS;
    } catch (const PlayError& error) {
        return failed(options, error);
    }
}

}  // namespace bridgemaster
