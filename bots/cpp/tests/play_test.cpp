// Playing a seat of a scripted server.

#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <future>
#include <mutex>

#include "bridgemaster/bridgemaster.h"
#include "conversation.h"
#include "scripted_server.h"

namespace bridgemaster {
namespace {

using google::protobuf::util::MessageDifferencer;
using scripted::decision_rejected;
using scripted::decision_request;
using scripted::match_ended;
using scripted::match_started;
using scripted::ping;
using scripted::refusal;

// A bot whose answers are controlled by the test; it records the calls of its methods.
struct Puppet : Bot {
    scripted::Queue<Choice> choices;
    scripted::Queue<bool> deciding;
    std::string calls;

    Choice decide(const Request&) override {
        calls += "decide ";
        deciding.put(true);
        return choices.get();
    }
    void match_started(const v1::MatchStarted&) override { calls += "started "; }
    void decision_rejected(const v1::DecisionRejected&) override { calls += "rejected "; }
    void match_ended(const v1::MatchResult&) override { calls += "ended "; }
};

// A match of a puppet on a scripted server.
struct Playing {
    scripted::Server server;
    Puppet bot;
    std::future<v1::MatchResult> result;

    Playing() {
        Options options{.name = "puppet", .version = "1.0", .games = {"old_london_bridge"}};
        options.server = server.url();
        options.ticket = "ticket-7";
        options.key = "bmk_k_7";
        options.log = [](const std::string&) {};
        result = std::async(std::launch::async, [this, options] { return play(bot, options); });
    }

    void expect_result(const std::string& calls) {
        EXPECT_EQ(result.get().decisions(), 99U);
        EXPECT_EQ(bot.calls, calls);
    }

