// TLS mistakes are named, and not retried.

#include <arpa/inet.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "bridgemaster/bridgemaster.h"
#include "scripted_server.h"

namespace bridgemaster {
namespace {

struct First : Bot {
    Choice decide(const Request&) override { return Choice::index(0); }
};

void expect_mistake(const std::string& address, const std::string& expected,
                    const std::string& ca = "ca.pem") {
    Options options{.name = "puppet"};
    options.server = address;
    options.ticket = "t";
    options.ca = SDK_FOLDER "/tls/" + ca;
    First bot;
    try {
        play(bot, options);
        FAIL() << address;
    } catch (const TlsError& error) {
        const std::string message = error.what();
        EXPECT_NE(message.find(expected), std::string::npos) << message;
        EXPECT_NE(message.find("BRIDGEMASTER_CA"), std::string::npos) << message;
    }
}

// A server that sends the same answer on every connection.
class Answering {
public:
    explicit Answering(std::string answer)
        : socket_(::socket(AF_INET, SOCK_STREAM, 0)), answer_(std::move(answer)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        auto* where = reinterpret_cast<sockaddr*>(&address);
        if (::bind(socket_, where, length) != 0 || ::listen(socket_, 9) != 0 ||
            ::getsockname(socket_, where, &length) != 0) {
            throw std::runtime_error("cannot listen on a free port");
        }
        port_ = ::ntohs(address.sin_port);
        thread_ = std::thread([this] {
            for (int one; (one = ::accept(socket_, nullptr, nullptr)) >= 0; ::close(one)) {
                char buffer[64];
                if (::recv(one, buffer, sizeof buffer, 0) > 0) {
                    ::send(one, answer_.data(), answer_.size(), MSG_NOSIGNAL);
                }
            }
        });
    }
    ~Answering() {
        ::shutdown(socket_, SHUT_RDWR);
        thread_.join();
        ::close(socket_);
    }
    Answering(const Answering&) = delete;
    Answering& operator=(const Answering&) = delete;

    std::string target() const { return "127.0.0.1:" + std::to_string(port_); }

private:
    int socket_;
    std::string answer_;
    int port_ = 0;
    std::thread thread_;
};

TEST(Tls, AServerWithTlsIsRecognizedByItsAnswerWithoutTls) {
    for (const std::string& answer :
         {std::string("\x15\x03\x03\0\x02\x02\x32", 7), std::string("HTTP/1.1 400 use HTTPS")}) {
        const Answering server(answer);
        expect_mistake("http://" + server.target(), "requires TLS");
    }
}

std::string read(const std::string& name) {
    std::ifstream file(SDK_FOLDER "/tls/" + name);
    std::ostringstream content;
    content << file.rdbuf();
    return content.str();
}

TEST(Tls, CertificatesThatAreNotTrustedAreNamed) {
    struct Case {
        std::string certificate;
        std::string expected;
        std::string ca = "ca.pem";
    };
    // The last certificate is trusted itself, without the authority that has signed it.
    for (const auto& [certificate, expected, ca] :
         {Case{"valid", "not signed by a trusted authority"}, Case{"expired", "has expired"},
          Case{"expired", "has expired", "expired.pem"}}) {
        grpc::SslServerCredentialsOptions files;
        files.pem_key_cert_pairs.push_back({read(certificate + ".key"), read(certificate + ".pem")});
        grpc::ServerBuilder builder;
        int port = 0;
        builder.AddListeningPort("127.0.0.1:0", grpc::SslServerCredentials(files), &port);
        v1::PlayService::Service service;
        builder.RegisterService(&service);
        const auto server = builder.BuildAndStart();
        expect_mistake("https://127.0.0.1:" + std::to_string(port), expected, ca);
        server->Shutdown();
    }
}

TEST(Tls, AServerWithoutTlsIsNamed) {
    const scripted::Server server;
    expect_mistake("https://" + server.target(), "does not use TLS");
}

}  // namespace
}  // namespace bridgemaster
