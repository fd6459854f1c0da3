// Which of several servers a seat or an attendance is at.

#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "place.h"

namespace bridgemaster {

// Goes from one server to the next, and where a server says that something is.
class Route {
public:
    // Begins at the server that was named first; there is one at least.
    explicit Route(std::vector<Place> places)
        : places_(std::move(places)), place_(places_.front()) {}

    // Where it is.
    const Place& place() const { return place_; }

    // How long a server may keep one waiting for its first answer, at most most: where several were
    // named, each has its share of the span of time in which one must be found.
    std::chrono::milliseconds patience(std::chrono::milliseconds most,
                                       std::chrono::milliseconds span) const {
        const auto several = static_cast<long>(places_.size());
        return several == 1 ? most : std::min(most, span / several);
    }

    // The server has answered for itself.
    void arrived() { was_sent_ = false; }

    // Goes to moved_to, HOST:PORT, or, when that is empty, to the next server that was named. Tells
    // whether that may be tried at once: two servers that send a caller back and forth must not do
    // so without a pause.
    bool go_on(const std::string& moved_to) {
        if (auto moved = place_.at(moved_to)) {
            place_ = std::move(*moved);
            return !std::exchange(was_sent_, true);
        }
        was_sent_ = false;
        tried_ = (tried_ + 1) % places_.size();
        place_ = places_[tried_];
        return false;
    }

private:
    std::vector<Place> places_;
    // Which of them was tried last.
    std::size_t tried_ = 0;
    Place place_;
    // The server before has sent us here, and nothing came of it yet.
    bool was_sent_ = false;
};

}  // namespace bridgemaster
