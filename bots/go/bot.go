// Package bridgemaster plays seats of Bridgemaster matches. A complete bot:
//
//	func main() {
//		bridgemaster.Run(bridgemaster.DecideFunc(func(request *bridgemaster.Request) bridgemaster.Choice {
//			return bridgemaster.Index(request.LegalCount() / 2)
//		}), bridgemaster.Options{Name: "middle"})
//	}
//
// Environment variables select the match: BRIDGEMASTER_TICKET is the join ticket of the seat,
// BRIDGEMASTER_SERVER the address of the server, and BRIDGEMASTER_KEY the API key if the server
// requires one. Play takes these as Options, and returns the result of the match.
package bridgemaster

import (
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	v1 "github.com/bridgemaster-games/bridgemaster/bots/go/gen/bridgemaster/v1"
)

// Bot decides for one seat of one match.
//
// The methods are called in sequence on a goroutine dedicated to the bot, so a bot can compute for
// as long as its clock allows. Pings are answered in the meantime. A bot can also implement
// Listener.
type Bot interface {
	// Decide answers a request. The clock of the seat runs until the answer reaches the server.
	// Decide is called again with the same request after a refused answer, as long as the request
	// is still open.
	//
	// A long computation should end early once request.Context() is done: until Decide has returned,
	// the bot cannot play in this slot again.
	Decide(request *Request) Choice
}

// DecideFunc is a bot that consists of its Decide function.
type DecideFunc func(request *Request) Choice

// Decide calls the function.
func (decide DecideFunc) Decide(request *Request) Choice { return decide(request) }

// Listener is a bot that receives the events of the match.
type Listener interface {
	// MatchStarted is called when the match starts, before the first request. It is called again if
	// the server has lost the last part of the match: discard everything derived from earlier
	// requests. The next request is complete, as every request is.
	MatchStarted(started *v1.MatchStarted)
	// DecisionRejected is called when a decision of this bot was refused.
	DecisionRejected(rejected *v1.DecisionRejected)
	// SeatChanged is called when any seat disconnects, reconnects, forfeits or gets a strike.
	SeatChanged(status *v1.SeatStatus)
	// MatchEnded is called when the match is over. It is not called if the server is lost before then.
	MatchEnded(result *v1.MatchResult)
}

// Choice is the answer to a request, created by Index, Decision or Resign. The zero Choice is not
// valid.
type Choice struct {
	isIndex  bool
	index    int
	decision proto.Message
	resign   bool
	note     string
}

// Index chooses by an index into the legal decisions, from 0.
func Index(index int) Choice { return Choice{isIndex: true, index: index} }

// Decision chooses a complete decision: a Decision of the game, or a GameDecision.
func Decision(decision proto.Message) Choice { return Choice{decision: decision} }

// Resign resigns the match: the seat forfeits and takes the last place.
func Resign() Choice { return Choice{resign: true} }

// WithNote adds the bot's comment on the position, for people who read the replay: at most 1 KiB.
// The note has no effect on the game, and other bots do not see it. A note that the server does not
// accept is dropped.
func (choice Choice) WithNote(note string) Choice {
	choice.note = note
	return choice
}

// message returns the message that carries a choice.
func (choice Choice) message(requestID uint32) (*v1.PlayRequest, error) {
	if choice.resign {
		return &v1.PlayRequest{Message: &v1.PlayRequest_Resign{Resign: &v1.Resign{}}}, nil
	}
	decision := &v1.Decision{RequestId: requestID, Note: choice.note}
	switch {
	case choice.decision != nil:
		complete, err := gameDecision(choice.decision)
		if err != nil {
			return nil, err
		}
		decision.Choice = &v1.Decision_Decision{Decision: complete}
	case !choice.isIndex:
		return nil, errors.New("Decide returned the zero Choice; expected Index, Decision or Resign")
	case choice.index < 0:
		return nil, fmt.Errorf("Decide returned index %d; an index must not be negative", choice.index)
	default:
		// The server refuses an index that is too large and reports the valid range.
		index := uint32(min(int64(choice.index), math.MaxUint32))
		decision.Choice = &v1.Decision_Index{Index: index}
	}
	return &v1.PlayRequest{Message: &v1.PlayRequest_Decision{Decision: decision}}, nil
}

// gameDecision wraps a decision of a game in a GameDecision.
func gameDecision(decision proto.Message) (*v1.GameDecision, error) {
	if wrapped, ok := decision.(*v1.GameDecision); ok {
		return wrapped, nil
	}
	wrapped := &v1.GameDecision{}
	message := decision.ProtoReflect()
	fields := wrapped.ProtoReflect().Descriptor().Fields()
	for i := range fields.Len() {
		if field := fields.Get(i); field.Message().FullName() == message.Descriptor().FullName() {
			wrapped.ProtoReflect().Set(field, protoreflect.ValueOfMessage(message))
			return wrapped, nil
		}
	}
	return nil, fmt.Errorf("Decide returned a %s, which is not a decision", message.Descriptor().FullName())
}
