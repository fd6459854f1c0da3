// A bot that plays every game.

#include <bridgemaster/bridgemaster.h>

#include <memory>

// Takes the legal decision in the middle of the list.
struct MyBot : bridgemaster::Bot {
    // Answers a request: with a position in the list of legal decisions, or with a decision in
    // full.
    //
    // The request has all that there is to know. request.game() has what this seat sees and may do,
    // in the entry of the game: alhambra().observation(). decision_left and bank_left tell the time
    // that is left.
    bridgemaster::Choice decide(const bridgemaster::Request& request) override {
        return bridgemaster::Choice::index(request.legal_count() / 2);
    }
};

int main() {
    // Each match gets a bot of its own.
    return bridgemaster::run_each([] { return std::make_unique<MyBot>(); },
                                  {.name = "my-bot", .version = "0.1"});
}
