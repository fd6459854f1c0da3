// Several servers: tried in turn, and followed to where one of them says that something is.

#include "route.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <future>

#include "scripted_server.h"

namespace bridgemaster {
namespace {

// Nothing listens there.
constexpr const char* dead = "127.0.0.1:1";

Route route(const std::string& servers) {
    Options options{.name = "puppet"};
    options.server = servers;
    return Route(places_of(options));
}

// Options of a bot that knows these servers.
Options knowing(const std::string& servers) {
    Options options{.name = "puppet"};
    options.server = servers;
    options.ticket = "t";
    options.log = [](const std::string&) {};
    return options;
}

struct First : Bot {
    Choice decide(const Request&) override { return Choice::index(0); }
};

std::future<v1::MatchResult> plays(const Options& options) {
    return std::async(std::launch::async, [options] {
        First bot;
        return play(bot, options);
    });
}

// Ends the match of the next bot of a server, which must be this one.
void ends_at(scripted::Server& server, std::future<v1::MatchResult>& result) {
    server.welcomed()->finish(1);
    EXPECT_EQ(result.get().decisions(), 99U);
}

// Takes connections, and says nothing on them.
class Silent {
public:
    Silent() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        auto* where = reinterpret_cast<sockaddr*>(&address);
        if (::bind(socket_, where, length) != 0 || ::listen(socket_, 1) != 0 ||
            ::getsockname(socket_, where, &length) != 0) {
            throw std::runtime_error("no port is free");
        }
        port_ = ::ntohs(address.sin_port);
    }
    ~Silent() { ::close(socket_); }
    Silent(const Silent&) = delete;
    Silent& operator=(const Silent&) = delete;

    std::string target() const { return "127.0.0.1:" + std::to_string(port_); }

private:
    int socket_;
    int port_ = 0;
};

TEST(Route, TheServersAreTriedInTurn) {
    Route way = route("http://one:1, two:2");
    std::vector<std::string> tried{way.place().target};
    for (int times = 0; times < 2; ++times) {
        EXPECT_FALSE(way.go_on(""));
        tried.push_back(way.place().target);
    }
    EXPECT_EQ(tried, (std::vector<std::string>{"one:1", "two:2", "one:1"}));
}

TEST(Route, EachOfSeveralServersHasItsShareOfTheTime) {
    using std::chrono::seconds;
    const std::pair<const char*, seconds> all[] = {
        {"one:1", seconds(10)}, {"one:1,two:2", seconds(6)}, {"one:1,two:2,three:3", seconds(4)}};
    for (const auto& [servers, patience] : all) {
        EXPECT_EQ(route(servers).patience(seconds(10), seconds(12)), patience) << servers;
    }
}

TEST(Route, ACallerGoesWhereItIsSentAndPausesWhenSentOn) {
    Route way = route("one:1,two:2");
    EXPECT_TRUE(way.go_on("three:3"));
    EXPECT_EQ(way.place().server, "http://three:3");
    EXPECT_FALSE(way.go_on("one:1")) << "sent on without an answer";
    way.arrived();
    EXPECT_TRUE(way.go_on("three:3"));
    EXPECT_EQ(way.place().target, "three:3");
    way.go_on("");
    EXPECT_EQ(way.place().target, "two:2");
}

TEST(Route, ACallerIsSentOnWithTheTlsOfWhereItIs) {
    Route way = route("https://one:1,http://two:2");
    const auto tls = way.place().credentials;
    way.go_on("three:3");
    EXPECT_EQ(way.place().server, "https://three:3");
    EXPECT_EQ(way.place().credentials, tls);
}

TEST(Route, WhatIsNoAddressIsRefusedAndNobodyIsSentThere) {
    for (const char* servers : {"one:1,", "one:1,nonsense"}) {
        EXPECT_THROW(route(servers), OptionsError) << servers;
    }
    Route way = route("one:1,two:2");
    EXPECT_FALSE(way.go_on("no address"));
    EXPECT_EQ(way.place().target, "two:2");
}

TEST(Route, ABotFindsItsMatch) {
    scripted::Server asked;
    scripted::Server playing;
    auto result = plays(knowing(std::string(dead) + ", " + asked.url()));
    asked.stream()->end.put(scripted::moved(playing.target()));
    ends_at(playing, result);
}

TEST(Route, ABotComesBackAtAnotherServer) {
    for (const char* reason : {"", "NODE_SUPERSEDED"}) {
        scripted::Server asked;
        scripted::Server playing;
        auto result = plays(knowing(asked.url() + "," + playing.url()));
        asked.welcomed()->end.put(scripted::refusal(grpc::StatusCode::UNAVAILABLE, reason));
        ends_at(playing, result);
    }
}

TEST(Route, ABotGoesBackToTheServersThatItKnowsWhenItIsSentToNone) {
    scripted::Server asked;
    scripted::Server playing;
    auto result = plays(knowing(asked.url() + "," + playing.url()));
    asked.stream()->end.put(scripted::moved(dead));
    ends_at(playing, result);
}

TEST(Route, ABotThatIsSentOnWhenItsTimeIsOverGivesUpWithThatReason) {
    scripted::Server asked;
    Options options = knowing(asked.url());
    options.connect_for = std::chrono::milliseconds(0);
    auto result = plays(options);
    asked.stream()->end.put(scripted::moved(dead));
    try {
        result.get();
        FAIL();
    } catch (const ServerLostError& error) {
        EXPECT_EQ(error.reason(), "MOVED");
    }
}

TEST(Route, AServerThatSaysNothingIsLeftForTheNextOneInTime) {
    const Silent silent;
    scripted::Server playing;
    auto result = plays(knowing(silent.target() + "," + playing.url()));
    ends_at(playing, result);
}

TEST(Route, AnAttendanceIsFollowedAndItsMatchIsAtOneOfTheServers) {
    scripted::Server asked;
    scripted::Server playing;
    Options options = knowing(std::string(dead) + "," + asked.url());
    options.ticket.clear();
    options.queue = "cup";
    auto attendance = std::async(std::launch::async, [options] {
        attend([] { return std::make_unique<First>(); }, options);
    });
    asked.attending()->end.put(scripted::moved(playing.target()));
    const auto attending = playing.attending();
    attending->offer("o1", "t1");
    asked.stream()->end.put(scripted::moved(playing.target()));
    playing.welcomed()->finish(1);
    attending->end.put(grpc::Status::OK);
    attendance.get();
}

}  // namespace
}  // namespace bridgemaster
