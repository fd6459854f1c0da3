// Package bridgemaster plays seats of Bridgemaster matches. A complete bot:
//
//	func main() {
//		bridgemaster.Run(bridgemaster.DecideFunc(func(request *bridgemaster.Request) bridgemaster.Choice {
//			return bridgemaster.Index(request.LegalCount() / 2)
//		}), bridgemaster.Options{Name: "middle"})
//	}
//
// The environment says what to play: BRIDGEMASTER_TICKET has the join ticket of the seat,
// BRIDGEMASTER_SERVER the address of the server, and BRIDGEMASTER_KEY the API key if the server asks
// for one. Play takes these as Options, and returns the result of the match.
package bridgemaster

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	v1 "bridgemaster/gen/bridgemaster/v1"
)

// Bot decides for one seat of one match.
//
// Its methods are called one after the other on a goroutine of the bot's own. A bot may think there
// as long as its clock allows; Pings are answered meanwhile. It may have the methods of Listener too.
type Bot interface {
	// Decide answers a request. The clock of the seat runs until the answer is at the server. When
	// the answer is refused and the request still open, Decide is called with the same request again.
	Decide(request *Request) Choice
}

// DecideFunc is a bot that is only a function.
type DecideFunc func(request *Request) Choice

// Decide calls the function.
func (decide DecideFunc) Decide(request *Request) Choice { return decide(request) }

// Listener is a bot that wants to know more than what it is asked.
type Listener interface {
	// MatchStarted tells what stays the same during the match, before the first request. It is called
	// again when the server has lost the end of what was played: forget all requests before. What is
	// asked next is complete, as ever.
	MatchStarted(started *v1.MatchStarted)
	// DecisionRejected tells why a decision was refused.
	DecisionRejected(rejected *v1.DecisionRejected)
	// SeatChanged tells that a seat's bot, perhaps this one, is gone, back, has a strike or forfeited.
	SeatChanged(status *v1.SeatStatus)
	// MatchEnded tells the result. It is not called if the server is lost before.
	MatchEnded(result *v1.MatchResult)
}

// Choice is the answer to a request: made by Index, Full or Resign.
type Choice struct {
	index  int
	full   proto.Message
	resign bool
	note   string
}

// Index chooses by the position in the list of legal decisions, from 0.
func Index(index int) Choice { return Choice{index: index} }

// Full chooses a decision in full: a Decision of the game, or a GameDecision.
func Full(decision proto.Message) Choice { return Choice{full: decision} }

// Resign gives the match up: the seat forfeits and takes the last place.
func Resign() Choice { return Choice{resign: true} }

// WithNote adds what the bot thinks of the position, for people who read the replay: at most 1 KiB,
// which no rule and no other bot reads. A note that the server does not keep is dropped.
func (choice Choice) WithNote(note string) Choice {
	choice.note = note
	return choice
}

// message returns what to send for a choice.
func (choice Choice) message(requestID uint32) (*v1.PlayRequest, error) {
	if choice.resign {
		return &v1.PlayRequest{Message: &v1.PlayRequest_Resign{Resign: &v1.Resign{}}}, nil
	}
	decision := &v1.Decision{RequestId: requestID, Note: choice.note}
	switch {
	case choice.full != nil:
		full, err := inFull(choice.full)
		if err != nil {
			return nil, err
		}
		decision.Choice = &v1.Decision_Decision{Decision: full}
	case choice.index < 0:
		return nil, fmt.Errorf("Decide returned the index %d: an index counts from 0", choice.index)
	default:
		// The server refuses an index that is out of range, and says what would be valid.
		index := uint32(min(int64(choice.index), math.MaxUint32))
		decision.Choice = &v1.Decision_Index{Index: index}
	}
	return &v1.PlayRequest{Message: &v1.PlayRequest_Decision{Decision: decision}}, nil
}

// inFull returns a decision as the protocol carries it: in the entry of its game.
func inFull(decision proto.Message) (*v1.GameDecision, error) {
	if full, ok := decision.(*v1.GameDecision); ok {
		return full, nil
	}
	full := &v1.GameDecision{}
	message := decision.ProtoReflect()
	entries := full.ProtoReflect().Descriptor().Fields()
	for i := range entries.Len() {
		if entry := entries.Get(i); entry.Message().FullName() == message.Descriptor().FullName() {
			full.ProtoReflect().Set(entry, protoreflect.ValueOfMessage(message))
			return full, nil
		}
	}
	return nil, fmt.Errorf("Decide returned a %s, which is no decision", message.Descriptor().FullName())
}
