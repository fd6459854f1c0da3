// A bot that plays every game.

#include <bridgemaster/bridgemaster.h>

#include <memory>

// Chooses the legal decision in the middle of the list.
struct MyBot : bridgemaster::Bot {
    // Returns the index of a legal decision, or a complete decision.
    //
    // request.game() has the observation and the legal decisions of this seat in the field of the
    // game, such as alhambra().observation(). decision_left and bank_left return the remaining time.
    bridgemaster::Choice decide(const bridgemaster::Request& request) override {
        return bridgemaster::Choice::index(request.legal_count() / 2);
    }
};

int main() {
    // Each match has its own instance of the bot.
    return bridgemaster::run_each([] { return std::make_unique<MyBot>(); },
                                  {.name = "my-bot", .version = "0.1"});
}
