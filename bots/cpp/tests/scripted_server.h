// A server on loopback whose every message is in the test's hand.

#pragma once

#include <grpcpp/server.h>
#include <grpcpp/server_context.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "bridgemaster/v1/lobby_service.grpc.pb.h"
#include "bridgemaster/v1/play.grpc.pb.h"

namespace scripted {

namespace v1 = bridgemaster::v1;

inline constexpr const char* history_id = "00112233445566778899aabbccddeeff";
inline constexpr const char* seed = "london-1209";
inline constexpr const char* salt =
    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
// The commitment to the seed with the salt: the example of PROTOCOL.md.
inline constexpr const char* commitment =
    "fb68e9b2871847c68a016f69b6f578dccf4bcc570460ba524a4063228775796f";
// How long a test waits for what must happen: far more than it takes.
inline constexpr std::chrono::seconds patience{60};

// Hands over one thing after the other, to whoever waits for it.
template <typename T>
class Queue {
public:
    void put(T thing) {
        {
            const std::lock_guard lock(mutex_);
            things_.push_back(std::move(thing));
        }
        more_.notify_one();
    }

    // Waits for what must happen.
    T get(std::chrono::seconds patience = scripted::patience) {
        std::unique_lock lock(mutex_);
        if (!more_.wait_for(lock, patience, [this] { return !things_.empty(); })) {
            throw std::runtime_error("it did not happen");
        }
        T thing = std::move(things_.front());
        things_.pop_front();
        return thing;
    }

private:
    std::mutex mutex_;
    std::condition_variable more_;
    std::deque<T> things_;
};

using Metadata = std::multimap<std::string, std::string>;

// A call of a bot, seen from the server. It ends as the test says.
struct Call {
    Metadata metadata;
    Queue<grpc::Status> end;
};

// A stream of a bot.
struct Stream : Call {
    grpc::ServerReaderWriter<v1::PlayResponse, v1::PlayRequest>* wire = nullptr;
    v1::Hello hello;

    void send(const v1::PlayResponse& response) { wire->Write(response); }
    // The next message of the bot.
    v1::PlayRequest receive();
    // The next message must answer this request by this index.
    void decides(std::uint32_t request_id, std::uint32_t index);
    // Ends the match; the bot must leave in order.
    void finish(std::uint32_t sequence);
};

// An attendance of a bot.
struct Attending : Call {
    grpc::ServerWriter<v1::AttendResponse>* wire = nullptr;
    v1::AttendRequest request;

    void offer(const std::string& offer_id, const std::string& ticket);
};

class Server {
public:
    Server();
    ~Server();

    std::string url() const { return "http://" + target(); }
    // The same as host and port.
    std::string target() const { return "127.0.0.1:" + std::to_string(port_); }
    // The next stream that a bot opens.
    std::shared_ptr<Stream> stream() { return streams_.get(); }
    // The next stream, with its Welcome.
    std::shared_ptr<Stream> welcomed(bool resumed = true);
    // The next attendance.
    std::shared_ptr<Attending> attending() { return attendances_.get(); }

private:
    class Seats;
    class Lobby;

    // Takes a call, and waits until it is to end.
    grpc::Status until_its_end(const std::shared_ptr<Call>& call);

    std::mutex mutex_;
    std::vector<std::shared_ptr<Call>> calls_;
    Queue<std::shared_ptr<Stream>> streams_;
    Queue<std::shared_ptr<Attending>> attendances_;
    std::unique_ptr<Seats> seats_;
    std::unique_ptr<Lobby> lobby_;
    int port_ = 0;
    std::unique_ptr<grpc::Server> server_;
};

v1::PlayResponse asks(std::uint32_t sequence, std::uint32_t request_id);
v1::PlayResponse started(std::uint32_t sequence, const std::string& commitment = "");
v1::PlayResponse rejects(std::uint32_t sequence, std::uint32_t request_id);
v1::PlayResponse ended(std::uint32_t sequence, const std::string& seed = "",
                       const std::string& salt = "");
v1::PlayResponse ping(std::uint64_t nonce);
// A status with a reason, or none if it is empty.
grpc::Status refusal(grpc::StatusCode code, const std::string& reason);
// The refusal that sends a bot to another server, given as HOST:PORT.
grpc::Status moved(const std::string& target);

}  // namespace scripted
