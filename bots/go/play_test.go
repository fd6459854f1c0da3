package bridgemaster

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	london "bridgemaster/gen/bridgemaster/games/old_london_bridge/v1"
	v1 "bridgemaster/gen/bridgemaster/v1"
)

const (
	historyID = "00112233445566778899aabbccddeeff"
	seed      = "london-1209"
	salt      = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	// commitment to seed with salt: the example of PROTOCOL.md.
	commitment = "fb68e9b2871847c68a016f69b6f578dccf4bcc570460ba524a4063228775796f"
	// patience is how long a test waits for what must happen: far more than it takes.
	patience = 30 * time.Second
)

// scripted is a server on loopback whose every message is in the test's hand.
type scripted struct {
	v1.UnimplementedPlayServiceServer
	v1.UnimplementedLobbyServiceServer
	t           *testing.T
	address     string
	streams     chan *scriptedStream
	attendances chan *scriptedAttendance
}

// scriptedStream is one stream of a bot, seen from the server.
type scriptedStream struct {
	grpc.BidiStreamingServer[v1.PlayRequest, v1.PlayResponse]
	t *testing.T
	// end takes how the stream ends.
	end chan error
}

func (s *scripted) Play(stream grpc.BidiStreamingServer[v1.PlayRequest, v1.PlayResponse]) error {
	mine := &scriptedStream{stream, s.t, make(chan error)}
	s.streams <- mine
	select {
	case err := <-mine.end:
		return err
	case <-stream.Context().Done():
		return stream.Context().Err()
	}
}

func start(t *testing.T) *scripted {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	made := &scripted{
		t: t, address: listener.Addr().String(),
		streams: make(chan *scriptedStream), attendances: make(chan *scriptedAttendance),
	}
	server := grpc.NewServer()
	v1.RegisterPlayServiceServer(server, made)
	v1.RegisterLobbyServiceServer(server, made)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return made
}

// stream returns the next stream that a bot opens.
func (s *scripted) stream() *scriptedStream { return soon(s.t, s.streams) }

// welcomed returns the next stream, with its Welcome, and the Hello of the bot.
func (s *scripted) welcomed(resumed bool) (*scriptedStream, *v1.Hello) {
	stream := s.stream()
	hello := stream.receive().GetHello()
	if hello == nil {
		s.t.Fatal("the first message is no Hello")
	}
	stream.send(&v1.PlayResponse{Message: &v1.PlayResponse_Welcome{Welcome: &v1.Welcome{
		ProtocolRevision: 1, MatchId: "match-7", Seat: 1, PingIntervalMs: 60_000,
		HistoryId: historyID, Resumed: resumed && hello.LastSequence != nil,
	}}})
	return stream, hello
}

func (s *scriptedStream) send(response *v1.PlayResponse) {
	s.t.Helper()
	if err := s.Send(response); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scriptedStream) receive() *v1.PlayRequest {
	s.t.Helper()
	request, err := s.Recv()
	if err != nil {
		s.t.Fatal(err)
	}
	return request
}

// decides checks that the next message answers this request by this index.
func (s *scriptedStream) decides(requestID, index uint32) {
	s.t.Helper()
	want := &v1.Decision{RequestId: requestID, Choice: &v1.Decision_Index{Index: index}}
	if got := s.receive(); !proto.Equal(got.GetDecision(), want) {
		s.t.Fatalf("got %v, want %v", got, want)
	}
}

// fail ends the stream with a status and, if there is one, a reason.
func (s *scriptedStream) fail(code codes.Code, reason string) { s.end <- refusal(s.t, code, reason) }

// refusal is a status with, if there is one, a reason.
func refusal(t *testing.T, code codes.Code, reason string) error {
	t.Helper()
	return refusalOf(t, code, reason, map[string]string{"hint": "x"})
}

// sends is the refusal that sends a bot to another server.
func sends(t *testing.T, to *scripted) error {
	t.Helper()
	return refusalOf(t, codes.FailedPrecondition, moved, map[string]string{movedToEntry: to.address})
}

