// A bot for every game that computes a value for each legal decision and answers with the best.
package main

import (
	"math/rand/v2"

	"google.golang.org/protobuf/proto"

	bridgemaster "github.com/bridgemaster-games/bridgemaster/bots/go"
	alhambra "github.com/bridgemaster-games/bridgemaster/bots/go/gen/bridgemaster/games/alhambra/v1"
	bridges "github.com/bridgemaster-games/bridgemaster/bots/go/gen/bridgemaster/games/bridges_to_nowhere/v1"
	carcassonne "github.com/bridgemaster-games/bridgemaster/bots/go/gen/bridgemaster/games/carcassonne/v1"
	london "github.com/bridgemaster-games/bridgemaster/bots/go/gen/bridgemaster/games/old_london_bridge/v1"
	v1 "github.com/bridgemaster-games/bridgemaster/bots/go/gen/bridgemaster/v1"
)

const (
	// lastRound is the round in which pillars are placed. Earlier pillars would stop runs from
	// growing.
	lastRound = 3
	// reserve is the number of meeples reserved for cities and monasteries.
	reserve = 2
)

func main() {
	options := bridgemaster.Options{Name: "go-sample", Version: "1"}
	bridgemaster.RunEach(func() bridgemaster.Bot { return bridgemaster.DecideFunc(decide) }, options)
}

func decide(request *bridgemaster.Request) bridgemaster.Choice {
	switch game := request.Message.GetGame().GetGame().(type) {
	case *v1.GameRequest_OldLondonBridge:
		return best(game.OldLondonBridge.GetLegalDecisions(), valueInOldLondonBridge)
	case *v1.GameRequest_Alhambra:
		yard := game.Alhambra.GetObservation().GetYard()
		return best(game.Alhambra.GetLegalDecisions(), func(decision *alhambra.Decision) int {
			return valueInAlhambra(decision, yard)
		})
	case *v1.GameRequest_BridgesToNowhere:
		round := game.BridgesToNowhere.GetObservation().GetRound()
		return best(game.BridgesToNowhere.GetLegalDecisions(), func(decision *bridges.Decision) int {
			return valueInBridges(decision, round)
		})
	case *v1.GameRequest_Carcassonne:
		view := game.Carcassonne.GetObservation()
		return best(game.Carcassonne.GetLegalDecisions(), func(decision *carcassonne.Decision) int {
			return valueInCarcassonne(decision, view)
		})
	}
	// The game is unknown to this program. An index is a valid answer in every game.
	return bridgemaster.Index(rand.IntN(request.LegalCount()))
}

// best chooses a decision with the highest value; ties are broken at random.
func best[D proto.Message](legal []D, value func(D) int) bridgemaster.Choice {
	var equals []D
	highest := 0
	for _, decision := range legal {
		current := value(decision)
		if len(equals) == 0 || current > highest {
			highest, equals = current, nil
		}
		if current == highest {
			equals = append(equals, decision)
		}
	}
	return bridgemaster.Decision(equals[rand.IntN(len(equals))])
}

// valueInOldLondonBridge prefers placements in the centre, and uses tiles before it ends the turn.
func valueInOldLondonBridge(decision *london.Decision) int {
	switch kind := decision.GetDecision().(type) {
	case *london.Decision_End:
		return -1
	case *london.Decision_TakeCards:
		return sum(kind.TakeCards.GetCards())
	case *london.Decision_Place:
		if kind.Place.GetShare() {
			return int(kind.Place.GetSpot()) + 1
		}
		return int(kind.Place.GetSpot())
	}
	return 0
}

// valueInAlhambra prefers exact purchases by price, and otherwise takes the most money.
func valueInAlhambra(decision *alhambra.Decision, yard *alhambra.Yard) int {
	switch kind := decision.GetDecision().(type) {
	case *alhambra.Decision_Take:
		money := 0
		for _, card := range kind.Take.GetCards() {
			money += int(card.GetValue())
		}
		return money
	case *alhambra.Decision_Buy:
		if kind.Buy.GetGive() {
			return 0
		}
		slots := []*alhambra.Building{
			nil, yard.GetBlue(), yard.GetGreen(), yard.GetOrange(), yard.GetYellow()}
		price := int(slots[kind.Buy.GetSlot()].GetPrice())
		excess := sum(kind.Buy.GetPayment()) - price
		if excess == 0 {
			return price + 10
		}
		return price - 2*excess
	}
	return 0
}

// valueInBridges prefers high numbers, and builds them on high levels.
func valueInBridges(decision *bridges.Decision, round uint32) int {
	if take := decision.GetTake(); take != nil {
		return int(take.GetBridgeCard().GetNumber())
	}
	switch piece := decision.GetPlace().GetPiece().(type) {
	case *bridges.Placement_BridgeCard:
		return int(decision.GetPlace().GetLevel() * piece.BridgeCard.GetNumber())
	case *bridges.Placement_Pillar:
		if round != lastRound {
			return -1
		}
		return 1
	case *bridges.Placement_Monument:
		return 1
	}
	return 0
}

// valueInCarcassonne prefers cells with many neighbours, and segments that score for a meeple.
func valueInCarcassonne(decision *carcassonne.Decision, view *carcassonne.Observation) int {
	if place := decision.GetPlace(); place != nil {
		around := 0
		for _, tile := range view.GetTiles() {
			if near(tile.GetX(), place.GetX()) && near(tile.GetY(), place.GetY()) {
				around++
			}
		}
		return around
	}
	segment, ok := decision.GetMeeple().GetChoice().(*carcassonne.MeepleChoice_Segment)
	if !ok {
		return 0
	}
	minValue := 1
	if view.GetSeats()[view.GetViewerSeat()].GetSupply() <= reserve {
		minValue = 2
	}
	if value := valueOfSegment(segment.Segment); value >= minValue {
		return value
	}
	return -1
}

// valueOfSegment returns the value of a segment for a meeple. Fields are worth least, because a
// meeple on a field stays to the end of the match.
func valueOfSegment(segment carcassonne.Segment) int {
	switch {
	case segment == carcassonne.Segment_SEGMENT_MONASTERY:
		return 3
	case segment <= carcassonne.Segment_SEGMENT_ROAD_WEST:
		return 1
	case segment <= carcassonne.Segment_SEGMENT_CITY_WEST:
		return 2
	}
	return 0
}

func near(one, other int32) bool { return one-other <= 1 && other-one <= 1 }

func sum(numbers []uint32) int {
	total := 0
	for _, number := range numbers {
		total += int(number)
	}
	return total
}
