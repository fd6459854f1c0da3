// Several servers: trying them in turn, and following redirects.

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

// An address without a listener.
constexpr const char* dead = "127.0.0.1:1";

Route route_over(const std::string& servers) {
    Options options{.name = "puppet"};
    options.server = servers;
    return Route(parse_servers(options));
}

// Returns options with these servers.
Options options_for(const std::string& servers) {
    Options options{.name = "puppet"};
    options.server = servers;
    options.ticket = "t";
    options.log = [](const std::string&) {};
    return options;
}

struct First : Bot {
    Choice decide(const Request&) override { return Choice::index(0); }
};

std::future<v1::MatchResult> start_playing(const Options& options) {
    return std::async(std::launch::async, [options] {
        First bot;
        return play(bot, options);
    });
}

// Serves the match of the next bot of a server to its end, which must be that of play.
void finish_at(scripted::Server& server, std::future<v1::MatchResult>& result) {
    server.welcomed_stream()->finish(1);
    EXPECT_EQ(result.get().decisions(), 99U);
}

// A server that accepts connections and sends nothing.
class SilentServer {
public:
    SilentServer() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        auto* where = reinterpret_cast<sockaddr*>(&address);
        if (::bind(socket_, where, length) != 0 || ::listen(socket_, 1) != 0 ||
            ::getsockname(socket_, where, &length) != 0) {
            throw std::runtime_error("cannot listen on a free port");
        }
        port_ = ::ntohs(address.sin_port);
    }
    ~SilentServer() { ::close(socket_); }
    SilentServer(const SilentServer&) = delete;
    SilentServer& operator=(const SilentServer&) = delete;

    std::string target() const { return "127.0.0.1:" + std::to_string(port_); }

private:
    int socket_;
    int port_ = 0;
};

TEST(Route, TheServersAreTriedInTurn) {
    Route route = route_over("http://one:1, two:2");
    std::vector<std::string> tried{route.server().target};
    for (int times = 0; times < 2; ++times) {
        EXPECT_FALSE(route.advance(""));
        tried.push_back(route.server().target);
    }
    EXPECT_EQ(tried, (std::vector<std::string>{"one:1", "two:2", "one:1"}));
}

TEST(Route, SeveralServersShareTheTotalTime) {
    using std::chrono::seconds;
    const std::pair<const char*, seconds> all[] = {
        {"one:1", seconds(10)}, {"one:1,two:2", seconds(6)}, {"one:1,two:2,three:3", seconds(4)}};
    for (const auto& [servers, timeout] : all) {
        EXPECT_EQ(route_over(servers).answer_timeout(seconds(10), seconds(12)), timeout) << servers;
    }
}

TEST(Route, ARedirectIsFollowedAtOnceAndASecondOneAfterAPause) {
    Route route = route_over("one:1,two:2");
    EXPECT_TRUE(route.advance("three:3"));
    EXPECT_EQ(route.server().address, "http://three:3");
    EXPECT_FALSE(route.advance("one:1")) << "redirected twice in a row";
    route.mark_answered();
    EXPECT_TRUE(route.advance("three:3"));
    EXPECT_EQ(route.server().target, "three:3");
    route.advance("");
    EXPECT_EQ(route.server().target, "two:2");
}

TEST(Route, ARedirectUsesTlsAsTheRedirectingServer) {
    Route route = route_over("https://one:1,http://two:2");
    const auto tls = route.server().credentials;
    route.advance("three:3");
    EXPECT_EQ(route.server().address, "https://three:3");
    EXPECT_EQ(route.server().credentials, tls);
}

TEST(Route, AnInvalidAddressIsRefusedAndARedirectToItIsIgnored) {
    for (const char* servers : {"one:1,", "one:1,nonsense"}) {
        EXPECT_THROW(route_over(servers), OptionsError) << servers;
    }
    Route route = route_over("one:1,two:2");
    EXPECT_FALSE(route.advance("no address"));
    EXPECT_EQ(route.server().target, "two:2");
}

TEST(Route, ABotFindsItsMatch) {
    scripted::Server redirecting;
    scripted::Server playing;
    auto result = start_playing(options_for(std::string(dead) + ", " + redirecting.url()));
    redirecting.stream()->end.put(scripted::moved(playing.target()));
    finish_at(playing, result);
}

TEST(Route, ABotResumesAtAnotherServer) {
    for (const char* reason : {"", "NODE_SUPERSEDED"}) {
        scripted::Server redirecting;
        scripted::Server playing;
        auto result = start_playing(options_for(redirecting.url() + "," + playing.url()));
        redirecting.welcomed_stream()->end.put(
            scripted::refusal(grpc::StatusCode::UNAVAILABLE, reason));
        finish_at(playing, result);
    }
}

TEST(Route, AFailedRedirectLeadsBackToTheConfiguredServers) {
    scripted::Server redirecting;
    scripted::Server playing;
    auto result = start_playing(options_for(redirecting.url() + "," + playing.url()));
    redirecting.stream()->end.put(scripted::moved(dead));
    finish_at(playing, result);
}

TEST(Route, ARedirectAfterTheTimeLimitEndsPlayWithItsReason) {
    scripted::Server redirecting;
    Options options = options_for(redirecting.url());
    options.connect_for = std::chrono::milliseconds(0);
    auto result = start_playing(options);
    redirecting.stream()->end.put(scripted::moved(dead));
    try {
        result.get();
        FAIL();
    } catch (const ServerLostError& error) {
        EXPECT_EQ(error.reason(), "MOVED");
    }
}

TEST(Route, ASilentServerIsLeftForTheNextOneInTime) {
    const SilentServer silent;
    scripted::Server playing;
    auto result = start_playing(options_for(silent.target() + "," + playing.url()));
    finish_at(playing, result);
}

TEST(Route, AnAttendanceFollowsRedirectsAndSoDoesItsMatch) {
    scripted::Server redirecting;
    scripted::Server playing;
    Options options = options_for(std::string(dead) + "," + redirecting.url());
    options.ticket.clear();
    options.queue = "cup";
    auto attendance = std::async(std::launch::async, [options] {
        attend([] { return std::make_unique<First>(); }, options);
    });
    redirecting.attendance()->end.put(scripted::moved(playing.target()));
    const auto attending = playing.attendance();
    attending->offer("o1", "t1");
    redirecting.stream()->end.put(scripted::moved(playing.target()));
    playing.welcomed_stream()->finish(1);
    attending->end.put(grpc::Status::OK);
    attendance.get();
}

}  // namespace
}  // namespace bridgemaster
