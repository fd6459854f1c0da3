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

	london "github.com/bridgemaster-games/bridgemaster/bots/go/gen/bridgemaster/games/old_london_bridge/v1"
	v1 "github.com/bridgemaster-games/bridgemaster/bots/go/gen/bridgemaster/v1"
)

const (
	historyID = "00112233445566778899aabbccddeeff"
	seed      = "london-1209"
	salt      = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	// commitment to seed with salt: the book's example match.
	commitment = "fb68e9b2871847c68a016f69b6f578dccf4bcc570460ba524a4063228775796f"
	// testTimeout is the time limit of every wait of a test; far more than needed.
	testTimeout = 30 * time.Second
)

// scriptedServer is a server on the loopback interface whose messages are controlled by the test.
type scriptedServer struct {
	v1.UnimplementedPlayServiceServer
	v1.UnimplementedLobbyServiceServer
	t           *testing.T
	address     string
	streams     chan *scriptedStream
	attendances chan *scriptedAttendance
	// busySlots and declined receive what an attending bot reports.
	busySlots chan uint32
	declined  chan string
}

// scriptedStream is the server side of a bot's stream.
type scriptedStream struct {
	grpc.BidiStreamingServer[v1.PlayRequest, v1.PlayResponse]
	t *testing.T
	// end receives the result of the call.
	end chan error
}

func (s *scriptedServer) Play(stream grpc.BidiStreamingServer[v1.PlayRequest, v1.PlayResponse]) error {
	mine := &scriptedStream{stream, s.t, make(chan error)}
	s.streams <- mine
	select {
	case err := <-mine.end:
		return err
	case <-stream.Context().Done():
		return stream.Context().Err()
	}
}

func start(t *testing.T) *scriptedServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	scripted := &scriptedServer{
		t: t, address: listener.Addr().String(),
		streams: make(chan *scriptedStream), attendances: make(chan *scriptedAttendance),
		busySlots: make(chan uint32, 8), declined: make(chan string, 8),
	}
	server := grpc.NewServer()
	v1.RegisterPlayServiceServer(server, scripted)
	v1.RegisterLobbyServiceServer(server, scripted)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return scripted
}

// stream returns the next stream that a bot opens.
func (s *scriptedServer) stream() *scriptedStream { return await(s.t, s.streams) }

