// A bot that plays every game: it gives each legal decision a value and answers the best in full.
package main

import (
	"math/rand/v2"

	"google.golang.org/protobuf/proto"

	"bridgemaster"
	alhambra "bridgemaster/gen/bridgemaster/games/alhambra/v1"
	bridges "bridgemaster/gen/bridgemaster/games/bridges_to_nowhere/v1"
	carcassonne "bridgemaster/gen/bridgemaster/games/carcassonne/v1"
	london "bridgemaster/gen/bridgemaster/games/old_london_bridge/v1"
	v1 "bridgemaster/gen/bridgemaster/v1"
)

const (
	// lastRound is the round in which the pillars are placed: earlier they stop runs from growing.
	lastRound = 3
	// reserve are meeples that are kept for cities and monasteries.
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
	// A game of a newer server: an index works without knowing it.
	return bridgemaster.Index(rand.IntN(request.LegalCount()))
}

// best chooses a decision of the highest value, by chance among equals.
func best[D proto.Message](legal []D, value func(D) int) bridgemaster.Choice {
	var equals []D
	highest := 0
	for _, decision := range legal {
		worth := value(decision)
		if len(equals) == 0 || worth > highest {
			highest, equals = worth, nil
		}
		if worth == highest {
			equals = append(equals, decision)
		}
	}
	return bridgemaster.Full(equals[rand.IntN(len(equals))])
}

// valueInOldLondonBridge: uses what it has before it ends its turn, and likes the centre.
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

// valueInAlhambra: buys at exact prices, the dearest first; else takes the most money.
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
		tooMuch := sum(kind.Buy.GetPayment()) - price
		if tooMuch == 0 {
			return price + 10
		}
		return price - 2*tooMuch
	}
	return 0
}

// valueInBridges: drafts high numbers and builds them high up.
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

// valueInCarcassonne: lays tiles where many lie around, and places meeples where they pay.
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
	wanted := 1
	if view.GetSeats()[view.GetViewerSeat()].GetSupply() <= reserve {
		wanted = 2
	}
	if value := valueOfSegment(segment.Segment); value >= wanted {
		return value
	}
	return -1
}

// valueOfSegment: on a field a meeple would stay to the end.
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
