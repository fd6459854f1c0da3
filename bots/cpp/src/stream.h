// One stream of a seat.

#pragma once

#include <grpcpp/support/sync_stream.h>

#include <memory>
#include <thread>

#include "bridgemaster/v1/play.grpc.pb.h"
#include "events.h"
#include "resolved_options.h"

namespace bridgemaster {

// A stream with its own connection; received messages are added to the events.
class Stream {
public:
    // Opens the stream and sends the Hello.
    Stream(const ResolvedOptions& options, const Server& server, int number,
           const v1::PlayRequest& hello, Events& events);
    // Closes the connection.
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    int number() const { return number_; }
    // Sends a message. A failure to send also ends the stream, which is an event.
    void send(const v1::PlayRequest& message);
    // Closes the client's half of the stream.
    void half_close();

private:
    // Reads messages at once, also while the bot thinks.
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
