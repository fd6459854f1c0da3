#include <iostream>

#include "attendance.h"
#include "bridgemaster/bridgemaster.h"
#include "seat.h"
#include "text.h"

namespace bridgemaster {
namespace {

int fail(const Options& options, const PlayError& error) {
    std::cerr << escape(options.name) + ": error: " + error.what() + "\n";
    return EXIT_FAILURE;
}

}  // namespace

v1::MatchResult play(Bot& bot, const Options& options) {
    return Seat(bot, resolve_options(options)).play();
}

void attend(const MakeBot& make_bot, const Options& options) {
    Attendance(make_bot, options).attend();
}

int run(Bot& bot, const Options& options) {
    try {
        const v1::MatchResult result = play(bot, options);
        std::string line =
            escape(options.name) + ": match " + escape(result.match_id()) + " is over";
        const char* separator = "; ";
        for (const auto& seat : result.seats()) {
            line += separator + ("seat " + std::to_string(seat.seat())) + ": place " +
                    std::to_string(seat.place()) + " with " + std::to_string(seat.score());
            separator = ", ";
        }
        std::cout << line + "\n";
        return EXIT_SUCCESS;
    } catch (const PlayError& error) {
        return fail(options, error);
    }
}

int run_each(const MakeBot& make_bot, const Options& options) {
    if (!should_attend(options)) {
        const auto bot = make_bot();
        return run(*bot, options);
    }
    try {
        attend(make_bot, options);
        std::cout << escape(options.name) + ": left the queue\n";
        return EXIT_SUCCESS;
    } catch (const PlayError& error) {
        return fail(options, error);
    }
}

}  // namespace bridgemaster
