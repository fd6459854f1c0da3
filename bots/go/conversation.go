package bridgemaster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	v1 "github.com/bridgemaster-games/bridgemaster/bots/go/gen/bridgemaster/v1"
)

// ProtocolRevision is the protocol revision that this package implements.
const ProtocolRevision = 1

// maxRefusedAnswers is the number of refused answers to one request after which the match is
// abandoned: the bot does not find a legal decision, and further attempts would only flood the
// server.
const maxRefusedAnswers = 3

// reaction is the reaction to a message or an answer; exactly one of its fields is set.
type reaction struct {
	send   *v1.PlayRequest
	decide *Request
	notify *v1.PlayResponse
	end    *v1.MatchEnded
}

// openRequest is the newest request, until the next one replaces it.
type openRequest struct {
	request *Request
	answer  *v1.PlayRequest
	// sentOnCurrentStream is false for an answer sent on a lost stream, which may not have arrived.
	sentOnCurrentStream bool
	refusedAnswers      int
	// cancel ends the context of the request.
	cancel context.CancelFunc
}

// conversation is the conversation of one seat, across all of its streams. It does no I/O.
type conversation struct {
	// ctx is the context of Play.
	ctx     context.Context
	options *resolvedOptions
	// clientInstanceID and streamNumber let the server ignore a Hello that arrives late.
	clientInstanceID string
	// streamNumber is the number of the last stream.
	streamNumber uint32
	lastSequence uint32
	welcomed     bool
	matchID      string
	seat         uint32
	historyID    string
	// seedCommitment is empty before MatchStarted, and if the server makes no commitment.
	seedCommitment string
	// seedRevealedWithGroup is set if the seed is revealed with the group, which can end later.
	seedRevealedWithGroup bool
	open                  *openRequest
	// progressed is set once the current stream has received a numbered message.
	progressed bool
}

// hello starts a new stream and returns its Hello.
func (c *conversation) hello() *v1.PlayRequest {
	c.progressed = false
	c.streamNumber++
	if c.open != nil {
		c.open.sentOnCurrentStream = false
	}
	hello := &v1.Hello{
		ProtocolRevision: ProtocolRevision,
		BotName:          c.options.Name,
		BotVersion:       c.options.Version,
		Games:            c.options.Games,
		ClientInstanceId: c.clientInstanceID,
		StreamNumber:     c.streamNumber,
	}
	if c.lastSequence > 0 {
		hello.LastSequence, hello.HistoryId = &c.lastSequence, &c.historyID
	}
	return &v1.PlayRequest{Message: &v1.PlayRequest_Hello{Hello: hello}}
}

// welcome processes the Welcome of a stream. The answer that the previous stream might have lost is
// sent again; the server ignores a duplicate. If the server does not resume, it has lost the last
// part of the match, and the state of the match is reset.
func (c *conversation) welcome(welcome *v1.Welcome) ([]reaction, error) {
	if c.welcomed && (c.matchID != welcome.GetMatchId() || c.seat != welcome.GetSeat()) {
		return nil, &ProtocolError{"the ticket now belongs to a different seat"}
	}
	c.welcomed, c.matchID, c.seat = true, welcome.GetMatchId(), welcome.GetSeat()
	c.historyID = welcome.GetHistoryId()
	if !welcome.GetResumed() {
		if c.lastSequence > 0 {
			c.options.Log.Print("the server lost the last part of the match; starting over")
		}
		c.lastSequence = 0
		c.cancelOpen()
	}
	return c.unsentAnswer(), nil
}

// receive processes a message after the Welcome.
func (c *conversation) receive(response *v1.PlayResponse) ([]reaction, error) {
	switch message := response.GetMessage().(type) {
	case *v1.PlayResponse_Ping:
		pong := &v1.Pong{Nonce: message.Ping.GetNonce()}
		return []reaction{{send: &v1.PlayRequest{Message: &v1.PlayRequest_Pong{Pong: pong}}}}, nil
	case *v1.PlayResponse_Draining:
		return nil, nil
	case *v1.PlayResponse_Welcome:
		return nil, &ProtocolError{"the server broke the protocol: a second Welcome on one stream"}
	}
	request := response.GetDecisionRequest()
	if response.GetSequence() <= c.lastSequence {
		// The message is repeated after a lost stream, or not numbered. Only an open request is
		// handled again.
		return c.requestRepeated(request), nil
	}
	c.lastSequence, c.progressed = response.GetSequence(), true
	switch message := response.GetMessage().(type) {
	case *v1.PlayResponse_MatchStarted:
		return []reaction{{notify: response}}, c.started(message.MatchStarted)
	case *v1.PlayResponse_DecisionRequest:
		return c.requested(request), nil
	case *v1.PlayResponse_DecisionRejected:
		retry, err := c.rejected(message.DecisionRejected)
		return append([]reaction{{notify: response}}, retry...), err
	case *v1.PlayResponse_SeatStatus:
		return []reaction{{notify: response}}, nil
	case *v1.PlayResponse_MatchEnded:
		c.cancelOpen()
		return []reaction{{end: message.MatchEnded}}, c.checkSeed(message.MatchEnded)
	}
	// A message kind that only newer servers send.
	return nil, nil
}

