// The tables that all SDKs share.

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "refusals.h"
#include "scripted_server.h"
#include "server.h"

namespace bridgemaster {
namespace {

std::vector<std::vector<std::string>> rows(const std::string& name) {
    std::ifstream file(SDK_FOLDER "/" + name);
    EXPECT_TRUE(file);
    std::vector<std::vector<std::string>> rows;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with('#')) {
            continue;
        }
        std::istringstream rest(line);
        auto& row = rows.emplace_back();
        for (std::string cell; std::getline(rest, cell, '\t');) {
            row.push_back(cell);
        }
    }
    return rows;
}

std::string parsed(const std::string& address) {
    try {
        const Server server = parse_address(address);
        return server.scheme + " " + server.target;
    } catch (const OptionsError& error) {
        const std::string message = error.what();
        return "error " + message.substr(message.rfind(": ") + 2);
    }
}

TEST(Tables, AddressesAreParsedAsSpecified) {
    for (const auto& row : rows("addresses.tsv")) {
        EXPECT_EQ(parsed(row.at(0)), row.at(1)) << row.at(0);
    }
}

std::string advice_on(const grpc::Status& failure) {
    try {
        throw_for(failure);
    } catch (const StreamLost&) {
        return "retry";
    } catch (const RefusedError& error) {
        return error.advice() == Advice::stop ? "stop" : "fix";
    }
}

TEST(Tables, EveryStatusIsHandledAsTheTableSays) {
    for (const auto& row : rows("statuses.tsv")) {
        const auto code = static_cast<grpc::StatusCode>(std::stoi(row.at(0)));
        const std::string reason = row.at(1) == "-" ? "" : row.at(1);
        EXPECT_EQ(advice_on(scripted::refusal(code, reason)), row.at(2)) << row.at(0) << reason;
    }
}

}  // namespace
}  // namespace bridgemaster
