// Text from outside.

#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace bridgemaster {

// Gives text on one line, so that text from outside cannot take over a terminal: what is not
// printable is escaped.
std::string shown(std::string_view text);

// The number of characters, if all of them are printable; else npos.
std::size_t printable_length(std::string_view text);

// A span of time, for people.
std::string in_seconds(std::chrono::duration<double> span);

// Text without the white space around it.
std::string trimmed(const std::string& text);

}  // namespace bridgemaster
