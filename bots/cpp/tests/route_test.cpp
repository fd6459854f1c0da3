// Several servers, which are tried in turn.

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
        route.advance();
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

TEST(Route, AnInvalidAddressIsRefused) {
    for (const char* servers : {"one:1,", "one:1,nonsense"}) {
        EXPECT_THROW(route_over(servers), OptionsError) << servers;
    }
}

TEST(Route, AProxyMustHaveAnHttpAddress) {
    EXPECT_EQ(parse_proxy("http://proxy:3128"), "proxy:3128");
    for (const char* proxy : {"https://proxy:3128", "socks5://proxy:1080", "proxy"}) {
        EXPECT_THROW(parse_proxy(proxy), OptionsError) << proxy;
    }
}

// A stream that has worked shows that the certificate is right, whatever the check would say.
TEST(Route, TlsIsNotCheckedAfterAStreamHasWorked) {
    scripted::Server without_tls;
    Route route = route_over("https://" + without_tls.target());
    EXPECT_NO_THROW(route.check_tls(StreamLost{"lost", ""}, true));
    EXPECT_THROW(route.check_tls(StreamLost{"lost", ""}, false), TlsError);
}

TEST(Route, AnUnreachableServerIsLeftForTheNextOne) {
    scripted::Server playing;
    auto result = start_playing(options_for(std::string(dead) + ", " + playing.url()));
    finish_at(playing, result);
}

TEST(Route, ABotResumesAtAnotherServer) {
    for (const char* reason : {"", "NODE_SUPERSEDED"}) {
        scripted::Server stopping;
        scripted::Server playing;
        auto result = start_playing(options_for(stopping.url() + "," + playing.url()));
        stopping.welcomed_stream()->end.put(
            scripted::refusal(grpc::StatusCode::UNAVAILABLE, reason));
        finish_at(playing, result);
    }
}

TEST(Route, ARefusalAfterTheTimeLimitEndsPlayWithItsReason) {
    scripted::Server stopping;
    Options options = options_for(stopping.url());
    options.connect_for = std::chrono::milliseconds(0);
    auto result = start_playing(options);
    stopping.stream()->end.put(
        scripted::refusal(grpc::StatusCode::UNAVAILABLE, "NODE_SUPERSEDED"));
    try {
        result.get();
        FAIL();
    } catch (const ServerLostError& error) {
        EXPECT_EQ(error.reason(), "NODE_SUPERSEDED");
    }
}

TEST(Route, ASilentServerIsLeftForTheNextOneInTime) {
    const SilentServer silent;
    scripted::Server playing;
    auto result = start_playing(options_for(silent.target() + "," + playing.url()));
    finish_at(playing, result);
}

TEST(Route, AnAttendanceTriesTheServersInTurnAndSoDoesItsMatch) {
    scripted::Server playing;
    Options options = options_for(std::string(dead) + "," + playing.url());
    options.ticket.clear();
    options.queue = "cup";
    auto attendance = std::async(std::launch::async, [options] {
        attend([] { return std::make_unique<First>(); }, options);
    });
    const auto attending = playing.attendance();
    attending->offer("o1", "t1");
    playing.welcomed_stream()->finish(1);
    attending->end.put(grpc::Status::OK);
    attendance.get();
}

}  // namespace
}  // namespace bridgemaster
