// Formatting and validation of text.

#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace bridgemaster {

// Returns text on one line. Escapes characters that are not printable, so that text from outside
// cannot control the terminal.
std::string escape(std::string_view text);

// Returns the number of characters if all of them are printable; otherwise npos.
std::size_t printable_length(std::string_view text);

// Formats a duration in seconds, for people.
std::string in_seconds(std::chrono::duration<double> span);

// Returns a random identifier of 32 hexadecimal digits.
std::string random_id();

// Returns text without surrounding white space.
std::string trimmed(const std::string& text);

}  // namespace bridgemaster
