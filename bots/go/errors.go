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
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	v1 "github.com/bridgemaster-games/bridgemaster/bots/go/gen/bridgemaster/v1"
)

// Advice is how to handle an error.
type Advice string

const (
	// Retry means to connect again, after a pause.
	Retry Advice = "try again later"
	// Fix means to change the bot or its options: a retry fails in the same way.
	Fix Advice = "fix the bot or its options"
	// Stop means that nothing is left to play on this seat.
	Stop Advice = "nothing is left to play"
)

// OptionsError reports that the options, or the environment variables that replace them, are not valid.
type OptionsError struct{ Message string }

func (err *OptionsError) Error() string { return escape(err.Message) }

// RefusedError reports that the server refused, and that a retry does not help.
type RefusedError struct {
	// Reason is from the table of refusals, such as "TICKET_UNKNOWN".
	Reason string
	// Message is an explanation in English, for people.
	Message string
	// Metadata has details such as the scope that a key lacks, by name.
	Metadata map[string]string
	// Advice is Fix or Stop.
	Advice Advice
}

func (err *RefusedError) Error() string {
	return escape(fmt.Sprintf("the server refused: %s: %s (%s)", err.Reason, err.Message, err.Advice))
}

// ServerLostError reports that no server answered in time, or that a lost stream could not be resumed.
type ServerLostError struct {
	// Server is the address that was tried last.
	Server string
	// Waited is the time spent retrying.
	Waited time.Duration
	// Welcomed is set if the server had sent a Welcome before.
	Welcomed bool
	// Reason is the reason of the last refusal, such as "SERVER_STOPPING"; empty without a refusal.
	Reason string
	// Last is the failure of the last attempt.
	Last error
}

func (err *ServerLostError) Error() string {
	text := fmt.Sprintf("no server answered at %s within %v: %v", err.Server, err.Waited, err.Last)
	if err.Welcomed {
		text = fmt.Sprintf("lost the stream to %s and could not resume it within %v: %v",
			err.Server, err.Waited, err.Last)
	}
	return escape(text)
}

func (err *ServerLostError) Unwrap() error { return err.Last }

// ProtocolError reports that the peer is not a Bridgemaster server, or breaks the protocol.
type ProtocolError struct{ Message string }

func (err *ProtocolError) Error() string { return escape(err.Message) }

// BrokenSeedCommitmentError reports that the match has ended, and that its seed does not match the
// server's commitment.
type BrokenSeedCommitmentError struct {
	// Commitment is the commitment sent in MatchStarted.
	Commitment string
	// Ended is the last message of the match, with the seed and the result.
	Ended *v1.MatchEnded
}

func (err *BrokenSeedCommitmentError) Error() string {
	return fmt.Sprintf("the revealed seed does not match the commitment: commitment %q, seed %q, salt %q",
		err.Commitment, err.Ended.GetSeed(), err.Ended.GetSeedSalt())
}

// NoLegalDecisionError reports that the bot answered one request with refused decisions too often.
type NoLegalDecisionError struct {
	// Times is the number of refused decisions.
	Times int
	// Last is the refusal of the last decision.
	Last *v1.DecisionRejected
}

func (err *NoLegalDecisionError) Error() string {
	return fmt.Sprintf("the server refused %d decisions for request %d; the last: %s",
		err.Times, err.Last.GetRequestId(), rejectionText(err.Last))
}

// ReasonOf returns the reason in an error of this package, from the table of refusals; empty if
// it has none.
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
)

// codesToRetry are codes of temporary failures, for a reason that only newer servers use.
var codesToRetry = map[codes.Code]bool{
	codes.Unavailable:       true,
	codes.Unknown:           true,
	codes.Internal:          true,
	codes.Canceled:          true,
	codes.Aborted:           true,
	codes.DeadlineExceeded:  true,
	codes.ResourceExhausted: true,
}

// streamLost reports that a stream ended before the match did; a retry might help.
type streamLost struct {
	reason, message string
}

func (err *streamLost) Error() string { return err.message }

// errorFromRPC classifies a gRPC failure: *streamLost if a retry may help, otherwise another error.
func errorFromRPC(failure error) error {
	rpcStatus, _ := status.FromError(failure)
	for _, detail := range rpcStatus.Details() {
		info, ok := detail.(*errdetails.ErrorInfo)
		if !ok || info.GetDomain() != domain {
			continue
		}
		advice := adviceFor(info.GetReason(), rpcStatus.Code())
		if advice == Retry {
			message := info.GetReason() + ": " + rpcStatus.Message()
			return &streamLost{reason: info.GetReason(), message: message}
		}
		return &RefusedError{info.GetReason(), rpcStatus.Message(), info.GetMetadata(), advice}
	}
	// The status comes from the transport or from an intermediary, such as a proxy.
	text := fmt.Sprintf("%v: %s", rpcStatus.Code(), rpcStatus.Message())
	if !codesToRetry[rpcStatus.Code()] {
		text += " (not an answer of a Bridgemaster server; check the address and proxies)"
	}
	return &streamLost{message: text}
}

func adviceFor(reason string, code codes.Code) Advice {
	value := v1.RefusalReason(0).Descriptor().Values().ByName(protoreflect.Name(prefix + reason))
	if value == nil {
		// Only newer servers use this reason.
		if codesToRetry[code] {
			return Retry
		}
		return Fix
	}
	switch proto.GetExtension(value.Options(), v1.E_Advice) {
	case v1.RefusalAdvice_REFUSAL_ADVICE_RETRY:
		return Retry
	case v1.RefusalAdvice_REFUSAL_ADVICE_STOP:
		return Stop
	}
	return Fix
}

// reasonName returns the name of a reason, or its number if only newer servers use it.
func reasonName(reason v1.RefusalReason) string {
	return strings.TrimPrefix(reason.String(), prefix)
}

// rejectionText returns the reason for a refused decision, as one line for people.
func rejectionText(rejected *v1.DecisionRejected) string {
	return escape(fmt.Sprintf("%s at %q: %s",
		reasonName(rejected.GetReason()), rejected.GetField(), rejected.GetDetail()))
}

// escape returns text on one line. It escapes characters that are not printable, so that text from
// outside cannot control the terminal.
func escape(text string) string {
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
