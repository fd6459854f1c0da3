#include "text.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <random>
#include <sstream>
#include <utility>

namespace bridgemaster {
namespace {

// Ranges of control, bidirectional, invisible, private-use and unassigned characters.
constexpr std::array<std::pair<char32_t, char32_t>, 15> not_printable{{
    {0x00, 0x1f},
    {0x7f, 0x9f},
    {0xad, 0xad},
    {0x061c, 0x061c},
    {0x180e, 0x180e},
    {0x200b, 0x200f},
    {0x2028, 0x202e},
    {0x2060, 0x206f},
    {0xd800, 0xf8ff},
    {0xfdd0, 0xfdef},
    {0xfeff, 0xfeff},
    {0xfff0, 0xfffb},
    {0xfffe, 0xffff},
    {0xe0000, 0xe0fff},
    {0xf0000, 0x10ffff},
}};

bool is_printable(char32_t point) {
    for (const auto& [first, last] : not_printable) {
        if (first <= point && point <= last) {
            return false;
        }
    }
    return true;
}

// The first character of a text and its length in bytes; 0 bytes if it is not valid UTF-8.
struct Decoded {
    char32_t point;
    std::size_t bytes;
};

std::size_t bytes_after(unsigned first) {
    if (first < 0x80) {
        return 1;
    }
    if (first < 0xc2 || first >= 0xf5) {
        return 0;
    }
    return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

Decoded decode(std::string_view text) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned first = byte(0);
    const std::size_t bytes = bytes_after(first);
    if (bytes == 0 || bytes > text.size()) {
        return {0, 0};
    }
    char32_t point = bytes == 1 ? first : first & (0x7fU >> bytes);
    for (std::size_t at = 1; at < bytes; ++at) {
        if ((byte(at) & 0xc0U) != 0x80) {
            return {0, 0};
        }
        point = (point << 6) | (byte(at) & 0x3fU);
    }
    const bool is_long = (bytes == 3 && point < 0x800) || (bytes == 4 && point < 0x10000);
    return is_long || point > 0x10ffff ? Decoded{0, 0} : Decoded{point, bytes};
}

}  // namespace

std::string escape(std::string_view text) {
    std::string line;
    while (!text.empty()) {
        const auto [point, bytes] = decode(text);
        const std::size_t consumed = bytes == 0 ? 1 : bytes;
        if (bytes > 0 && is_printable(point)) {
            line += text.substr(0, bytes);
        } else {
            const auto value = bytes > 0 ? static_cast<std::uint32_t>(point)
                                         : static_cast<unsigned char>(text[0]);
            std::array<char, 16> escaped{};
            std::snprintf(escaped.data(), escaped.size(), bytes > 0 ? "\\u{%x}" : "\\x%02x",
                          static_cast<unsigned>(value));
            line += escaped.data();
        }
        text.remove_prefix(consumed);
    }
    return line;
}

std::size_t printable_length(std::string_view text) {
    std::size_t length = 0;
    while (!text.empty()) {
        const auto [point, bytes] = decode(text);
        if (bytes == 0 || !is_printable(point)) {
            return std::string_view::npos;
        }
        text.remove_prefix(bytes);
        ++length;
    }
    return length;
}

std::string in_seconds(std::chrono::duration<double> span) {
    std::ostringstream text;
    text << span.count() << " s";
    return text.str();
}

std::string random_id() {
    std::random_device source;
    std::string id;
    for (int part = 0; part < 4; ++part) {
        std::array<char, 9> digits{};
        std::snprintf(digits.data(), digits.size(), "%08x", source());
        id += digits.data();
    }
    return id;
}

std::string trimmed(const std::string& text) {
    const char* blank = " \t\r\n";
    const auto first = text.find_first_not_of(blank);
    const auto last = text.find_last_not_of(blank);
    return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

}  // namespace bridgemaster
