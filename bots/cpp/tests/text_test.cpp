#include "text.h"

#include <gtest/gtest.h>

namespace bridgemaster {
namespace {

TEST(Text, WhatCanTakeOverATerminalIsEscaped) {
    EXPECT_EQ(shown("naïve 桥 🌉"), "naïve 桥 🌉");
    EXPECT_EQ(shown("a\x1b[2J\n"), "a\\u{1b}[2J\\u{a}");
    EXPECT_EQ(shown("\u202e\u200b"), "\\u{202e}\\u{200b}");
    // Bytes that are no UTF-8: a lone one, a character cut short, and one in a longer form.
    EXPECT_EQ(shown("\xff\xe2\x82"), "\\xff\\xe2\\x82");
    EXPECT_EQ(shown("\xe0\x80\x80"), "\\xe0\\x80\\x80");
}

TEST(Text, CharactersAreCountedAndNotBytes) {
    EXPECT_EQ(printable_length(""), 0U);
    EXPECT_EQ(printable_length("桥é"), 2U);
    EXPECT_EQ(printable_length("a\tb"), std::string_view::npos);
    EXPECT_EQ(printable_length("\xff"), std::string_view::npos);
}

}  // namespace
}  // namespace bridgemaster
