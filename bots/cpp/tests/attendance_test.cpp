// Attending a queue of a scripted server.

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <set>

#include "bridgemaster/bridgemaster.h"
#include "resolved_options.h"
#include "scripted_server.h"
#include "slots.h"

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

TEST(Attendance, EachOfferIsPlayedOnceAcrossAllStreamsByItsOwnBot) {
    scripted::Server server;
    std::atomic<int> created = 0;
    const Options options = options_for(server);
    auto attendance = std::async(std::launch::async, [&] {
        attend(
            [&] {
                ++created;
                return std::make_unique<Fourth>();
            },
            options);
    });
    // A contest opens its queue shortly after it starts.
    server.attendance()->end.put(
        scripted::refusal(grpc::StatusCode::NOT_FOUND, "QUEUE_UNKNOWN"));
    auto attending = server.attendance();
    EXPECT_EQ(attending->request.queue_id(), "cup");
    EXPECT_EQ(attending->request.bot_name(), "puppet");
    EXPECT_EQ(attending->request.bot_version(), "7");
    EXPECT_EQ(attending->request.slots(), 2U);
    EXPECT_EQ(attending->request.protocol_revision(), 1U);
    EXPECT_EQ(attending->request.client_instance_id().size(), 32U);
    EXPECT_EQ(attending->request.stream_number(), 2U);
    attending->offer("o1", "t1");
    const auto first = server.welcomed_stream();
    attending->end.put(scripted::refusal(grpc::StatusCode::UNAVAILABLE, ""));

    attending = server.attendance();
    attending->offer("o1", "t1");
    attending->offer("o2", "t2");
    const auto second = server.welcomed_stream();
    attending->end.put(grpc::Status::OK);
    std::set<std::string> tickets;
    for (const auto& stream : {first, second}) {
        tickets.insert(stream->metadata.find("authorization")->second);
        stream->send(scripted::decision_request(1, 1));
        stream->expect_decision(1, 4);
        stream->finish(2);
    }
    attendance.get();
    EXPECT_EQ(created, 2);
    EXPECT_EQ(tickets, (std::set<std::string>{"Bearer t1", "Bearer t2"}));
}

// A bot that decides until the test lets it return.
struct Stubborn : Bot {
    scripted::Queue<bool>& deciding;
    std::atomic<bool>& returning;

    Stubborn(scripted::Queue<bool>& deciding, std::atomic<bool>& returning)
        : deciding(deciding), returning(returning) {}

    Choice decide(const Request&) override {
        deciding.put(true);
        returning.wait(false);
        return Choice::index(0);
    }
};

TEST(Attendance, BusySlotsAreReportedUntilTheServerCountsThem) {
    Slots slots(1);
    slots.take({});
    slots.set_used_at_server(0);
    slots.check();
    EXPECT_EQ(slots.check().busy, 1);
    EXPECT_EQ(slots.check().busy, 1);
    slots.set_used_at_server(0, 1);
    EXPECT_EQ(slots.check().busy, std::nullopt);
    slots.set_used_at_server(0, 0);
    EXPECT_EQ(slots.check().busy, 1);
}

TEST(Attendance, ASlotIsFreeOnlyWhenDecideHasReturned) {
    scripted::Server server;
    scripted::Queue<bool> deciding;
    std::atomic<bool> returning = false;
    Options options = options_for(server);
    options.slots = 1;
    auto attendance = std::async(std::launch::async, [&] {
        attend([&] { return std::make_unique<Stubborn>(deciding, returning); }, options);
    });
    const auto attending = server.attendance();
    attending->state(1);
    attending->offer("o1", "t1");
    const auto first = server.welcomed_stream();
    first->send(scripted::decision_request(1, 1));
    deciding.get();
    first->end.put(scripted::refusal(grpc::StatusCode::UNAVAILABLE, "MATCH_CANCELLED"));
    attending->state(0);
    // A report that fails is repeated.
    EXPECT_EQ(server.busy_slots.get(), 1U);
    EXPECT_EQ(server.busy_slots.get(), 1U);
    // The server has offered the slot again before it received the report.
    attending->state(1, 1);
    attending->offer("o2", "t2");
    attending->offer("o3", "t3", 0);
    attending->offer("o4", "t4", 0);
    EXPECT_EQ(server.declined.get(), "o3");
    EXPECT_EQ(server.declined.get(), "o4");
    EXPECT_EQ(server.stream_count(), 1) << "the slot is not free";
    returning = true;
    returning.notify_all();
    const auto second = server.welcomed_stream();
    while (server.busy_slots.get() != 0) {
    }
    second->finish(1);
    attending->end.put(grpc::Status::OK);
    attendance.get();
}

TEST(Attendance, AnAbsentQueueIsAbandonedWithItsReason) {
    scripted::Server server;
    auto answer = std::async(std::launch::async, [&server] {
        server.attendance()->end.put(
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

TEST(Attendance, AnOfferedSeatIsRetriedForAsLongAsTheAttendance) {
    using std::chrono::minutes;
    Options options{.name = "b"};
    options.ticket = "t";
    EXPECT_EQ(resolve_options(options).reconnect_for, std::chrono::seconds(30));
    options.queue = "cup";
    EXPECT_EQ(resolve_attend_options(options).reconnect_for, minutes(10));
    EXPECT_EQ(resolve_options(options).connect_for, minutes(10));
    EXPECT_EQ(resolve_options(options).reconnect_for, minutes(10));
    options.reconnect_for = std::chrono::milliseconds(0);
    EXPECT_EQ(resolve_options(options).reconnect_for, minutes(0));
}

TEST(Attendance, ATicketHasPrecedenceOverAQueueAndSlotsAreLimited) {
    Options options{.name = "b"};
    options.queue = "cup";
    EXPECT_TRUE(should_attend(options));
    for (const int slots : {-1, 65}) {
        options.slots = slots;
        EXPECT_THROW(resolve_attend_options(options), OptionsError);
    }
    options.ticket = "t";
    EXPECT_FALSE(should_attend(options));
}

}  // namespace
}  // namespace bridgemaster
