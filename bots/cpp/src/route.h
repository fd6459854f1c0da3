// The servers that a seat or an attendance tries.

#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "refusals.h"
#include "server.h"
#include "tls.h"

namespace bridgemaster {

// The current server, among the configured ones.
class Route {
public:
    // Starts at the first server; there must be at least one.
    explicit Route(std::vector<Server> servers)
        : servers_(std::move(servers)), server_(servers_.front()) {}

    const Server& server() const { return server_; }

    // Returns the time to wait for the first answer of a server, at most max. Several servers share
    // total equally.
    std::chrono::milliseconds answer_timeout(std::chrono::milliseconds max,
                                             std::chrono::milliseconds total) const {
        const auto count = static_cast<long>(servers_.size());
        return count == 1 ? max : std::min(max, total / count);
    }

    // Throws TlsError if a TLS mistake made the current server fail. With several servers, the next
    // one is tried instead. The server is checked once, and not after a stream has worked.
    void check_tls(const StreamLost& lost, bool had_stream) {
        if (servers_.size() > 1 || !lost.reason.empty() || !server_.proxy.empty() || had_stream ||
            checked_) {
            return;
        }
        checked_ = true;
        if (const auto mistake = tls_mistake(server_)) {
            throw TlsError("cannot connect to " + server_.address + ": " + *mistake);
        }
    }

    // Continues with the next configured server, after a failure of the current one.
    void advance() {
        index_ = (index_ + 1) % servers_.size();
        server_ = servers_[index_];
    }

private:
    std::vector<Server> servers_;
    std::size_t index_ = 0;
    Server server_;
    bool checked_ = false;
};

}  // namespace bridgemaster