func refusalOf(
	t *testing.T, code codes.Code, reason string, metadata map[string]string,
) error {
	t.Helper()
	told := status.New(code, "why\x1b[2J")
	if reason != "" {
		info := &errdetails.ErrorInfo{Reason: reason, Domain: "bridgemaster", Metadata: metadata}
		detailed, err := told.WithDetails(info)
		if err != nil {
			t.Fatal(err)
		}
		told = detailed
	}
	return told.Err()
}

// finish ends the match, and checks that the bot leaves in order.
func (s *scriptedStream) finish(sequence uint32) {
	s.t.Helper()
	s.send(ended(sequence, "", ""))
	if _, err := s.Recv(); err != io.EOF {
		s.t.Fatalf("the bot leaves with %v", err)
	}
	s.end <- nil
}

func soon[T any](t *testing.T, channel <-chan T) T {
	t.Helper()
	select {
	case value := <-channel:
		return value
	case <-time.After(patience):
		t.Fatal("it did not happen")
		panic("unreachable")
	}
}

func asks(sequence, requestID uint32) *v1.PlayResponse {
	request := &v1.DecisionRequest{RequestId: requestID, LegalCount: 9}
	return &v1.PlayResponse{
		Sequence: sequence, Message: &v1.PlayResponse_DecisionRequest{DecisionRequest: request}}
}

func started(sequence uint32, commitment string) *v1.PlayResponse {
	message := &v1.MatchStarted{SeedCommitment: commitment}
	return &v1.PlayResponse{
		Sequence: sequence, Message: &v1.PlayResponse_MatchStarted{MatchStarted: message}}
}

func rejects(sequence, requestID uint32) *v1.PlayResponse {
	rejected := &v1.DecisionRejected{
		RequestId: requestID, OpenRequestId: requestID, Field: "index", Detail: "0 to 3",
		Reason: v1.RefusalReason_REFUSAL_REASON_INDEX_OUT_OF_RANGE,
	}
	return &v1.PlayResponse{
		Sequence: sequence, Message: &v1.PlayResponse_DecisionRejected{DecisionRejected: rejected}}
}

func ended(sequence uint32, seed, salt string) *v1.PlayResponse {
	message := &v1.MatchEnded{
		Result: &v1.MatchResult{MatchId: "match-7", Decisions: 99}, Seed: seed, SeedSalt: salt}
	return &v1.PlayResponse{
		Sequence: sequence, Message: &v1.PlayResponse_MatchEnded{MatchEnded: message}}
}

func ping(nonce uint64) *v1.PlayResponse {
	return &v1.PlayResponse{Message: &v1.PlayResponse_Ping{Ping: &v1.Ping{Nonce: nonce}}}
}

// playing is a bot whose answers are in the test's hand.
type playing struct {
	t       *testing.T
	server  *scripted
	choices chan Choice
	heard   []string
	ended   chan error
	result  *v1.MatchResult
}

func (p *playing) Decide(request *Request) Choice {
	p.heard = append(p.heard, "asked")
	return <-p.choices
}
func (p *playing) MatchStarted(*v1.MatchStarted)         { p.heard = append(p.heard, "started") }
func (p *playing) DecisionRejected(*v1.DecisionRejected) { p.heard = append(p.heard, "rejected") }
func (p *playing) SeatChanged(*v1.SeatStatus)            { p.heard = append(p.heard, "seat") }
func (p *playing) MatchEnded(*v1.MatchResult)            { p.heard = append(p.heard, "ended") }

