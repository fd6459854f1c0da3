#include "scripted_server.h"

#include <google/protobuf/util/message_differencer.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace scripted {
namespace {

Metadata metadata_of(const grpc::ServerContext& context) {
    Metadata metadata;
    for (const auto& [name, value] : context.client_metadata()) {
        metadata.emplace(std::string(name.data(), name.size()),
                         std::string(value.data(), value.size()));
    }
    return metadata;
}

void require(bool holds, const std::string& what) {
    if (!holds) {
        throw std::runtime_error(what);
    }
}

}  // namespace

class Server::PlayRpc : public v1::PlayService::Service {
public:
    explicit PlayRpc(Server& server) : server_(server) {}

    grpc::Status Play(
        grpc::ServerContext* context,
        grpc::ServerReaderWriter<v1::PlayResponse, v1::PlayRequest>* wire) override {
        const auto stream = std::make_shared<Stream>();
        stream->metadata = metadata_of(*context);
        stream->wire = wire;
        ++server_.stream_count_;
        server_.streams_.put(stream);
        return server_.wait_for_end(stream);
    }

private:
    Server& server_;
};

class Server::LobbyRpc : public v1::LobbyService::Service {
public:
    explicit LobbyRpc(Server& server) : server_(server) {}

    grpc::Status Attend(grpc::ServerContext* context, const v1::AttendRequest* request,
                        grpc::ServerWriter<v1::AttendResponse>* wire) override {
        const auto attendance = std::make_shared<Attendance>();
        attendance->metadata = metadata_of(*context);
        attendance->request = *request;
        attendance->wire = wire;
        server_.attendances_.put(attendance);
        return server_.wait_for_end(attendance);
    }

    grpc::Status UpdateAttendance(grpc::ServerContext*, const v1::UpdateAttendanceRequest* request,
                                  v1::UpdateAttendanceResponse*) override {
        server_.busy_slots.put(request->busy_slots());
        return {grpc::StatusCode::UNAVAILABLE, "try again"};
    }

    grpc::Status DeclineOffer(grpc::ServerContext*, const v1::DeclineOfferRequest* request,
                              v1::DeclineOfferResponse*) override {
        server_.declined.put(request->offer_id());
        return {grpc::StatusCode::NOT_FOUND, "the offer has expired"};
    }

private:
    Server& server_;
};

Server::Server()
    : play_rpc_(std::make_unique<PlayRpc>(*this)), lobby_rpc_(std::make_unique<LobbyRpc>(*this)) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(play_rpc_.get());
    builder.RegisterService(lobby_rpc_.get());
    server_ = builder.BuildAndStart();
}

Server::~Server() {
    {
        // End the calls that a failed test has left open.
        const std::lock_guard lock(mutex_);
        for (const auto& call : calls_) {
            call->end.put(grpc::Status::CANCELLED);
        }
    }
    server_->Shutdown(std::chrono::system_clock::now());
}

grpc::Status Server::wait_for_end(const std::shared_ptr<Call>& call) {
    {
        const std::lock_guard lock(mutex_);
        calls_.push_back(call);
    }
    return call->end.get(2 * timeout);
}

std::shared_ptr<Stream> Server::welcomed_stream(bool resumed) {
    auto next = stream();
    const v1::PlayRequest first = next->receive();
    require(first.has_hello(), "the first message is not a Hello");
    next->hello = first.hello();
    v1::PlayResponse response;
    v1::Welcome& welcome = *response.mutable_welcome();
    welcome.set_protocol_revision(1);
    welcome.set_match_id("match-7");
    welcome.set_seat(1);
    welcome.set_ping_interval_ms(60'000);
    welcome.set_history_id(history_id);
    welcome.set_resumed(resumed && first.hello().has_last_sequence());
    next->send(response);
    return next;
}

v1::PlayRequest Stream::receive() {
    v1::PlayRequest request;
    require(wire->Read(&request), "the bot has closed the stream");
    return request;
}

void Stream::expect_decision(std::uint32_t request_id, std::uint32_t index) {
    v1::Decision expected;
    expected.set_request_id(request_id);
    expected.set_index(index);
    const v1::PlayRequest got = receive();
    require(google::protobuf::util::MessageDifferencer::Equals(expected, got.decision()),
         "unexpected decision: " + got.ShortDebugString());
}

void Stream::finish(std::uint32_t sequence) {
    send(match_ended(sequence));
    v1::PlayRequest request;
    require(!wire->Read(&request), "the bot has not closed the stream");
    end.put(grpc::Status::OK);
}

void Attendance::state(std::uint32_t slots_used, std::uint32_t busy_slots) {
    v1::AttendResponse response;
    response.mutable_attendance()->set_attendance_id("a");
    response.mutable_attendance()->set_slots_used(slots_used);
    response.mutable_attendance()->set_busy_slots(busy_slots);
    wire->Write(response);
}

void Attendance::offer(const std::string& offer_id, const std::string& ticket,
                       std::uint32_t time_left_ms) {
    v1::AttendResponse response;
    response.mutable_offer()->set_time_left_ms(time_left_ms);
    response.mutable_offer()->set_offer_id(offer_id);
    response.mutable_offer()->set_ticket(ticket);
    wire->Write(response);
}

v1::PlayResponse decision_request(std::uint32_t sequence, std::uint32_t request_id) {
    v1::PlayResponse response;
    response.set_sequence(sequence);
    response.mutable_decision_request()->set_request_id(request_id);
    response.mutable_decision_request()->set_legal_count(9);
    return response;
}

v1::PlayResponse match_started(std::uint32_t sequence, const std::string& commitment) {
    v1::PlayResponse response;
    response.set_sequence(sequence);
    response.mutable_match_started()->set_seed_commitment(commitment);
    return response;
}

v1::PlayResponse decision_rejected(std::uint32_t sequence, std::uint32_t request_id) {
    v1::PlayResponse response;
    response.set_sequence(sequence);
    v1::DecisionRejected& rejected = *response.mutable_decision_rejected();
    rejected.set_request_id(request_id);
    rejected.set_open_request_id(request_id);
    rejected.set_reason(v1::REFUSAL_REASON_INDEX_OUT_OF_RANGE);
    rejected.set_field("index");
    rejected.set_detail("0 to 8");
    return response;
}

v1::PlayResponse match_ended(std::uint32_t sequence, const std::string& seed,
                             const std::string& salt) {
    v1::PlayResponse response;
    response.set_sequence(sequence);
    v1::MatchEnded& ended = *response.mutable_match_ended();
    ended.mutable_result()->set_match_id("match-7");
    ended.mutable_result()->set_decisions(99);
    ended.set_seed(seed);
    ended.set_seed_salt(salt);
    return response;
}

v1::PlayResponse ping(std::uint64_t nonce) {
    v1::PlayResponse response;
    response.mutable_ping()->set_nonce(nonce);
    return response;
}

namespace {

grpc::Status refusal(grpc::StatusCode code, const std::string& reason, const std::string& entry,
                     const std::string& value) {
    google::rpc::Status status;
    status.set_code(code);
    status.set_message("why\x1b[2J");
    if (!reason.empty()) {
        google::rpc::ErrorInfo info;
        info.set_reason(reason);
        info.set_domain("bridgemaster");
        (*info.mutable_metadata())[entry] = value;
        status.add_details()->PackFrom(info);
    }
    return {code, status.message(), status.SerializeAsString()};
}

}  // namespace

grpc::Status refusal(grpc::StatusCode code, const std::string& reason) {
    return refusal(code, reason, "hint", "x");
}

}  // namespace scripted
