package bridgemaster

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	v1 "bridgemaster/gen/bridgemaster/v1"
)

// ProtocolRevision is the revision of the protocol that this package speaks.
const ProtocolRevision = 1

// maxRefusedAnswers is the number of refused answers to one request after which the bot is given up:
// it finds no legal one, and going on would end as a flood.
const maxRefusedAnswers = 3

// reaction is what a message calls for: one of its fields is set.
type reaction struct {
	send *v1.PlayRequest
	ask  *Request
	tell *v1.PlayResponse
	end  *v1.MatchEnded
}

// open is the newest request, until another replaces it.
type open struct {
	request *Request
	answer  *v1.PlayRequest
	// sentOnThisStream: a lost stream may have swallowed what was sent on it.
	sentOnThisStream bool
	refusedAnswers   int
}

// conversation is one seat of one match, over as many streams as it takes. It knows no network.
type conversation struct {
	seating      *seating
	lastSequence uint32
	welcomed     bool
	matchID      string
	seat         uint32
	historyID    string
	// seedCommitment is empty until the start, and with a server that commits to nothing.
	seedCommitment string
	// seedStaysSecret until the group of the match is over.
	seedStaysSecret bool
	open            *open
	// progressed says whether the stream in use has brought a message that counts.
	progressed bool
}

// hello begins a stream.
func (c *conversation) hello() *v1.PlayRequest {
	c.progressed = false
	if c.open != nil {
		c.open.sentOnThisStream = false
	}
	hello := &v1.Hello{
		ProtocolRevision: ProtocolRevision,
		BotName:          c.seating.Name,
		BotVersion:       c.seating.Version,
		Games:            c.seating.Games,
	}
	if c.lastSequence > 0 {
		hello.LastSequence, hello.HistoryId = &c.lastSequence, &c.historyID
	}
	return &v1.PlayRequest{Message: &v1.PlayRequest_Hello{Hello: hello}}
}

// welcome takes the Welcome of a stream. The answer that the stream before may have lost is sent
// again: the server ignores it if it had arrived. A server that does not go on where the bot left off
// has lost the end of what was played, and with it goes all that is known of the course of the match.
func (c *conversation) welcome(welcome *v1.Welcome) ([]reaction, error) {
	if c.welcomed && (c.matchID != welcome.GetMatchId() || c.seat != welcome.GetSeat()) {
		return nil, &ProtocolError{"the ticket leads to another seat than before"}
	}
	c.welcomed, c.matchID, c.seat = true, welcome.GetMatchId(), welcome.GetSeat()
	c.historyID = welcome.GetHistoryId()
	if !welcome.GetResumed() {
		if c.lastSequence > 0 {
			c.seating.Log.Print("the server has lost what was played last: beginning anew")
		}
		c.lastSequence, c.open = 0, nil
	}
	return c.sendAnswer(), nil
}

// receive takes a message that came after the Welcome.
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
		// Sent again after a lost stream, or not counted. Only an open request matters twice.
		return c.askedAgain(request), nil
	}
	c.lastSequence, c.progressed = response.GetSequence(), true
	switch message := response.GetMessage().(type) {
	case *v1.PlayResponse_MatchStarted:
		return []reaction{{tell: response}}, c.started(message.MatchStarted)
	case *v1.PlayResponse_DecisionRequest:
		return c.asked(request), nil
	case *v1.PlayResponse_DecisionRejected:
		asked, err := c.rejected(message.DecisionRejected)
		return append([]reaction{{tell: response}}, asked...), err
	case *v1.PlayResponse_SeatStatus:
		return []reaction{{tell: response}}, nil
	case *v1.PlayResponse_MatchEnded:
		return []reaction{{end: message.MatchEnded}}, c.checkSeed(message.MatchEnded)
	}
	// A kind of a newer server.
	return nil, nil
}

// answer takes what the bot chose, and sends it if it is still wanted.
func (c *conversation) answer(request *Request, choice Choice) ([]reaction, error) {
	if c.open == nil || c.open.request != request {
		c.seating.Log.Printf("request %d: the answer came too late", request.Message.GetRequestId())
		return nil, nil
	}
	message, err := choice.message(request.Message.GetRequestId())
	c.open.answer = message
	return c.sendAnswer(), err
}

// sendAnswer sends the answer, if there is one that the stream in use has not carried.
func (c *conversation) sendAnswer() []reaction {
	if c.open == nil || c.open.answer == nil || c.open.sentOnThisStream {
		return nil
	}
	c.open.sentOnThisStream = true
	return []reaction{{send: c.open.answer}}
}

func (c *conversation) started(started *v1.MatchStarted) error {
	if c.seedCommitment != "" && c.seedCommitment != started.GetSeedCommitment() {
		return &ProtocolError{"the server broke the protocol: the seed commitment changed"}
	}
	c.seedCommitment = started.GetSeedCommitment()
	reveal := started.GetConfig().GetGroup().GetSeedReveal()
	c.seedStaysSecret = reveal == v1.SeedReveal_SEED_REVEAL_WITH_GROUP
	return nil
}

func (c *conversation) checkSeed(ended *v1.MatchEnded) error {
	if c.seedCommitment == "" ||
		(c.seedStaysSecret && ended.GetSeed() == "" && ended.GetSeedSalt() == "") {
		return nil
	}
	commitment, err := SeedCommitment(ended.GetSeed(), ended.GetSeedSalt())
	if err != nil || commitment != c.seedCommitment {
		return &BrokenSeedCommitmentError{c.seedCommitment, ended}
	}
	return nil
}

func (c *conversation) asked(message *v1.DecisionRequest) []reaction {
	if c.open != nil && message.GetRequestId() <= c.open.request.Message.GetRequestId() {
		return c.askedAgain(message)
	}
	request := &Request{Message: message, Seat: c.seat, Received: time.Now()}
	c.open = &open{request: request}
	return []reaction{{ask: request}}
}

// askedAgain takes a request that is known. The bot is not asked twice: it may still be thinking.
func (c *conversation) askedAgain(message *v1.DecisionRequest) []reaction {
	if message == nil || c.open == nil ||
		message.GetRequestId() != c.open.request.Message.GetRequestId() {
		return nil
	}
	return c.sendAnswer()
}

func (c *conversation) rejected(rejected *v1.DecisionRejected) ([]reaction, error) {
	c.seating.Log.Printf("request %d: refused: %s", rejected.GetRequestId(), explanation(rejected))
	if c.open == nil {
		return nil, nil
	}
	requestID := c.open.request.Message.GetRequestId()
	if rejected.GetRequestId() != requestID || rejected.GetOpenRequestId() != requestID {
		return nil, nil
	}
	c.open.answer, c.open.sentOnThisStream = nil, false
	c.open.refusedAnswers++
	if c.open.refusedAnswers >= maxRefusedAnswers {
		return nil, &NoLegalDecisionError{c.open.refusedAnswers, rejected}
	}
	return []reaction{{ask: c.open.request}}, nil
}

// SeedCommitment computes the commitment to a seed, given its salt in hex.
func SeedCommitment(seed, seedSalt string) (string, error) {
	salt, err := hex.DecodeString(seedSalt)
	if err != nil {
		return "", fmt.Errorf("the salt of the seed: %w", err)
	}
	sum := sha256.Sum256(append(salt, seed...))
	return hex.EncodeToString(sum[:]), nil
}
