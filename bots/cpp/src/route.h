// The servers that a seat or an attendance tries.

#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "server.h"

namespace bridgemaster {

// The current server, among the configured ones or after a redirect.
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

    // Records that the server answered instead of redirecting.
    void mark_answered() { was_redirected_ = false; }

    // Moves to moved_to (HOST:PORT), or to the next configured server if the argument is empty.
    // Returns whether to retry at once. Only the first of consecutive redirects is followed at
    // once, so that two servers cannot redirect a caller back and forth without a pause.
    bool advance(const std::string& moved_to) {
        if (auto target = server_.redirect(moved_to)) {
            server_ = std::move(*target);
            return !std::exchange(was_redirected_, true);
        }
        was_redirected_ = false;
        index_ = (index_ + 1) % servers_.size();
        server_ = servers_[index_];
        return false;
    }

private:
    std::vector<Server> servers_;
    // Index of the configured server that was tried last.
    std::size_t index_ = 0;
    Server server_;
    // Set if the previous server redirected and the current one has not answered.
    bool was_redirected_ = false;
};

}  // namespace bridgemaster
