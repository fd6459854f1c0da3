package bridgemaster

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"slices"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
)

// dead is an address at which nothing listens.
const dead = "http://127.0.0.1:1"

// way returns the route over these servers.
func way(t *testing.T, servers string) *route {
	t.Helper()
	places, err := placesOf(Options{Server: servers})
	if err != nil {
		t.Fatal(err)
	}
	return newRoute(places)
}

// knowing are the options of a bot that knows these servers.
func knowing(servers string) Options {
	return Options{Server: servers, Ticket: "t", Name: "puppet", Log: log.New(io.Discard, "", 0)}
}

// playsAt plays on a goroutine.
func playsAt(t *testing.T, options Options) <-chan error {
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	ended := make(chan error, 1)
	go func() {
		_, err := Play(ctx, DecideFunc(func(*Request) Choice { return Index(0) }), options)
		ended <- err
	}()
	return ended
}

// endsAt plays the match of the next bot of a server to its end, which must be that of play.
func endsAt(t *testing.T, server *scripted, ended <-chan error) {
	t.Helper()
	stream, _ := server.welcomed(true)
	stream.finish(1)
	if err := soon(t, ended); err != nil {
		t.Fatal(err)
	}
}

func TestTheServersAreTriedInTurn(t *testing.T) {
	route := way(t, "http://one:1, two:2")
	tried := []string{route.place.target}
	for range 2 {
		if route.goOn("") {
			t.Fatal("the next server is tried after a pause")
		}
		tried = append(tried, route.place.target)
	}
	if !slices.Equal(tried, []string{"one:1", "two:2", "one:1"}) {
		t.Fatal(tried)
	}
}

func TestEachOfSeveralServersHasItsShareOfTheTime(t *testing.T) {
	for servers, patience := range map[string]time.Duration{
		"one:1": 10 * time.Second, "one:1,two:2": 6 * time.Second, "one:1,two:2,three:3": 4 * time.Second,
	} {
		if is := way(t, servers).patience(10*time.Second, 12*time.Second); is != patience {
			t.Errorf("%s: %v", servers, is)
		}
	}
}

func TestACallerGoesWhereItIsSentAndPausesWhenSentOn(t *testing.T) {
	route := way(t, "one:1,two:2")
	if !route.goOn("three:3") || route.place.server != "http://three:3" {
		t.Fatal(route.place)
	}
	if route.goOn("one:1") {
		t.Fatal("sent on without an answer")
	}
	route.arrived()
	if !route.goOn("three:3") || route.place.target != "three:3" {
		t.Fatal(route.place)
	}
	route.goOn("")
	if route.place.target != "two:2" {
		t.Fatal(route.place)
	}
}

func TestACallerIsSentOnWithTheTLSOfWhereItIs(t *testing.T) {
	route := way(t, "https://one:1,http://two:2")
	transport := route.place.credentials
	route.goOn("three:3")
	if route.place.server != "https://three:3" || route.place.credentials != transport {
		t.Fatal(route.place)
	}
}

func TestWhatIsNoAddressIsRefusedAndNobodyIsSentThere(t *testing.T) {
	for _, servers := range []string{"one:1,", "one:1,nonsense"} {
		var wrong *OptionsError
		if _, err := placesOf(Options{Server: servers}); !errors.As(err, &wrong) {
			t.Errorf("%q: %v", servers, err)
		}
	}
	route := way(t, "one:1,two:2")
	if route.goOn("no address") || route.place.target != "two:2" {
		t.Fatal(route.place)
	}
}

func TestABotFindsItsMatch(t *testing.T) {
	asked, playing := start(t), start(t)
	ended := playsAt(t, knowing(dead+", "+asked.address))
	asked.stream().end <- sends(t, playing)
	endsAt(t, playing, ended)
}

func TestABotComesBackAtAnotherServer(t *testing.T) {
	for _, reason := range []string{"", "NODE_SUPERSEDED"} {
		asked, playing := start(t), start(t)
		ended := playsAt(t, knowing(asked.address+","+playing.address))
		stream, _ := asked.welcomed(true)
		stream.fail(codes.Unavailable, reason)
		endsAt(t, playing, ended)
	}
}

func TestABotGoesBackToTheServersThatItKnowsWhenItIsSentToNone(t *testing.T) {
	asked, playing := start(t), start(t)
	ended := playsAt(t, knowing(asked.address+","+playing.address))
	asked.stream().end <- sends(t, &scripted{address: "127.0.0.1:1"})
	endsAt(t, playing, ended)
}

func TestABotThatIsSentOnWhenItsTimeIsOverGivesUpWithThatReason(t *testing.T) {
	asked, playing := start(t), start(t)
	options := knowing(asked.address)
	options.ConnectFor = time.Nanosecond
	ended := playsAt(t, options)
	asked.stream().end <- sends(t, playing)
	if err := soon(t, ended); ReasonOf(err) != moved {
		t.Fatal(err)
	}
}

func TestAServerThatSaysNothingIsLeftForTheNextOneInTime(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	playing := start(t)
	ended := playsAt(t, knowing(silent.Addr().String()+","+playing.address))
	endsAt(t, playing, ended)
}

func TestAnAttendanceIsFollowedAndItsMatchIsAtOneOfTheServers(t *testing.T) {
	asked, playing := start(t), start(t)
	options := attending(asked)
	options.Server = dead + "," + asked.address
	newBot := func() Bot { return DecideFunc(func(*Request) Choice { return Index(0) }) }
	done := make(chan error, 1)
	go func() { done <- Attend(context.Background(), newBot, options) }()
	soon(t, asked.attendances).end <- sends(t, playing)
	attendance := soon(t, playing.attendances)
	attendance.offer(t, "o1", "t1")
	asked.stream().end <- sends(t, playing)
	stream, _ := playing.welcomed(true)
	stream.finish(1)
	attendance.end <- nil
	if err := soon(t, done); err != nil {
		t.Fatal(err)
	}
}
