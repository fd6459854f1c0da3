// One stream of a seat.

#pragma once

#include <grpcpp/support/sync_stream.h>

#include <memory>
#include <thread>

#include "bridgemaster/v1/play.grpc.pb.h"
#include "events.h"
#include "seating.h"

namespace bridgemaster {

// A stream and the connection below it; what comes on it goes to the events.
class Stream {
public:
    // Opens the stream at a server, with the Hello as its first message.
    Stream(const Seating& seating, const Place& place, int number, const v1::PlayRequest& hello,
           Events& events);
    // Closes the connection.
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    int number() const { return number_; }
    // Sends a message. Why a stream takes no more is what comes on it.
    void send(const v1::PlayRequest& message);
    // Closes our half.
    void end();

private:
    // Reads at once whatever comes, also while the bot thinks.
    void read();

    int number_;
    Events& events_;
    std::unique_ptr<v1::PlayService::Stub> stub_;
    grpc::ClientContext context_;
    std::unique_ptr<grpc::ClientReaderWriter<v1::PlayRequest, v1::PlayResponse>> call_;
    bool is_writable_ = true;
    std::thread reader_;
};

}  // namespace bridgemaster
