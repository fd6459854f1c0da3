package bridgemaster

import (
	"context"
	"time"

	v1 "github.com/bridgemaster-games/bridgemaster/bots/go/gen/bridgemaster/v1"
)

// Request is a decision request. Every request is complete: a bot needs no earlier request to
// answer it.
type Request struct {
	// Message is the message as received. Message.Game has a field for each game, such as
	// Message.GetGame().GetAlhambra(), with the observation, the legal decisions and the events.
	Message *v1.DecisionRequest
	// Seat is the seat that decides, from 0.
	Seat uint32
	// Received is the time of receipt.
	Received time.Time

	ctx context.Context
}

// Context is done once the answer is no longer needed: the match has ended, or the server has
// replaced the request. A long computation should then return any Choice, which is ignored.
func (request *Request) Context() context.Context {
	if request.ctx == nil {
		return context.Background()
	}
	return request.ctx
}

// LegalCount is the number of legal decisions, at least 1; every index below it is valid.
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

// Used is the time since the request was received.
func (request *Request) Used() time.Duration { return time.Since(request.Received) }

// DecisionLeft is the time left for this decision; 0 after the deadline. It excludes network time
// in both directions: the server credits the measured round trip, up to a limit in the rules of the
// match.
func (request *Request) DecisionLeft() time.Duration {
	return request.left(request.Message.GetClock().GetDecisionLeftMs())
}

// BankLeft is the time left in the bank; 0 if it is empty.
func (request *Request) BankLeft() time.Duration {
	return request.left(request.Message.GetClock().GetBankLeftMs())
}

func (request *Request) left(ms uint32) time.Duration {
	return max(0, time.Duration(ms)*time.Millisecond-request.Used())
}