// welcomedStream returns the next stream after sending its Welcome, and the Hello of the bot.
func (s *scriptedServer) welcomedStream(resumed bool) (*scriptedStream, *v1.Hello) {
	stream := s.stream()
	hello := stream.receive().GetHello()
	if hello == nil {
		s.t.Fatal("the first message is not a Hello")
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

// expectDecision checks that the next message answers this request with this index.
func (s *scriptedStream) expectDecision(requestID, index uint32) {
	s.t.Helper()
	want := &v1.Decision{RequestId: requestID, Choice: &v1.Decision_Index{Index: index}}
	if got := s.receive(); !proto.Equal(got.GetDecision(), want) {
		s.t.Fatalf("got %v, want %v", got, want)
	}
}

// fail ends the stream with an error status, optionally with a reason.
func (s *scriptedStream) fail(code codes.Code, reason string) { s.end <- refusal(s.t, code, reason) }

// refusal returns an error status, optionally with a reason.
func refusal(t *testing.T, code codes.Code, reason string) error {
	t.Helper()
	return statusError(t, code, reason, map[string]string{"hint": "x"})
}

func statusError(
	t *testing.T, code codes.Code, reason string, metadata map[string]string,
) error {
	t.Helper()
	result := status.New(code, "why\x1b[2J")
	if reason != "" {
		info := &errdetails.ErrorInfo{Reason: reason, Domain: "bridgemaster", Metadata: metadata}
		detailed, err := result.WithDetails(info)
		if err != nil {
			t.Fatal(err)
		}
		result = detailed
	}
	return result.Err()
}

// finish ends the match, and checks that the bot closes the stream in order.
func (s *scriptedStream) finish(sequence uint32) {
	s.t.Helper()
	s.send(matchEnded(sequence, "", ""))
	if _, err := s.Recv(); err != io.EOF {
		s.t.Fatalf("the bot did not close the stream in order: %v", err)
	}
	s.end <- nil
}

func await[T any](t *testing.T, channel <-chan T) T {
	t.Helper()
	select {
	case value := <-channel:
		return value
	case <-time.After(testTimeout):
		t.Fatal("timed out")
		panic("unreachable")
	}
}

func decisionRequest(sequence, requestID uint32) *v1.PlayResponse {
	request := &v1.DecisionRequest{RequestId: requestID, LegalCount: 9}
	return &v1.PlayResponse{
		Sequence: sequence, Message: &v1.PlayResponse_DecisionRequest{DecisionRequest: request}}
}

func matchStarted(sequence uint32, commitment string) *v1.PlayResponse {
	message := &v1.MatchStarted{SeedCommitment: commitment}
	return &v1.PlayResponse{
		Sequence: sequence, Message: &v1.PlayResponse_MatchStarted{MatchStarted: message}}
}

func decisionRejected(sequence, requestID uint32) *v1.PlayResponse {
	rejected := &v1.DecisionRejected{
		RequestId: requestID, OpenRequestId: requestID, Field: "index", Detail: "0 to 3",
		Reason: v1.RefusalReason_REFUSAL_REASON_INDEX_OUT_OF_RANGE,
	}
	return &v1.PlayResponse{
		Sequence: sequence, Message: &v1.PlayResponse_DecisionRejected{DecisionRejected: rejected}}
}

func matchEnded(sequence uint32, seed, salt string) *v1.PlayResponse {
	message := &v1.MatchEnded{
		Result: &v1.MatchResult{MatchId: "match-7", Decisions: 99}, Seed: seed, SeedSalt: salt}
	return &v1.PlayResponse{
		Sequence: sequence, Message: &v1.PlayResponse_MatchEnded{MatchEnded: message}}
}

func ping(nonce uint64) *v1.PlayResponse {
	return &v1.PlayResponse{Message: &v1.PlayResponse_Ping{Ping: &v1.Ping{Nonce: nonce}}}
}

// scriptedBot is a bot whose answers are controlled by the test; it records the calls of its methods.
type scriptedBot struct {
	t       *testing.T
	server  *scriptedServer
	choices chan Choice
	// deciding receives an item for each call of Decide.
	deciding chan bool
	calls    []string
	ended    chan error
	result   *v1.MatchResult
}

func (p *scriptedBot) Decide(request *Request) Choice {
	p.calls = append(p.calls, "decide")
	p.deciding <- true
	return <-p.choices
}
func (p *scriptedBot) MatchStarted(*v1.MatchStarted)         { p.calls = append(p.calls, "started") }
func (p *scriptedBot) DecisionRejected(*v1.DecisionRejected) { p.calls = append(p.calls, "rejected") }
func (p *scriptedBot) SeatChanged(*v1.SeatStatus)            { p.calls = append(p.calls, "seat") }
func (p *scriptedBot) MatchEnded(*v1.MatchResult)            { p.calls = append(p.calls, "ended") }

func startBotAndServer(t *testing.T) *scriptedBot {
	t.Helper()
	p := &scriptedBot{
		t: t, server: start(t), choices: make(chan Choice, 9), ended: make(chan error, 1),
		deciding: make(chan bool, 9)}
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

// wait waits for the end of Play.
func (p *scriptedBot) wait() error {
	p.t.Helper()
	return await(p.t, p.ended)
}

// expectResult waits for the result, and checks the calls of the bot.
func (p *scriptedBot) expectResult(calls string) {
	p.t.Helper()
	if err := p.wait(); err != nil || p.result.GetDecisions() != 99 {
		p.t.Fatalf("%v, %v", err, p.result)
	}
	if got := strings.Join(p.calls, " "); got != calls {
		p.t.Fatalf("calls: got %q, want %q", got, calls)
	}
}

func TestAWholeMatchReachesTheBotAndItsAnswersTheServer(t *testing.T) {
	p := startBotAndServer(t)
	stream, hello := p.server.welcomedStream(true)
	md, _ := metadata.FromIncomingContext(stream.Context())
	if md.Get("authorization")[0] != "Bearer ticket-7" || md.Get(keyMetadata)[0] != "bmk_k_7" {
		t.Fatal(md)
	}
	want := &v1.Hello{
		ProtocolRevision: 1, BotName: "puppet", BotVersion: "1.0", Games: []string{"old_london_bridge"},
		ClientInstanceId: hello.GetClientInstanceId(), StreamNumber: 1}
	if !proto.Equal(hello, want) {
		t.Fatal(hello)
	}
	stream.send(matchStarted(1, ""))
	p.choices <- Index(5)
	stream.send(decisionRequest(2, 1))
	stream.expectDecision(1, 5)
	stream.finish(3)
	p.expectResult("started decide ended")
}

func TestADecisionOfAGameIsWrappedAndSentWithItsNote(t *testing.T) {
	p := startBotAndServer(t)
	stream, _ := p.server.welcomedStream(true)
	decision := &london.Decision{
		Decision: &london.Decision_TakeTile{TakeTile: &london.TakeTile{BonusStack: 2}}}
	p.choices <- Decision(decision).WithNote("full")
	stream.send(decisionRequest(1, 1))
	wrapped := &v1.GameDecision{Game: &v1.GameDecision_OldLondonBridge{OldLondonBridge: decision}}
	want := &v1.Decision{
		RequestId: 1, Choice: &v1.Decision_Decision{Decision: wrapped}, Note: "full"}
	if got := stream.receive().GetDecision(); !proto.Equal(got, want) {
		t.Fatal(got)
	}
	stream.finish(2)
	p.expectResult("decide ended")
}

func TestAPingIsAnsweredWhileTheBotThinks(t *testing.T) {
	p := startBotAndServer(t)
	stream, _ := p.server.welcomedStream(true)
	stream.send(decisionRequest(1, 1))
	stream.send(ping(8))
	if pong := stream.receive().GetPong(); pong.GetNonce() != 8 {
		t.Fatal(pong)
	}
	p.choices <- Index(3)
	stream.expectDecision(1, 3)
	stream.finish(2)
	p.expectResult("decide ended")
}

func TestALostStreamIsResumedAndItsAnswerIsSentAgain(t *testing.T) {
	p := startBotAndServer(t)
	stream, _ := p.server.welcomedStream(true)
	p.choices <- Index(4)
	stream.send(matchStarted(1, ""))
	stream.send(decisionRequest(2, 1))
	stream.expectDecision(1, 4)
	stream.fail(codes.Unavailable, "")

	stream, hello := p.server.welcomedStream(true)
	if hello.GetLastSequence() != 2 || hello.GetHistoryId() != historyID || hello.GetStreamNumber() != 2 {
		t.Fatal(hello)
	}
	stream.expectDecision(1, 4)
	// A repeated request is ignored.
	stream.send(decisionRequest(2, 1))
	stream.finish(3)
	p.expectResult("started decide ended")
}

func TestABotThatIsNotResumedStartsOverWithoutItsUnsentAnswer(t *testing.T) {
	p := startBotAndServer(t)
	stream, _ := p.server.welcomedStream(true)
	stream.send(decisionRequest(1, 1))
	await(t, p.deciding)
	stream.end <- nil

	stream, _ = p.server.welcomedStream(false)
	// The same id, but a different request.
	stream.send(decisionRequest(1, 1))
	stream.send(ping(2))
	if pong := stream.receive().GetPong(); pong.GetNonce() != 2 {
		t.Fatal(pong)
	}
	p.choices <- Index(5)
	p.choices <- Index(6)
	stream.expectDecision(1, 6)
	stream.finish(2)
	p.expectResult("decide decide ended")
}

func TestPlayEndsIfTheBotFindsNoLegalDecision(t *testing.T) {
	p := startBotAndServer(t)
	stream, _ := p.server.welcomedStream(true)
	stream.send(decisionRequest(1, 1))
	for sequence := range uint32(maxRefusedAnswers) {
		p.choices <- Index(9)
		stream.expectDecision(1, 9)
		stream.send(decisionRejected(2+sequence, 1))
	}
	err := p.wait()
	var illegal *NoLegalDecisionError
	if !errors.As(err, &illegal) || ReasonOf(err) != "INDEX_OUT_OF_RANGE" {
		t.Fatal(err)
	}
}

func TestAPermanentRefusalEndsPlayWithItsReason(t *testing.T) {
	for reason, advice := range map[string]Advice{
		"TICKET_UNKNOWN": Fix, "KEY_REVOKED": Fix, "SEAT_CLOSED": Stop,
	} {
		p := startBotAndServer(t)
		stream, _ := p.server.welcomedStream(true)
		// The reason decides about a retry rather than the code.
		stream.fail(codes.Unavailable, reason)
		err := p.wait()
		var refused *RefusedError
		if !errors.As(err, &refused) || refused.Reason != reason || refused.Advice != advice ||
			refused.Metadata["hint"] != "x" || ReasonOf(err) != reason {
			t.Fatal(err)
		}
		if strings.Contains(err.Error(), "\x1b") {
			t.Fatal("text of the server is not escaped")
		}
	}
}

func TestATemporaryRefusalIsRetried(t *testing.T) {
	p := startBotAndServer(t)
	for _, reason := range []string{"SERVER_STOPPING", "A_REASON_OF_A_NEWER_SERVER"} {
		p.server.stream().fail(codes.Unavailable, reason)
	}
	stream, _ := p.server.welcomedStream(true)
	stream.finish(1)
	p.expectResult("ended")
}

func TestAServerThatStopsForGoodIsAbandonedWithItsReason(t *testing.T) {
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
	stream, _ := server.welcomedStream(false)
	stream.fail(codes.Unavailable, "SERVER_STOPPING")
	err := await(t, ended)
	var lost *ServerLostError
	if !errors.As(err, &lost) || !lost.Welcomed || ReasonOf(err) != "SERVER_STOPPING" {
		t.Fatal(err)
	}
}

func TestTheSeedIsCheckedAgainstTheCommitment(t *testing.T) {
	for _, revealed := range []struct{ seed, salt string }{
		{seed, salt}, {"london-1210", salt}, {seed, "01" + salt[2:]}, {seed, "salt"}, {"", ""},
	} {
		p := startBotAndServer(t)
		stream, _ := p.server.welcomedStream(true)
		stream.send(matchStarted(1, commitment))
		stream.send(matchEnded(2, revealed.seed, revealed.salt))
		stream.end <- nil
		err := p.wait()
		var broken *BrokenSeedCommitmentError
		matches := revealed.seed == seed && revealed.salt == salt
		if (err == nil) != matches || (!matches && !errors.As(err, &broken)) {
			t.Fatalf("%v: %v", revealed, err)
		}
	}
}

func TestAnAbsentServerIsAServerLostError(t *testing.T) {
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

func TestInvalidOptionsAreRefusedBeforeConnecting(t *testing.T) {
	t.Setenv("BRIDGEMASTER_TICKET", "")
	long := strings.Repeat("n", 65)
	for want, options := range map[string]Options{
		"no ticket":               {},
		"the ticket is not valid": {Ticket: "a\nb"},
		"is not an address":       {Ticket: "t", Server: "example.org"},
		"1 to 64 printable":       {Ticket: "t", Name: long},
		"no/file":                 {Ticket: "t", Server: "https://a:1", CA: "/no/file"},
		"private key":             {Ticket: "t", Server: "https://a:1", ClientCert: "x"},
	} {
		_, err := Play(context.Background(), DecideFunc(nil), options)
		var wrong *OptionsError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not contain %q", err, want)
		}
	}
}

func TestARequestIsCancelledByTheNextOneAndByTheEndOfTheMatch(t *testing.T) {
	server := start(t)
	ponder := DecideFunc(func(request *Request) Choice {
		<-request.Context().Done()
		return Index(0)
	})
	ended := make(chan error, 1)
	go func() {
		_, err := Play(context.Background(), ponder, optionsFor(server.address))
		ended <- err
	}()
	stream, _ := server.welcomedStream(true)
	stream.send(decisionRequest(1, 1))
	stream.send(decisionRequest(2, 2))
	stream.finish(3)
	if err := await(t, ended); err != nil {
		t.Fatal(err)
	}
}

func TestTheZeroChoiceIsAnError(t *testing.T) {
	server := start(t)
	ended := make(chan error, 1)
	go func() {
		decide := DecideFunc(func(*Request) (choice Choice) { return choice })
		_, err := Play(context.Background(), decide, optionsFor(server.address))
		ended <- err
	}()
	stream, _ := server.welcomedStream(true)
	stream.send(decisionRequest(1, 1))
	if err := await(t, ended); err == nil || !strings.Contains(err.Error(), "zero Choice") {
		t.Fatal(err)
	}
}