func play(t *testing.T) *playing {
	t.Helper()
	p := &playing{
		t: t, server: start(t), choices: make(chan Choice, 9), ended: make(chan error, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	options := Options{
		Server: p.server.address, Ticket: "ticket-7", Key: "bmk_k_7", Name: "puppet", Version: "1.0",
		Games: []string{"old_london_bridge"}, Log: log.New(io.Discard, "", 0),
	}
	go func() {
		result, err := Play(ctx, p, options)
		p.result = result
		p.ended <- err
	}()
	return p
}

// ends waits for the end of play.
func (p *playing) ends() error {
	p.t.Helper()
	return soon(p.t, p.ended)
}

// endsWell waits for the result, and checks what the bot has heard.
func (p *playing) endsWell(heard string) {
	p.t.Helper()
	if err := p.ends(); err != nil || p.result.GetDecisions() != 99 {
		p.t.Fatalf("%v, %v", err, p.result)
	}
	if got := strings.Join(p.heard, " "); got != heard {
		p.t.Fatalf("heard %q, and not %q", got, heard)
	}
}

func TestAWholeMatchReachesTheBotAndItsAnswersTheServer(t *testing.T) {
	p := play(t)
	stream, hello := p.server.welcomed(true)
	told, _ := metadata.FromIncomingContext(stream.Context())
	if told.Get("authorization")[0] != "Bearer ticket-7" || told.Get(keyMetadata)[0] != "bmk_k_7" {
		t.Fatal(told)
	}
	want := &v1.Hello{
		ProtocolRevision: 1, BotName: "puppet", BotVersion: "1.0", Games: []string{"old_london_bridge"}}
	if !proto.Equal(hello, want) {
		t.Fatal(hello)
	}
	stream.send(started(1, ""))
	p.choices <- Index(5)
	stream.send(asks(2, 1))
	stream.decides(1, 5)
	stream.finish(3)
	p.endsWell("started asked ended")
}

func TestADecisionOfAGameIsPutIntoItsEntryWithItsNote(t *testing.T) {
	p := play(t)
	stream, _ := p.server.welcomed(true)
	decision := &london.Decision{
		Decision: &london.Decision_TakeTile{TakeTile: &london.TakeTile{BonusStack: 2}}}
	p.choices <- Full(decision).WithNote("full")
	stream.send(asks(1, 1))
	full := &v1.GameDecision{Game: &v1.GameDecision_OldLondonBridge{OldLondonBridge: decision}}
	want := &v1.Decision{
		RequestId: 1, Choice: &v1.Decision_Decision{Decision: full}, Note: "full"}
	if got := stream.receive().GetDecision(); !proto.Equal(got, want) {
		t.Fatal(got)
	}
	stream.finish(2)
	p.endsWell("asked ended")
}

func TestAPingIsAnsweredWhileTheBotThinks(t *testing.T) {
	p := play(t)
	stream, _ := p.server.welcomed(true)
	stream.send(asks(1, 1))
	stream.send(ping(8))
	if pong := stream.receive().GetPong(); pong.GetNonce() != 8 {
		t.Fatal(pong)
	}
	p.choices <- Index(3)
	stream.decides(1, 3)
	stream.finish(2)
	p.endsWell("asked ended")
}

func TestALostStreamIsResumedAndItsAnswerSentAgain(t *testing.T) {
	p := play(t)
	stream, _ := p.server.welcomed(true)
	p.choices <- Index(4)
	stream.send(started(1, ""))
	stream.send(asks(2, 1))
	stream.decides(1, 4)
	stream.fail(codes.Unavailable, "")

	stream, hello := p.server.welcomed(true)
	if hello.GetLastSequence() != 2 || hello.GetHistoryId() != historyID {
		t.Fatal(hello)
	}
	stream.decides(1, 4)
	// What came before comes again, and asks nobody.
	stream.send(asks(2, 1))
	stream.finish(3)
	p.endsWell("started asked ended")
}

func TestABotThatIsNotResumedBeginsAnewWithoutItsUnsentAnswer(t *testing.T) {
	p := play(t)
	stream, _ := p.server.welcomed(true)
	stream.send(asks(1, 1))
	stream.send(ping(1))
	stream.receive()
	stream.end <- nil

	stream, _ = p.server.welcomed(false)
	// Of the same number, and another all the same.
	stream.send(asks(1, 1))
	stream.send(ping(2))
	if pong := stream.receive().GetPong(); pong.GetNonce() != 2 {
		t.Fatal(pong)
	}
	p.choices <- Index(5)
	p.choices <- Index(6)
	stream.decides(1, 6)
	stream.finish(2)
	p.endsWell("asked asked ended")
}

func TestABotThatFindsNoLegalDecisionIsGivenUp(t *testing.T) {
	p := play(t)
	stream, _ := p.server.welcomed(true)
	stream.send(asks(1, 1))
	for sequence := range uint32(maxRefusedAnswers) {
		p.choices <- Index(9)
		stream.decides(1, 9)
		stream.send(rejects(2+sequence, 1))
	}
	err := p.ends()
	var illegal *NoLegalDecisionError
	if !errors.As(err, &illegal) || ReasonOf(err) != "INDEX_OUT_OF_RANGE" {
		t.Fatal(err)
	}
}

func TestARefusalThatCannotBeMendedEndsPlayWithItsReason(t *testing.T) {
	for reason, advice := range map[string]Advice{
		"TICKET_UNKNOWN": Fix, "KEY_REVOKED": Fix, "SEAT_CLOSED": Stop,
	} {
		p := play(t)
		stream, _ := p.server.welcomed(true)
		// The reason and not the code decides about trying again.
		stream.fail(codes.Unavailable, reason)
		err := p.ends()
		var refused *RefusedError
		if !errors.As(err, &refused) || refused.Reason != reason || refused.Advice != advice ||
			refused.Metadata["hint"] != "x" || ReasonOf(err) != reason {
			t.Fatal(err)
		}
		if strings.Contains(err.Error(), "\x1b") {
			t.Fatal("what the server says can take over a terminal")
		}
	}
}

func TestARefusalThatPassesIsTriedAgain(t *testing.T) {
	p := play(t)
	for _, reason := range []string{"SERVER_STOPPING", "A_REASON_OF_A_NEWER_SERVER"} {
		p.server.stream().fail(codes.Unavailable, reason)
	}
	stream, _ := p.server.welcomed(true)
	stream.finish(1)
	p.endsWell("ended")
}

func TestAServerThatStopsAndDoesNotComeBackIsLostWithItsReason(t *testing.T) {
	server := start(t)
	options := Options{
		Server: server.address, Ticket: "t", ReconnectFor: time.Nanosecond,
		Log: log.New(io.Discard, "", 0),
	}
	ended := make(chan error, 1)
	go func() {
		_, err := Play(context.Background(), DecideFunc(nil), options)
		ended <- err
	}()
	stream, _ := server.welcomed(false)
	stream.fail(codes.Unavailable, "SERVER_STOPPING")
	err := soon(t, ended)
	var lost *ServerLostError
	if !errors.As(err, &lost) || !lost.Welcomed || ReasonOf(err) != "SERVER_STOPPING" {
		t.Fatal(err)
	}
}

func TestTheSeedIsCheckedAgainstTheCommitment(t *testing.T) {
	for _, told := range []struct{ seed, salt string }{
		{seed, salt}, {"london-1210", salt}, {seed, "01" + salt[2:]}, {seed, "salt"}, {"", ""},
	} {
		p := play(t)
		stream, _ := p.server.welcomed(true)
		stream.send(started(1, commitment))
		stream.send(ended(2, told.seed, told.salt))
		stream.end <- nil
		err := p.ends()
		var broken *BrokenSeedCommitmentError
		isRight := told.seed == seed && told.salt == salt
		if (err == nil) != isRight || (!isRight && !errors.As(err, &broken)) {
			t.Fatalf("%v: %v", told, err)
		}
	}
}

func TestAServerThatIsNotThereIsAnErrorOfItsOwn(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	options := Options{Server: address, Ticket: "t", ConnectFor: 50 * time.Millisecond}
	_, err = Play(context.Background(), DecideFunc(func(*Request) Choice { return Index(0) }), options)
	var lost *ServerLostError
	if !errors.As(err, &lost) || lost.Welcomed {
		t.Fatal(err)
	}
}

func TestOptionsThatCannotBeUsedAreNamedBeforeAnythingIsSent(t *testing.T) {
	t.Setenv("BRIDGEMASTER_TICKET", "")
	long := strings.Repeat("n", 65)
	for want, options := range map[string]Options{
		"no ticket":                 {},
		"the ticket has characters": {Ticket: "a\nb"},
		"is not an address":         {Ticket: "t", Server: "http://example.org"},
		"1 to 64 printable":         {Ticket: "t", Name: long},
		"no/file":                   {Ticket: "t", Server: "https://a:1", CA: "/no/file"},
		"together":                  {Ticket: "t", Server: "https://a:1", ClientCert: "x"},
	} {
		_, err := Play(context.Background(), DecideFunc(nil), options)
		var wrong *OptionsError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v is not about %q", err, want)
		}
	}
}
