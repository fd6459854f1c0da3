#include "stream.h"

namespace bridgemaster {

Stream::Stream(const ResolvedOptions& options, const Server& server, int number,
               const v1::PlayRequest& hello, Events& events)
    : number_(number), events_(events), stub_(v1::PlayService::NewStub(server.connect())) {
    options.prepare(context_);
    call_ = stub_->Play(&context_);
    send(hello);
    reader_ = std::thread([this] { read(); });
}

Stream::~Stream() {
    context_.TryCancel();
    reader_.join();
}

void Stream::send(const v1::PlayRequest& message) {
    is_writable_ = is_writable_ && call_->Write(message);
}

void Stream::half_close() {
    if (is_writable_) {
        is_writable_ = false;
        call_->WritesDone();
    }
}

void Stream::read() {
    v1::PlayResponse response;
    while (call_->Read(&response)) {
        events_.put(Received{number_, std::move(response)});
        response.Clear();
    }
    events_.put(StreamEnded{number_, call_->Finish()});
}

}  // namespace bridgemaster
