// The servers that a seat or an attendance tries.

#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "server.h"

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

    // Continues with the next configured server, after a failure of the current one.
    void advance() {
        index_ = (index_ + 1) % servers_.size();
        server_ = servers_[index_];
    }

private:
    std::vector<Server> servers_;
    std::size_t index_ = 0;
    Server server_;
};

}  // namespace bridgemaster
