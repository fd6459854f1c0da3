package bridgemaster

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	v1 "bridgemaster/gen/bridgemaster/v1"
)

// Advice says what to do about an error.
type Advice string

const (
	// Retry: connect again, after a pause.
	Retry Advice = "try again later"
	// Fix: trying again fails in the same way.
	Fix Advice = "fix the bot or its options"
	// Stop: the seat is not to be played any more.
	Stop Advice = "nothing is left to play"
)

// OptionsError says that the options, or the environment in their place, cannot be used.
type OptionsError struct{ Message string }

func (err *OptionsError) Error() string { return shown(err.Message) }

// RefusedError says that the server refused, and that trying again does not help.
type RefusedError struct {
	// Reason is one of the table in PROTOCOL.md, such as "TICKET_UNKNOWN".
	Reason string
	// Message explains it to people.
	Message string
	// Metadata has further facts, such as the scope that a key lacks.
	Metadata map[string]string
	// Advice is Fix or Stop.
	Advice Advice
}

func (err *RefusedError) Error() string {
	return shown(fmt.Sprintf("the server refused: %s: %s (%s)", err.Reason, err.Message, err.Advice))
}

// ServerLostError says that no server answered in time, or that a lost stream did not come back.
type ServerLostError struct {
	// Server is its address.
	Server string
	// Tried is how long it was tried to connect.
	Tried time.Duration
	// Welcomed says whether the server had been reached before.
	Welcomed bool
	// Reason is that of the last refusal, such as "SERVER_STOPPING"; empty when there was none.
	Reason string
	// Last is how the last try failed.
	Last error
}

func (err *ServerLostError) Error() string {
	how := "could not be reached within"
	if err.Welcomed {
		how = "was lost and did not come back within"
	}
	return shown(fmt.Sprintf("%s %s %v: %v", err.Server, how, err.Tried, err.Last))
}

func (err *ServerLostError) Unwrap() error { return err.Last }

// ProtocolError says that the other side is no Bridgemaster server, or breaks the protocol.
type ProtocolError struct{ Message string }

func (err *ProtocolError) Error() string { return shown(err.Message) }

// BrokenSeedCommitmentError says that the match is over, and that its seed is not the one that the
// server had committed to.
type BrokenSeedCommitmentError struct {
	// Commitment is what MatchStarted said.
	Commitment string
	// Ended is what came at the end, with the result.
	Ended *v1.MatchEnded
}

func (err *BrokenSeedCommitmentError) Error() string {
	return fmt.Sprintf("the server played another seed than it had committed to: the commitment was "+
		"%s, the seed revealed is %q with the salt %q",
		shown(err.Commitment), err.Ended.GetSeed(), err.Ended.GetSeedSalt())
}

// NoLegalDecisionError says that the bot kept answering one request with decisions that were refused.
type NoLegalDecisionError struct {
	// Times is how often.
	Times int
	// Last is the last refusal.
	Last *v1.DecisionRejected
}

func (err *NoLegalDecisionError) Error() string {
	return fmt.Sprintf("request %d was answered %d times with a decision that was refused; at last: %s",
		err.Last.GetRequestId(), err.Times, explanation(err.Last))
}

// ReasonOf returns the reason of PROTOCOL.md in an error of this package, or an empty text.
func ReasonOf(err error) string {
	var refused *RefusedError
	var lost *ServerLostError
	var illegal *NoLegalDecisionError
	switch {
	case errors.As(err, &refused):
		return refused.Reason
	case errors.As(err, &lost):
		return lost.Reason
	case errors.As(err, &illegal):
		return reasonName(illegal.Last.GetReason())
	}
	return ""
}

const (
	domain = "bridgemaster"
	prefix = "REFUSAL_REASON_"
	// moved is the refusal of what another server has; movedToEntry names it in the metadata.
	moved        = "MOVED"
	movedToEntry = "address"
)

// advices are the reasons that PROTOCOL.md marks with retry or stop; all others it marks with fix.
var advices = map[string]Advice{
	"HELLO_LATE":         Retry,
	"SLOW_CONSUMER":      Retry,
	"LIMIT_REACHED":      Retry,
	"SERVER_STOPPING":    Retry,
	"STORAGE_FAILED":     Retry,
	"MATCH_RUNNING":      Retry,
	"GROUP_RUNNING":      Retry,
	"MOVED":              Retry,
	"NODE_SUPERSEDED":    Retry,
	"ATTENDANCE_UNKNOWN": Retry,
	"KEYS_UNREADABLE":    Retry,
	"BOT_NOT_AVAILABLE":  Retry,
	"SUPERSEDED":         Stop,
	"SEAT_CLOSED":        Stop,
	"MATCH_CANCELLED":    Stop,
	"MATCH_ENDED":        Stop,
	"OFFER_UNKNOWN":      Stop,
	"LADDER_CLOSED":      Stop,
	"REPLAY_FORGOTTEN":   Stop,
	"DATA_DAMAGED":       Stop,
}

// codesToRetry are what a broken connection looks like, for a status without a known reason.
var codesToRetry = map[codes.Code]bool{
	codes.Unavailable:       true,
	codes.Unknown:           true,
	codes.Internal:          true,
	codes.Canceled:          true,
	codes.Aborted:           true,
	codes.DeadlineExceeded:  true,
	codes.ResourceExhausted: true,
}

// streamLost says that a stream ended before the match did; another one may carry on.
type streamLost struct {
	reason, message string
	// movedTo is where the server sends the caller, as HOST:PORT; empty when it does not.
	movedTo string
}

func (err *streamLost) Error() string { return err.message }

// errorOf sorts a failure of gRPC: a *streamLost when trying again may help, another error when not.
func errorOf(failure error) error {
	told, _ := status.FromError(failure)
	for _, detail := range told.Details() {
		info, ok := detail.(*errdetails.ErrorInfo)
		if !ok || info.GetDomain() != domain {
			continue
		}
		advice := adviceOf(info.GetReason(), told.Code())
		if advice == Retry {
			lost := &streamLost{reason: info.GetReason(), message: info.GetReason() + ": " + told.Message()}
			if lost.reason == moved {
				lost.movedTo = info.GetMetadata()[movedToEntry]
			}
			return lost
		}
		return &RefusedError{info.GetReason(), told.Message(), info.GetMetadata(), advice}
	}
	text := fmt.Sprintf("%v: %s", told.Code(), told.Message())
	if codesToRetry[told.Code()] {
		return &streamLost{message: text}
	}
	return &ProtocolError{"the call failed; is this a Bridgemaster server? " + text}
}

func adviceOf(reason string, code codes.Code) Advice {
	if _, known := v1.RefusalReason_value[prefix+reason]; !known && codesToRetry[code] {
		// A reason of a newer server.
		return Retry
	}
	if advice, ok := advices[reason]; ok {
		return advice
	}
	return Fix
}

// reasonName returns the name of a reason, or its number if a newer server sent it.
func reasonName(reason v1.RefusalReason) string {
	return strings.TrimPrefix(reason.String(), prefix)
}

// explanation says why a decision was refused, for people.
func explanation(rejected *v1.DecisionRejected) string {
	return shown(fmt.Sprintf("%s at %q: %s",
		reasonName(rejected.GetReason()), rejected.GetField(), rejected.GetDetail()))
}

// shown gives text on one line, so that text from outside cannot take over a terminal.
func shown(text string) string {
	var line strings.Builder
	for _, char := range text {
		if unicode.IsPrint(char) {
			line.WriteRune(char)
		} else {
			line.WriteString(strings.Trim(fmt.Sprintf("%+q", char), "'"))
		}
	}
	return line.String()
}
