// A queue of a scripted server.

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <set>

#include "bridgemaster/bridgemaster.h"
#include "scripted_server.h"
#include "seating.h"

namespace bridgemaster {
namespace {

struct Fourth : Bot {
    Choice decide(const Request&) override { return Choice::index(4); }
};

Options options_for(const scripted::Server& server) {
    Options options{.name = "puppet", .version = "7"};
    options.server = server.url();
    options.queue = "cup";
    options.slots = 2;
    options.log = [](const std::string&) {};
    return options;
}

TEST(Attendance, EachOfferIsPlayedOnceOverAllStreamsByABotOfItsOwn) {
    scripted::Server server;
    std::atomic<int> made = 0;
    const Options options = options_for(server);
    auto attendance = std::async(std::launch::async, [&] {
        attend(
            [&] {
                ++made;
                return std::make_unique<Fourth>();
            },
            options);
    });
    // A contest opens its queue in a moment.
    server.attending()->end.put(
        scripted::refusal(grpc::StatusCode::NOT_FOUND, "QUEUE_UNKNOWN"));
    auto attending = server.attending();
    EXPECT_EQ(attending->request.queue_id(), "cup");
    EXPECT_EQ(attending->request.bot_name(), "puppet");
    EXPECT_EQ(attending->request.bot_version(), "7");
    EXPECT_EQ(attending->request.slots(), 2U);
    EXPECT_EQ(attending->request.protocol_revision(), 1U);
    attending->offer("o1", "t1");
    const auto first = server.welcomed();
    attending->end.put(scripted::refusal(grpc::StatusCode::UNAVAILABLE, ""));

    attending = server.attending();
    attending->offer("o1", "t1");
    attending->offer("o2", "t2");
    const auto second = server.welcomed();
    attending->end.put(grpc::Status::OK);
    std::set<std::string> tickets;
    for (const auto& stream : {first, second}) {
        tickets.insert(stream->metadata.find("authorization")->second);
        stream->send(scripted::asks(1, 1));
        stream->decides(1, 4);
        stream->finish(2);
    }
    attendance.get();
    EXPECT_EQ(made, 2);
    EXPECT_EQ(tickets, (std::set<std::string>{"Bearer t1", "Bearer t2"}));
}

TEST(Attendance, AQueueThatNobodyOpensIsGivenUpWithItsReason) {
    scripted::Server server;
    auto answer = std::async(std::launch::async, [&server] {
        server.attending()->end.put(
            scripted::refusal(grpc::StatusCode::NOT_FOUND, "QUEUE_UNKNOWN"));
    });
    Options options = options_for(server);
    options.connect_for = std::chrono::milliseconds(0);
    try {
        attend([] { return std::make_unique<Fourth>(); }, options);
        FAIL();
    } catch (const ServerLostError& error) {
        EXPECT_EQ(error.reason(), "QUEUE_UNKNOWN");
    }
    answer.get();
}

TEST(Attendance, ASeatThatWasOfferedIsLookedForAsLongAsTheAttendance) {
    using std::chrono::minutes;
    Options options{.name = "b"};
    options.ticket = "t";
    EXPECT_EQ(seating(options).reconnect_for, std::chrono::seconds(30));
    options.queue = "cup";
    EXPECT_EQ(queueing(options).reconnect_for, minutes(10));
    EXPECT_EQ(seating(options).connect_for, minutes(10));
    EXPECT_EQ(seating(options).reconnect_for, minutes(10));
    options.reconnect_for = std::chrono::milliseconds(0);
    EXPECT_EQ(seating(options).reconnect_for, minutes(0));
}

TEST(Attendance, ATicketGoesBeforeAQueueAndSlotsAreCounted) {
    Options options{.name = "b"};
    options.queue = "cup";
    EXPECT_TRUE(attends(options));
    for (const int slots : {-1, 65}) {
        options.slots = slots;
        EXPECT_THROW(queueing(options), OptionsError);
    }
    options.ticket = "t";
    EXPECT_FALSE(attends(options));
}

}  // namespace
}  // namespace bridgemaster
