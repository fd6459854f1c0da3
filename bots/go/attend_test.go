package bridgemaster

import (
	"context"
	"errors"
	"io"
	"log"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	v1 "github.com/bridgemaster-games/bridgemaster/bots/go/gen/bridgemaster/v1"
)

// scriptedAttendance is the server side of a bot's attendance.
type scriptedAttendance struct {
	request *v1.AttendRequest
	stream  grpc.ServerStreamingServer[v1.AttendResponse]
	// end receives the result of the call.
	end chan error
}

func (s *scriptedServer) Attend(
	request *v1.AttendRequest, stream grpc.ServerStreamingServer[v1.AttendResponse],
) error {
	mine := &scriptedAttendance{request, stream, make(chan error)}
	s.attendances <- mine
	select {
	case err := <-mine.end:
		return err
	case <-stream.Context().Done():
		return stream.Context().Err()
	}
}

func (s *scriptedServer) UpdateAttendance(
	_ context.Context, request *v1.UpdateAttendanceRequest,
) (*v1.UpdateAttendanceResponse, error) {
	s.busySlots <- request.GetBusySlots()
	return nil, status.Error(codes.Unavailable, "try again")
}

func (s *scriptedServer) DeclineOffer(
	_ context.Context, request *v1.DeclineOfferRequest,
) (*v1.DeclineOfferResponse, error) {
	s.declined <- request.GetOfferId()
	return nil, status.Error(codes.NotFound, "the offer has expired")
}

// state sends the number of matches in play and open offers, and the number of busy slots.
func (a *scriptedAttendance) state(t *testing.T, slotsUsed, busySlots uint32) {
	t.Helper()
	state := &v1.Attendance{AttendanceId: "a", SlotsUsed: slotsUsed, BusySlots: busySlots}
	response := &v1.AttendResponse{Message: &v1.AttendResponse_Attendance{Attendance: state}}
	if err := a.stream.Send(response); err != nil {
		t.Fatal(err)
	}
}

func (a *scriptedAttendance) offer(t *testing.T, id, ticket string) {
	t.Helper()
	a.offerFor(t, id, ticket, 30_000)
}

func (a *scriptedAttendance) offerFor(t *testing.T, id, ticket string, timeLeftMs uint32) {
	t.Helper()
	offer := &v1.Offer{OfferId: id, Ticket: ticket, MatchId: "m", TimeLeftMs: timeLeftMs}
	response := &v1.AttendResponse{Message: &v1.AttendResponse_Offer{Offer: offer}}
	if err := a.stream.Send(response); err != nil {
		t.Fatal(err)
	}
}

func attendOptions(server *scriptedServer) Options {
	return Options{
		Server: server.address, Queue: "cup", Slots: 2, Name: "puppet", Version: "7",
		Log: log.New(io.Discard, "", 0),
	}
}

func TestEachOfferIsPlayedOnceAcrossAllStreamsByItsOwnBot(t *testing.T) {
	server := start(t)
	var created atomic.Int32
	newBot := func() Bot {
		created.Add(1)
		return DecideFunc(func(*Request) Choice { return Index(4) })
	}
	done := make(chan error, 1)
	go func() { done <- Attend(context.Background(), newBot, attendOptions(server)) }()

	// A contest opens its queue shortly after it starts.
	await(t, server.attendances).end <- refusal(t, codes.NotFound, queueUnknown)
	attendance := await(t, server.attendances)
	want := &v1.AttendRequest{
		QueueId: "cup", BotName: "puppet", BotVersion: "7", Slots: 2, ProtocolRevision: 1,
		ClientInstanceId: attendance.request.GetClientInstanceId(), StreamNumber: 2}
	if !proto.Equal(attendance.request, want) {
		t.Fatal(attendance.request)
	}
	attendance.offer(t, "o1", "t1")
	first, _ := server.welcomedStream(true)
	attendance.end <- refusal(t, codes.Unavailable, "")

	attendance = await(t, server.attendances)
	attendance.offer(t, "o1", "t1")
	attendance.offer(t, "o2", "t2")
	second, _ := server.welcomedStream(true)
	attendance.end <- nil
	var tickets []string
	for _, stream := range []*scriptedStream{first, second} {
		md, _ := metadata.FromIncomingContext(stream.Context())
		tickets = append(tickets, md.Get("authorization")...)
		stream.send(decisionRequest(1, 1))
		stream.expectDecision(1, 4)
		stream.finish(2)
	}
	if err := await(t, done); err != nil || created.Load() != 2 {
		t.Fatal(err, created.Load())
	}
	if !slices.Equal(tickets, []string{"Bearer t1", "Bearer t2"}) {
		t.Fatal(tickets)
	}
}

