#include "tls.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>

#include <array>
#include <chrono>
#include <memory>
#include <string_view>

namespace bridgemaster {
namespace {

using Clock = std::chrono::steady_clock;

// Maximum time of the whole check.
constexpr std::chrono::seconds timeout{2};

struct Free {
    void operator()(BIO* bio) const { BIO_free_all(bio); }
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
    void operator()(X509* certificate) const { X509_free(certificate); }
};
using Connection = std::unique_ptr<BIO, Free>;

// Repeats a step of a connection that does not block, until it succeeds, fails, or the time is up.
template <typename Step>
bool complete(BIO* connection, Clock::time_point until, Step step) {
    while (true) {
        if (step() > 0) {
            return true;
        }
        int socket = -1;
        BIO_get_fd(connection, &socket);
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
        if (!BIO_should_retry(connection) || left <= 0) {
            return false;
        }
        const bool is_reading = BIO_should_read(connection);
        pollfd ready{socket, static_cast<short>(is_reading ? POLLIN : POLLOUT), 0};
        ::poll(&ready, 1, static_cast<int>(left));
    }
}

// Returns whether a server answers the HTTP/2 preface with a TLS alert or, if it is a proxy, with an
// error page.
bool requires_tls(const std::string& target, Clock::time_point until) {
    constexpr std::string_view preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    const Connection connection(BIO_new_connect(target.c_str()));
    BIO_set_nbio(connection.get(), 1);
    std::array<char, 512> answer{};
    int length = 0;
    const bool is_answered =
        complete(connection.get(), until, [&] { return BIO_do_connect(connection.get()); }) &&
        complete(connection.get(), until,
                 [&] {
                     return BIO_write(connection.get(), preface.data(),
                                      static_cast<int>(preface.size()));
                 }) &&
        complete(connection.get(), until, [&] {
            return length = BIO_read(connection.get(), answer.data(), answer.size());
        });
    const std::string_view text(answer.data(), is_answered ? static_cast<std::size_t>(length) : 0);
    return text.starts_with("\x15\x03") || text.find("HTTPS") != std::string_view::npos;
}

// Trusts the same certificates as gRPC, which also trusts an intermediate certificate in the file.
void trust(SSL_CTX* context, const std::string& pem) {
    X509_STORE_set_flags(SSL_CTX_get_cert_store(context),
                         X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_TRUSTED_FIRST);
    if (pem.empty()) {
        SSL_CTX_set_default_verify_paths(context);
        return;
    }
    const Connection file(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
    while (const auto certificate = std::unique_ptr<X509, Free>(
               PEM_read_bio_X509(file.get(), nullptr, nullptr, nullptr))) {
        X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate.get());
    }
    // The end of the file is an error.
    ERR_clear_error();
}

std::optional<std::string> certificate_mistake(const Server& server, Clock::time_point until) {
    const std::unique_ptr<SSL_CTX, Free> context(SSL_CTX_new(TLS_client_method()));
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
    trust(context.get(), server.trusted);
    const Connection connection(BIO_new_ssl_connect(context.get()));
    BIO_set_conn_hostname(connection.get(), server.target.c_str());
    BIO_set_nbio(connection.get(), 1);
    SSL* ssl = nullptr;
    BIO_get_ssl(connection.get(), &ssl);
    std::string host = server.target.substr(0, server.target.rfind(':'));
    if (host.starts_with('[')) {
        host = host.substr(1, host.size() - 2);
    }
    if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) != 1) {
        ERR_clear_error();
        SSL_set1_host(ssl, host.c_str());
        SSL_set_tlsext_host_name(ssl, host.c_str());
    }
    if (complete(connection.get(), until, [&] { return BIO_do_handshake(connection.get()); })) {
        return std::nullopt;
    }
    const int reason = ERR_GET_REASON(ERR_peek_last_error());
    ERR_clear_error();
    if (reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_PACKET_LENGTH_TOO_LONG) {
        return "the server does not use TLS at this address; begin the address with http://, and "
               "BRIDGEMASTER_CA is not needed";
    }
    switch (SSL_get_verify_result(ssl)) {
        case X509_V_OK:
            return std::nullopt;
        case X509_V_ERR_CERT_HAS_EXPIRED:
            return "the server's certificate has expired and must be renewed; if it is self-signed, "
                   "pass the new file as Options::ca or BRIDGEMASTER_CA";
        case X509_V_ERR_CERT_NOT_YET_VALID:
            return "the server's certificate is not valid yet; check the clocks of both machines";
        case X509_V_ERR_HOSTNAME_MISMATCH:
        case X509_V_ERR_IP_ADDRESS_MISMATCH:
            return "the server's certificate is for a different name or address than the one you "
                   "connect to; use that name, or trust another certificate with BRIDGEMASTER_CA";
        default:
            return "the server's certificate is not signed by a trusted authority; pass the file to "
                   "trust as Options::ca or BRIDGEMASTER_CA";
    }
}

}  // namespace

std::optional<std::string> tls_mistake(const Server& server) {
    const auto until = Clock::now() + timeout;
    if (server.scheme == "https") {
        return certificate_mistake(server, until);
    }
    if (requires_tls(server.target, until)) {
        return "the server requires TLS; begin the address with https://, and if its certificate is "
               "not signed by an authority that the system trusts, pass the file to trust as "
               "Options::ca or BRIDGEMASTER_CA";
    }
    return std::nullopt;
}

}  // namespace bridgemaster