// answer records an answer of the bot, and sends it if its request is still open.
func (c *conversation) answer(request *Request, choice Choice) ([]reaction, error) {
	if c.open == nil || c.open.request != request {
		c.options.Log.Printf("request %d: answer ignored: the request is not open", request.Message.GetRequestId())
		return nil, nil
	}
	message, err := choice.message(request.Message.GetRequestId())
	c.open.answer = message
	return c.unsentAnswer(), err
}

// cancelOpen cancels the open request, if any: its answer is no longer needed.
func (c *conversation) cancelOpen() {
	if c.open != nil {
		c.open.cancel()
		c.open = nil
	}
}

// unsentAnswer returns the answer to send, unless there is none or the current stream has sent it.
func (c *conversation) unsentAnswer() []reaction {
	if c.open == nil || c.open.answer == nil || c.open.sentOnCurrentStream {
		return nil
	}
	c.open.sentOnCurrentStream = true
	return []reaction{{send: c.open.answer}}
}

func (c *conversation) started(started *v1.MatchStarted) error {
	if c.seedCommitment != "" && c.seedCommitment != started.GetSeedCommitment() {
		return &ProtocolError{"the server broke the protocol: the seed commitment changed"}
	}
	c.seedCommitment = started.GetSeedCommitment()
	reveal := started.GetConfig().GetGroup().GetSeedReveal()
	c.seedRevealedWithGroup = reveal == v1.SeedReveal_SEED_REVEAL_WITH_GROUP
	return nil
}

func (c *conversation) checkSeed(ended *v1.MatchEnded) error {
	if c.seedCommitment == "" ||
		(c.seedRevealedWithGroup && ended.GetSeed() == "" && ended.GetSeedSalt() == "") {
		return nil
	}
	commitment, err := SeedCommitment(ended.GetSeed(), ended.GetSeedSalt())
	if err != nil || commitment != c.seedCommitment {
		return &BrokenSeedCommitmentError{c.seedCommitment, ended}
	}
	return nil
}

func (c *conversation) requested(message *v1.DecisionRequest) []reaction {
	if c.open != nil && message.GetRequestId() <= c.open.request.Message.GetRequestId() {
		return c.requestRepeated(message)
	}
	c.cancelOpen()
	ctx, cancel := context.WithCancel(c.ctx)
	request := &Request{Message: message, Seat: c.seat, Received: time.Now(), ctx: ctx}
	c.open = &openRequest{request: request, cancel: cancel}
	return []reaction{{decide: request}}
}

// requestRepeated processes a repeated request. Decide is not called again, because the first call
// might still be running.
func (c *conversation) requestRepeated(message *v1.DecisionRequest) []reaction {
	if message == nil || c.open == nil ||
		message.GetRequestId() != c.open.request.Message.GetRequestId() {
		return nil
	}
	return c.unsentAnswer()
}

func (c *conversation) rejected(rejected *v1.DecisionRejected) ([]reaction, error) {
	c.options.Log.Printf("request %d: refused: %s", rejected.GetRequestId(), rejectionText(rejected))
	if c.open == nil {
		return nil, nil
	}
	requestID := c.open.request.Message.GetRequestId()
	if rejected.GetRequestId() != requestID || rejected.GetOpenRequestId() != requestID {
		return nil, nil
	}
	c.open.answer, c.open.sentOnCurrentStream = nil, false
	c.open.refusedAnswers++
	if c.open.refusedAnswers >= maxRefusedAnswers {
		return nil, &NoLegalDecisionError{c.open.refusedAnswers, rejected}
	}
	return []reaction{{decide: c.open.request}}, nil
}

// SeedCommitment computes the commitment to a seed, given its salt in hex.
func SeedCommitment(seed, seedSalt string) (string, error) {
	salt, err := hex.DecodeString(seedSalt)
	if err != nil {
		return "", fmt.Errorf("invalid seed salt: %w", err)
	}
	sum := sha256.Sum256(append(salt, seed...))
	return hex.EncodeToString(sum[:]), nil
}
