// Compares the library with the table of refusals.

#include <gtest/gtest.h>

#include <fstream>
#include <regex>

#include "bridgemaster/v1/refusal.pb.h"
#include "refusals.h"

namespace bridgemaster {
namespace {

TEST(ProtocolPage, TheAdviceForEveryReasonIsTheOneOfTheTable) {
    std::ifstream page(PROTOCOL_PAGE);
    ASSERT_TRUE(page);
    const std::regex row(R"(^\| `([A-Z_]+)` \|.*\| (retry|fix|stop)[^|]*\|$)");
    const std::map<std::string, Advice> advices{
        {"retry", Advice::retry}, {"fix", Advice::fix}, {"stop", Advice::stop}};
    int rows = 0;
    for (std::string line; std::getline(page, line);) {
        std::smatch parts;
        if (std::regex_match(line, parts, row)) {
            ++rows;
            EXPECT_EQ(advice_for(parts[1], grpc::StatusCode::UNAVAILABLE), advices.at(parts[2]))
                << parts[1];
        }
    }
    // UNSPECIFIED has no row.
    EXPECT_EQ(rows, v1::RefusalReason_descriptor()->value_count() - 1);
}

}  // namespace
}  // namespace bridgemaster