    // Returns the error that play throws, which must be of this type.
    template <typename Error>
    Error expect_error() {
        try {
            result.get();
        } catch (const Error& error) {
            return error;
        }
        throw std::runtime_error("play did not fail");
    }
};

// A bot that computes until its request is cancelled.
struct Ponderer : Bot {
    Choice decide(const Request& request) override {
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any wait;
        wait.wait(lock, request.cancelled(), [] { return false; });
        throw std::runtime_error("an exception after the cancellation is ignored");
    }
};

TEST(Play, ARequestIsCancelledByTheNextOneAndByTheEndOfTheMatch) {
    scripted::Server server;
    Options options{.name = "ponderer"};
    options.server = server.url();
    options.ticket = "t";
    auto result = std::async(std::launch::async, [options] {
        Ponderer bot;
        return play(bot, options);
    });
    const auto stream = server.welcomed_stream();
    stream->send(decision_request(1, 1));
    stream->send(decision_request(2, 2));
    stream->finish(3);
    EXPECT_EQ(result.get().decisions(), 99U);
}

TEST(Play, AWholeMatchReachesTheBotAndItsAnswersTheServer) {
    Playing match;
    const auto stream = match.server.welcomed_stream();
    EXPECT_EQ(stream->metadata.find("authorization")->second, "Bearer ticket-7");
    EXPECT_EQ(stream->metadata.find("x-bridgemaster-key")->second, "bmk_k_7");
    v1::Hello hello;
    hello.set_protocol_revision(1);
    hello.set_bot_name("puppet");
    hello.set_bot_version("1.0");
    hello.add_games("old_london_bridge");
    hello.set_client_instance_id(stream->hello.client_instance_id());
    hello.set_stream_number(1);
    EXPECT_TRUE(MessageDifferencer::Equals(stream->hello, hello));
    stream->send(match_started(1));
    match.bot.choices.put(Choice::index(5));
    stream->send(decision_request(2, 1));
    stream->expect_decision(1, 5);
    stream->finish(3);
    match.expect_result("started decide ended ");
}

TEST(Play, ADecisionOfAGameIsWrappedAndSentWithItsNote) {
    Playing match;
    const auto stream = match.server.welcomed_stream();
    games::old_london_bridge::v1::Decision decision;
    decision.mutable_take_tile()->set_bonus_stack(2);
    match.bot.choices.put(Choice::decision(decision).with_note("full"));
    stream->send(decision_request(1, 1));
    v1::Decision expected;
    expected.set_request_id(1);
    *expected.mutable_decision()->mutable_old_london_bridge() = decision;
    expected.set_note("full");
    EXPECT_TRUE(MessageDifferencer::Equals(stream->receive().decision(), expected));
    stream->finish(2);
    match.expect_result("decide ended ");
    EXPECT_THROW(Choice::decision(expected), std::invalid_argument);
}

TEST(Play, APingIsAnsweredWhileTheBotThinks) {
    Playing match;
    const auto stream = match.server.welcomed_stream();
    stream->send(decision_request(1, 1));
    stream->send(ping(8));
    EXPECT_EQ(stream->receive().pong().nonce(), 8U);
    match.bot.choices.put(Choice::index(3));
    stream->expect_decision(1, 3);
    stream->finish(2);
    match.expect_result("decide ended ");
}

TEST(Play, ALostStreamIsResumedAndItsAnswerIsSentAgain) {
    Playing match;
    auto stream = match.server.welcomed_stream();
    match.bot.choices.put(Choice::index(4));
    stream->send(match_started(1));
    stream->send(decision_request(2, 1));
    stream->expect_decision(1, 4);
    stream->end.put(refusal(grpc::StatusCode::UNAVAILABLE, ""));

    stream = match.server.welcomed_stream();
    EXPECT_EQ(stream->hello.last_sequence(), 2U);
    EXPECT_EQ(stream->hello.history_id(), scripted::history_id);
    EXPECT_EQ(stream->hello.stream_number(), 2U);
    stream->expect_decision(1, 4);
    // A repeated request is ignored.
    stream->send(decision_request(2, 1));
    stream->finish(3);
    match.expect_result("started decide ended ");
}

TEST(Play, ABotThatIsNotResumedStartsOverWithoutItsUnsentAnswer) {
    Playing match;
    auto stream = match.server.welcomed_stream();
    stream->send(decision_request(1, 1));
    match.bot.deciding.get();
    stream->end.put(grpc::Status::OK);

    stream = match.server.welcomed_stream(false);
    // The same id, but a different request.
    stream->send(decision_request(1, 1));
    stream->send(ping(2));
    EXPECT_EQ(stream->receive().pong().nonce(), 2U);
    match.bot.choices.put(Choice::index(5));
    match.bot.choices.put(Choice::index(6));
    stream->expect_decision(1, 6);
    stream->finish(2);
    match.expect_result("decide decide ended ");
}

TEST(Play, PlayEndsIfTheBotFindsNoLegalDecision) {
    Playing match;
    const auto stream = match.server.welcomed_stream();
    stream->send(decision_request(1, 1));
    for (std::uint32_t refused = 0; refused < max_refused_answers; ++refused) {
        match.bot.choices.put(Choice::index(9));
        stream->expect_decision(1, 9);
        stream->send(decision_rejected(2 + refused, 1));
    }
    EXPECT_EQ(match.expect_error<NoLegalDecisionError>().reason(), "INDEX_OUT_OF_RANGE");
}

TEST(Play, APermanentRefusalEndsPlayWithItsReason) {
    const std::map<std::string, Advice> advices{{"TICKET_UNKNOWN", Advice::fix},
                                                {"KEY_REVOKED", Advice::fix},
                                                {"SEAT_CLOSED", Advice::stop}};
    for (const auto& [reason, advice] : advices) {
        Playing match;
        // The reason decides about a retry rather than the code.
        match.server.welcomed_stream()->end.put(refusal(grpc::StatusCode::UNAVAILABLE, reason));
        const auto error = match.expect_error<RefusedError>();
        EXPECT_EQ(error.reason(), reason);
        EXPECT_EQ(error.advice(), advice);
        EXPECT_EQ(error.metadata().at("hint"), "x");
        EXPECT_EQ(std::string(error.what()).find('\x1b'), std::string::npos);
    }
}

TEST(Play, ATemporaryRefusalIsRetried) {
    Playing match;
    for (const char* reason : {"SERVER_STOPPING", "A_REASON_OF_A_NEWER_SERVER"}) {
        match.server.stream()->end.put(refusal(grpc::StatusCode::UNAVAILABLE, reason));
    }
    match.server.welcomed_stream()->finish(1);
    match.expect_result("ended ");
}

TEST(Play, AServerThatStopsForGoodIsAbandonedWithItsReason) {
    scripted::Server server;
    auto stopping = std::async(std::launch::async, [&server] {
        server.stream()->end.put(refusal(grpc::StatusCode::UNAVAILABLE, "SERVER_STOPPING"));
    });
    Puppet bot;
    Options options{.name = "puppet"};
    options.server = server.url();
    options.ticket = "t";
    options.connect_for = std::chrono::milliseconds(0);
    try {
        play(bot, options);
        FAIL();
    } catch (const ServerLostError& error) {
        EXPECT_EQ(error.reason(), "SERVER_STOPPING");
        EXPECT_EQ(error.advice(), Advice::retry);
    }
    stopping.get();
}

TEST(Play, AnAbsentServerIsAServerLostError) {
    Puppet bot;
    Options options{.name = "puppet"};
    // Nothing listens on port 1, which is assigned to an obsolete service.
    options.server = "127.0.0.1:1";
    options.ticket = "t";
    options.connect_for = std::chrono::milliseconds(50);
    try {
        play(bot, options);
        FAIL();
    } catch (const ServerLostError& error) {
        EXPECT_NE(std::string(error.what()).find("no server answered"), std::string::npos);
        EXPECT_EQ(error.reason(), "");
    }
}

TEST(Play, TheSeedIsCheckedAgainstTheCommitment) {
    const std::string salt = scripted::salt;
    const std::vector<std::pair<std::string, std::string>> seeds{
        {scripted::seed, salt},
        {"london-1210", salt},
        {scripted::seed, "01" + salt.substr(2)},
        {scripted::seed, "salt"},
        {"", ""},
    };
    for (const auto& [seed, its_salt] : seeds) {
        Playing match;
        const auto stream = match.server.welcomed_stream();
        stream->send(match_started(1, scripted::commitment));
        stream->send(match_ended(2, seed, its_salt));
        stream->end.put(grpc::Status::OK);
        if (seed == scripted::seed && its_salt == salt) {
            EXPECT_EQ(match.result.get().decisions(), 99U);
        } else {
            EXPECT_EQ(match.expect_error<BrokenSeedCommitmentError>().ended().seed(), seed);
        }
    }
}

struct Thrower : Bot {
    Choice decide(const Request&) override { throw std::domain_error("of the bot"); }
};

TEST(Play, ExceptionsOfTheBotPropagate) {
    scripted::Server server;
    auto requesting = std::async(std::launch::async, [&server] {
        server.welcomed_stream()->send(decision_request(1, 1));
    });
    Thrower bot;
    Options options{.name = "puppet"};
    options.server = server.url();
    options.ticket = "t";
    EXPECT_THROW(play(bot, options), std::domain_error);
    requesting.get();
}

TEST(Play, InvalidOptionsAreRefusedBeforeConnecting) {
    unsetenv("BRIDGEMASTER_TICKET");
    Options good{.name = "b"};
    good.ticket = "t";
    std::map<std::string, Options> wrong;
    wrong["no ticket"] = {.name = "b"};
    (wrong["the ticket is not valid"] = good).ticket = "a\nb";
    (wrong["is not an address"] = good).server = "example.org";
    (wrong["1 to 64 printable"] = good).name = std::string(65, 'n');
    (wrong["no/file"] = good).server = "https://a:1";
    wrong["no/file"].ca = "/no/file";
    (wrong["private key"] = good).server = "https://a:1";
    wrong["private key"].client_cert = "x";
    for (const auto& [message, options] : wrong) {
        Puppet bot;
        try {
            play(bot, options);
            ADD_FAILURE() << message;
        } catch (const OptionsError& error) {
            EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
        }
    }
}

}  // namespace
}  // namespace bridgemaster
