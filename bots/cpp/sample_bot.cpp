// A bot for every game that computes a value for each legal decision and answers with the best.

#include <bridgemaster/bridgemaster.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <vector>

namespace {

using bridgemaster::Choice;
using bridgemaster::Request;
namespace v1 = bridgemaster::v1;
namespace alhambra = bridgemaster::games::alhambra::v1;
namespace bridges = bridgemaster::games::bridges_to_nowhere::v1;
namespace carcassonne = bridgemaster::games::carcassonne::v1;
namespace london = bridgemaster::games::old_london_bridge::v1;

// The round in which pillars are placed. Earlier pillars would only stop runs from growing.
constexpr std::uint32_t last_round = 3;
// Number of meeples reserved for cities and monasteries.
constexpr std::uint32_t reserve = 2;

template <typename Numbers>
int sum(const Numbers& numbers) {
    int total = 0;
    for (const auto number : numbers) {
        total += static_cast<int>(number);
    }
    return total;
}

// Prefers placements in the centre, and uses tiles before it ends the turn.
int value_in_old_london_bridge(const london::Decision& decision) {
    switch (decision.decision_case()) {
        case london::Decision::kEnd:
            return -1;
        case london::Decision::kTakeCards:
            return sum(decision.take_cards().cards());
        case london::Decision::kPlace:
            return decision.place().spot() + (decision.place().share() ? 1 : 0);
        default:
            return 0;
    }
}

const alhambra::Building& building(const alhambra::Yard& yard, alhambra::Currency slot) {
    switch (slot) {
        case alhambra::CURRENCY_BLUE:
            return yard.blue();
        case alhambra::CURRENCY_GREEN:
            return yard.green();
        case alhambra::CURRENCY_ORANGE:
            return yard.orange();
        default:
            return yard.yellow();
    }
}

// Prefers exact purchases by price, and otherwise takes the most money.
int value_in_alhambra(const alhambra::Decision& decision, const alhambra::Yard& yard) {
    if (decision.has_take()) {
        int money = 0;
        for (const auto& card : decision.take().cards()) {
            money += static_cast<int>(card.value());
        }
        return money;
    }
    if (!decision.has_buy() || decision.buy().give()) {
        return 0;
    }
    const int price = static_cast<int>(building(yard, decision.buy().slot()).price());
    const int excess = sum(decision.buy().payment()) - price;
    return price + (excess == 0 ? 10 : -2 * excess);
}

// Prefers high numbers, and builds them on high levels.
int value_in_bridges(const bridges::Decision& decision, std::uint32_t round) {
    if (decision.has_take()) {
        return static_cast<int>(decision.take().bridge_card().number());
    }
    const auto& place = decision.place();
    switch (place.piece_case()) {
        case bridges::Placement::kBridgeCard:
            return static_cast<int>(place.level() * place.bridge_card().number());
        case bridges::Placement::kPillar:
            return round == last_round ? 1 : -1;
        case bridges::Placement::kMonument:
            return 1;
        default:
            return 0;
    }
}

// Returns the value of a segment for a meeple. Fields are worth least, because a meeple on a field
// stays to the end of the match.
int value_of(carcassonne::Segment segment) {
    if (segment == carcassonne::SEGMENT_MONASTERY) {
        return 3;
    }
    if (segment <= carcassonne::SEGMENT_ROAD_WEST) {
        return 1;
    }
    return segment <= carcassonne::SEGMENT_CITY_WEST ? 2 : 0;
}

// Prefers cells with many neighbours, and segments that score for a meeple.
int value_in_carcassonne(const carcassonne::Decision& decision,
                         const carcassonne::Observation& view) {
    if (decision.has_place()) {
        const auto& place = decision.place();
        int around = 0;
        for (const auto& tile : view.tiles()) {
            const bool is_near =
                std::abs(tile.x() - place.x()) <= 1 && std::abs(tile.y() - place.y()) <= 1;
            around += is_near ? 1 : 0;
        }
        return around;
    }
    if (!decision.meeple().has_segment()) {
        return 0;
    }
    const int viewer = static_cast<int>(view.viewer_seat());
    const int min_value = view.seats(viewer).supply() > reserve ? 1 : 2;
    const int value = value_of(decision.meeple().segment());
    return value >= min_value ? value : -1;
}

class SampleBot : public bridgemaster::Bot {
public:
    Choice decide(const Request& request) override {
        const auto& game = request.game();
        switch (game.game_case()) {
            case v1::GameRequest::kOldLondonBridge:
                return best(game.old_london_bridge().legal_decisions(), value_in_old_london_bridge);
            case v1::GameRequest::kAlhambra: {
                const auto& yard = game.alhambra().observation().yard();
                return best(game.alhambra().legal_decisions(), [&](const auto& decision) {
                    return value_in_alhambra(decision, yard);
                });
            }
            case v1::GameRequest::kBridgesToNowhere: {
                const auto round = game.bridges_to_nowhere().observation().round();
                return best(game.bridges_to_nowhere().legal_decisions(), [&](const auto& decision) {
                    return value_in_bridges(decision, round);
                });
            }
            case v1::GameRequest::kCarcassonne: {
                const auto& view = game.carcassonne().observation();
                return best(game.carcassonne().legal_decisions(), [&](const auto& decision) {
                    return value_in_carcassonne(decision, view);
                });
            }
            default:
                // The game is unknown to this program. An index is a valid answer in every game.
                return Choice::index(below(request.legal_count()));
        }
    }

private:
    // Chooses a decision with the highest value; ties are broken at random.
    template <typename Decisions, typename Value>
    Choice best(const Decisions& legal, Value value) {
        std::vector<int> equals;
        std::optional<int> highest;
        for (int index = 0; index < legal.size(); ++index) {
            const int current = value(legal[index]);
            if (!highest || current > *highest) {
                highest = current;
                equals.clear();
            }
            if (current == *highest) {
                equals.push_back(index);
            }
        }
        return Choice::decision(legal[equals.at(below(equals.size()))]);
    }

    std::uint32_t below(std::size_t count) {
        return std::uniform_int_distribution<std::uint32_t>(
            0, static_cast<std::uint32_t>(count) - 1)(random_);
    }

    std::mt19937 random_{std::random_device{}()};
};

}  // namespace

int main() {
    return bridgemaster::run_each([] { return std::make_unique<SampleBot>(); },
                                  {.name = "cpp-sample", .version = "1"});
}
