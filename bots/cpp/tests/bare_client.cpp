// A minimal bot on gRPC alone, for the example `instant_server` of the Rust SDK. The benchmark in
// `.ci/languages` compares the library with it.

#include <bridgemaster/v1/play.grpc.pb.h>
#include <grpcpp/grpcpp.h>

#include <cstdlib>
#include <iostream>
#include <string>

namespace v1 = bridgemaster::v1;

int main() {
    const char* address = std::getenv("BRIDGEMASTER_SERVER");
    std::string server = address == nullptr ? "" : address;
    if (server.starts_with("http://")) server.erase(0, 7);
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    const auto stub = v1::PlayService::NewStub(
        grpc::CreateCustomChannel(server, grpc::InsecureChannelCredentials(), arguments));
    grpc::ClientContext context;
    const auto call = stub->Play(&context);
    v1::PlayRequest request;
    request.mutable_hello();
    call->Write(request);
    v1::PlayResponse response;
    while (call->Read(&response)) {
        if (response.has_decision_request()) {
            const auto& decision_request = response.decision_request();
            auto* decision = request.mutable_decision();
            decision->set_request_id(decision_request.request_id());
            decision->set_index(decision_request.legal_count() / 2);
            call->Write(request);
        } else if (response.has_match_ended()) {
            call->WritesDone();
        }
    }
    const grpc::Status ended = call->Finish();
    if (!ended.ok()) std::cerr << ended.error_message() << '\n';
    return ended.ok() ? 0 : 1;
}