func TestAnAbsentQueueIsAbandonedWithItsReason(t *testing.T) {
	server := start(t)
	options := attendOptions(server)
	options.ConnectFor = time.Nanosecond
	done := make(chan error, 1)
	go func() { done <- Attend(context.Background(), nil, options) }()
	await(t, server.attendances).end <- refusal(t, codes.NotFound, queueUnknown)
	err := await(t, done)
	var lost *ServerLostError
	if !errors.As(err, &lost) || lost.Welcomed || ReasonOf(err) != queueUnknown {
		t.Fatal(err)
	}
}

func TestAnOfferedSeatIsRetriedForAsLongAsTheAttendance(t *testing.T) {
	t.Setenv("BRIDGEMASTER_QUEUE", "")
	limits := func(options Options) [2]time.Duration {
		resolved, err := options.resolve()
		if err != nil {
			t.Fatal(err)
		}
		return [2]time.Duration{resolved.ConnectFor, resolved.ReconnectFor}
	}
	if got := limits(Options{Ticket: "t"}); got != [2]time.Duration{10 * time.Second, 30 * time.Second} {
		t.Error(got)
	}
	if got := limits(Options{Ticket: "t", Queue: "cup"}); got != [2]time.Duration{10 * time.Minute, 10 * time.Minute} {
		t.Error(got)
	}
	brief := Options{Ticket: "t", Queue: "cup", ReconnectFor: time.Nanosecond}
	if got := limits(brief); got[1] != time.Nanosecond {
		t.Error(got)
	}
	resolved, err := Options{Queue: "cup"}.resolveAttend()
	if err != nil || resolved.ReconnectFor != 10*time.Minute {
		t.Error(resolved, err)
	}
}

func TestATicketHasPrecedenceOverAQueueAndSlotsAreLimited(t *testing.T) {
	t.Setenv("BRIDGEMASTER_TICKET", "")
	t.Setenv("BRIDGEMASTER_QUEUE", "cup")
	if !(Options{}).shouldAttend() || (Options{Ticket: "t"}).shouldAttend() {
		t.Fatal("a ticket has precedence over a queue")
	}
	for _, slots := range []int{-1, 65} {
		err := Attend(context.Background(), nil, Options{Slots: slots})
		var wrong *OptionsError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), "1 to 64") {
			t.Error(err)
		}
	}
}

func TestBusySlotsAreReportedUntilTheServerCountsThem(t *testing.T) {
	slots := slots{total: 1}
	slots.take(&v1.Offer{})
	slots.check()
	expect := func(want int) {
		t.Helper()
		if busy, _ := slots.check(); busy != want {
			t.Fatal(busy)
		}
	}
	expect(1)
	expect(1)
	slots.setUsedAtServer(0, 1)
	expect(-1)
	slots.setUsedAtServer(0, 0)
	expect(1)
}

func TestASlotIsFreeOnlyWhenDecideHasReturned(t *testing.T) {
	checkInterval = 50 * time.Millisecond
	t.Cleanup(func() { checkInterval = time.Second })
	server := start(t)
	deciding, returning := make(chan bool, 2), make(chan bool)
	newBot := func() Bot {
		return DecideFunc(func(*Request) Choice {
			deciding <- true
			<-returning
			return Index(0)
		})
	}
	options := attendOptions(server)
	options.Slots = 1
	done := make(chan error, 1)
	go func() { done <- Attend(context.Background(), newBot, options) }()
	attendance := await(t, server.attendances)
	attendance.state(t, 1, 0)
	attendance.offer(t, "o1", "t1")
	first, _ := server.welcomedStream(true)
	first.send(decisionRequest(1, 1))
	await(t, deciding)
	first.fail(codes.Unavailable, "MATCH_CANCELLED")
	attendance.state(t, 0, 0)
	// A report that fails is repeated.
	for range 2 {
		if busy := await(t, server.busySlots); busy != 1 {
			t.Fatal(busy)
		}
	}
	// The server has offered the slot again before it received the report.
	attendance.state(t, 1, 1)
	attendance.offer(t, "o2", "t2")
	attendance.offerFor(t, "o3", "t3", 0)
	attendance.offerFor(t, "o4", "t4", 0)
	for _, late := range []string{"o3", "o4"} {
		if declined := await(t, server.declined); declined != late {
			t.Fatal(declined)
		}
	}
	select {
	case <-server.streams:
		t.Fatal("the slot is not free")
	default:
	}
	close(returning)
	second, _ := server.welcomedStream(true)
	for await(t, server.busySlots) != 0 {
	}
	second.finish(1)
	attendance.end <- nil
	if err := await(t, done); err != nil {
		t.Fatal(err)
	}
}
