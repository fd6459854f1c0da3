package bridgemaster

import (
	"time"

	v1 "bridgemaster/gen/bridgemaster/v1"
)

// Request is a decision that the bot is asked for. It is complete: no earlier request is needed to
// answer it well.
type Request struct {
	// Message is the message as it came. Message.Game has an entry for each game, such as
	// Message.GetGame().GetAlhambra(), with observation, legal decisions and events.
	Message *v1.DecisionRequest
	// Seat is the seat that is asked, from 0.
	Seat uint32
	// Received is when it came.
	Received time.Time
}

// LegalCount is the length of the list of legal decisions, at least 1: any index below it can be
// answered.
func (request *Request) LegalCount() int { return int(request.Message.GetLegalCount()) }

// GameName is the identifier of the game, such as "old_london_bridge"; empty for a game of a newer
// server.
func (request *Request) GameName() string {
	game := request.Message.GetGame().ProtoReflect()
	entry := game.WhichOneof(game.Descriptor().Oneofs().Get(0))
	if entry == nil {
		return ""
	}
	return string(entry.Name())
}

// Used is the time since the request came.
func (request *Request) Used() time.Duration { return time.Since(request.Received) }

// DecisionLeft is the time left for this decision, now; 0 when it is late. Time on the network is not
// counted: the server credits the measured round trip, up to a limit in the rules of the match.
func (request *Request) DecisionLeft() time.Duration {
	return request.left(request.Message.GetClock().GetDecisionLeftMs())
}

// BankLeft is the time left in the bank, now; 0 when it is empty.
func (request *Request) BankLeft() time.Duration {
	return request.left(request.Message.GetClock().GetBankLeftMs())
}

func (request *Request) left(ms uint32) time.Duration {
	return max(0, time.Duration(ms)*time.Millisecond-request.Used())
}
