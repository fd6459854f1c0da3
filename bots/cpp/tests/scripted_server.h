// A server on the loopback interface whose messages are controlled by the test.

#pragma once

#include <grpcpp/server.h>
#include <grpcpp/server_context.h>

#include <atomic>
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
// The commitment to the seed with the salt: the book's example match.
inline constexpr const char* commitment =
    "fb68e9b2871847c68a016f69b6f578dccf4bcc570460ba524a4063228775796f";
// Time limit of every wait of a test; far more than needed.
inline constexpr std::chrono::seconds timeout{60};

// An unbounded queue.
template <typename T>
class Queue {
public:
    void put(T item) {
        {
            const std::lock_guard lock(mutex_);
            items_.push_back(std::move(item));
        }
        more_.notify_one();
    }

    // Waits for the next item; throws after the time limit.
    T get(std::chrono::seconds limit = scripted::timeout) {
        std::unique_lock lock(mutex_);
        if (!more_.wait_for(lock, limit, [this] { return !items_.empty(); })) {
            throw std::runtime_error("timed out");
        }
        T item = std::move(items_.front());
        items_.pop_front();
        return item;
    }

private:
    std::mutex mutex_;
    std::condition_variable more_;
    std::deque<T> items_;
};

using Metadata = std::multimap<std::string, std::string>;

// The server side of a call of a bot, which ends with the status that the test queues.
struct Call {
    Metadata metadata;
    Queue<grpc::Status> end;
};

// The server side of a bot's stream.
struct Stream : Call {
    grpc::ServerReaderWriter<v1::PlayResponse, v1::PlayRequest>* wire = nullptr;
    v1::Hello hello;

    void send(const v1::PlayResponse& response) { wire->Write(response); }
    // Returns the next message of the bot.
    v1::PlayRequest receive();
    // Checks that the next message answers this request with this index.
    void expect_decision(std::uint32_t request_id, std::uint32_t index);
    // Ends the match; the bot must close the stream in order.
    void finish(std::uint32_t sequence);
};

// The server side of a bot's attendance.
struct Attendance : Call {
    grpc::ServerWriter<v1::AttendResponse>* wire = nullptr;
    v1::AttendRequest request;

    void offer(const std::string& offer_id, const std::string& ticket,
               std::uint32_t time_left_ms = 30'000);
    // Sends the number of matches in play and open offers, and of busy slots.
    void state(std::uint32_t slots_used, std::uint32_t busy_slots = 0);
};

class Server {
public:
    Server();
    ~Server();

    std::string url() const { return "http://" + target(); }
    // Returns the address as HOST:PORT.
    std::string target() const { return "127.0.0.1:" + std::to_string(port_); }
    // Returns the next stream that a bot opens.
    std::shared_ptr<Stream> stream() { return streams_.get(); }
    // Returns the next stream after sending its Welcome.
    std::shared_ptr<Stream> welcomed_stream(bool resumed = true);
    // Returns the next attendance.
    std::shared_ptr<Attendance> attendance() { return attendances_.get(); }

    // The numbers of busy slots that an attending bot has reported, and the offers that it declined.
    Queue<std::uint32_t> busy_slots{};
    Queue<std::string> declined{};
    // Returns the number of streams that bots have opened.
    int stream_count() const { return stream_count_; }

private:
    class PlayRpc;
    class LobbyRpc;

    // Registers a call, and waits for the status to end it with.
    grpc::Status wait_for_end(const std::shared_ptr<Call>& call);

    std::mutex mutex_;
    std::vector<std::shared_ptr<Call>> calls_;
    Queue<std::shared_ptr<Stream>> streams_;
    Queue<std::shared_ptr<Attendance>> attendances_;
    std::unique_ptr<PlayRpc> play_rpc_;
    std::unique_ptr<LobbyRpc> lobby_rpc_;
    std::atomic<int> stream_count_ = 0;
    int port_ = 0;
    std::unique_ptr<grpc::Server> server_;
};

v1::PlayResponse decision_request(std::uint32_t sequence, std::uint32_t request_id);
v1::PlayResponse match_started(std::uint32_t sequence, const std::string& commitment = "");
v1::PlayResponse decision_rejected(std::uint32_t sequence, std::uint32_t request_id);
v1::PlayResponse match_ended(std::uint32_t sequence, const std::string& seed = "",
                             const std::string& salt = "");
v1::PlayResponse ping(std::uint64_t nonce);
// Returns an error status; without a reason if `reason` is empty.
grpc::Status refusal(grpc::StatusCode code, const std::string& reason);

}  // namespace scripted
