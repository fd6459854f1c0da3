#include "text.h"

#include <gtest/gtest.h>

namespace bridgemaster {
namespace {

TEST(Text, CharactersThatAreNotPrintableAreEscaped) {
    EXPECT_EQ(escape("naïve 桥 🌉"), "naïve 桥 🌉");
    EXPECT_EQ(escape("a\x1b[2J\n"), "a\\u{1b}[2J\\u{a}");
    EXPECT_EQ(escape("\u202e\u200b"), "\\u{202e}\\u{200b}");
    // Invalid UTF-8: a stray byte, a truncated character, and an overlong encoding.
    EXPECT_EQ(escape("\xff\xe2\x82"), "\\xff\\xe2\\x82");
    EXPECT_EQ(escape("\xe0\x80\x80"), "\\xe0\\x80\\x80");
}

TEST(Text, CharactersAreCountedRatherThanBytes) {
    EXPECT_EQ(printable_length(""), 0U);
    EXPECT_EQ(printable_length("桥é"), 2U);
    EXPECT_EQ(printable_length("a\tb"), std::string_view::npos);
    EXPECT_EQ(printable_length("\xff"), std::string_view::npos);
}

}  // namespace
}  // namespace bridgemaster
