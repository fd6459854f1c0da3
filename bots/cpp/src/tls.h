// TLS mistakes, such as an untrusted certificate.

#pragma once

#include <optional>
#include <string>

#include "server.h"

namespace bridgemaster {

// Connects to a server, and returns the TLS mistake that makes the connection fail; none if there is
// no such mistake.
//
// gRPC does not report the reason: a server with TLS closes a connection without TLS, and the text
// of other failures depends on the TLS library.
std::optional<std::string> tls_mistake(const Server& server);

}  // namespace bridgemaster
