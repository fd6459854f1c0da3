package bridgemaster

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
)

// dead is an address without a listener.
const dead = "http://127.0.0.1:1"

// routeOver returns a route over these servers.
func routeOver(t *testing.T, addresses string) *route {
	t.Helper()
	servers, err := parseServers(Options{Server: addresses})
	if err != nil {
		t.Fatal(err)
	}
	return newRoute(servers)
}

// optionsFor returns options with these servers.
func optionsFor(addresses string) Options {
	return Options{Server: addresses, Ticket: "t", Name: "puppet", Log: log.New(io.Discard, "", 0)}
}

// startPlaying calls Play on a goroutine.
func startPlaying(t *testing.T, options Options) <-chan error {
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	ended := make(chan error, 1)
	go func() {
		_, err := Play(ctx, DecideFunc(func(*Request) Choice { return Index(0) }), options)
		ended <- err
	}()
	return ended
}

// finishAt serves the match of the next bot of a server to its end, which must be that of Play.
func finishAt(t *testing.T, server *scriptedServer, ended <-chan error) {
	t.Helper()
	stream, _ := server.welcomedStream(true)
	stream.finish(1)
	if err := await(t, ended); err != nil {
		t.Fatal(err)
	}
}

func TestTheServersAreTriedInTurn(t *testing.T) {
	route := routeOver(t, "http://one:1, two:2")
	tried := []string{route.server.target}
	for range 2 {
		route.advance()
		tried = append(tried, route.server.target)
	}
	if !slices.Equal(tried, []string{"one:1", "two:2", "one:1"}) {
		t.Fatal(tried)
	}
}

func TestSeveralServersShareTheTotalTime(t *testing.T) {
	for servers, want := range map[string]time.Duration{
		"one:1": 10 * time.Second, "one:1,two:2": 6 * time.Second, "one:1,two:2,three:3": 4 * time.Second,
	} {
		got := routeOver(t, servers).answerTimeout(10*time.Second, 12*time.Second)
		if got != want {
			t.Errorf("%s: got %v, want %v", servers, got, want)
		}
	}
}

func TestAnInvalidAddressIsRefused(t *testing.T) {
	for _, servers := range []string{"one:1,", "one:1,nonsense"} {
		var wrong *OptionsError
		if _, err := parseServers(Options{Server: servers}); !errors.As(err, &wrong) {
			t.Errorf("%q: %v", servers, err)
		}
	}
}

func TestAnUnreachableServerIsLeftForTheNextOne(t *testing.T) {
	playing := start(t)
	ended := startPlaying(t, optionsFor(dead+", "+playing.address))
	finishAt(t, playing, ended)
}

func TestABotResumesAtAnotherServer(t *testing.T) {
	for _, reason := range []string{"", "NODE_SUPERSEDED"} {
		stopping, playing := start(t), start(t)
		ended := startPlaying(t, optionsFor(stopping.address+","+playing.address))
		stream, _ := stopping.welcomedStream(true)
		stream.fail(codes.Unavailable, reason)
		finishAt(t, playing, ended)
	}
}

func TestARefusalAfterTheTimeLimitEndsPlayWithItsReason(t *testing.T) {
	stopping := start(t)
	options := optionsFor(stopping.address)
	options.ConnectFor = time.Nanosecond
	ended := startPlaying(t, options)
	stopping.stream().fail(codes.Unavailable, "NODE_SUPERSEDED")
	if err := await(t, ended); ReasonOf(err) != "NODE_SUPERSEDED" {
		t.Fatal(err)
	}
}

func TestASilentServerIsLeftForTheNextOneInTime(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	playing := start(t)
	ended := startPlaying(t, optionsFor(silent.Addr().String()+","+playing.address))
	finishAt(t, playing, ended)
}

func TestAnAttendanceTriesTheServersInTurnAndSoDoesItsMatch(t *testing.T) {
	playing := start(t)
	options := attendOptions(playing)
	options.Server = dead + "," + playing.address
	newBot := func() Bot { return DecideFunc(func(*Request) Choice { return Index(0) }) }
	done := make(chan error, 1)
	go func() { done <- Attend(context.Background(), newBot, options) }()
	attendance := await(t, playing.attendances)
	attendance.offer(t, "o1", "t1")
	stream, _ := playing.welcomedStream(true)
	stream.finish(1)
	attendance.end <- nil
	if err := await(t, done); err != nil {
		t.Fatal(err)
	}
}

func TestAProxyMustHaveAnHTTPAddress(t *testing.T) {
	for _, proxy := range []string{"https://proxy:3128", "socks5://proxy:1080", "proxy"} {
		_, err := parseServers(Options{Server: DefaultServer, Proxy: proxy})
		if err == nil || !strings.HasPrefix(err.Error(), "Proxy: ") {
			t.Errorf("%s: %v", proxy, err)
		}
	}
}

func TestBytesThatArriveWithTheAnswerOfTheProxyAreNotLost(t *testing.T) {
	connection, err := dialFakeProxy(t, context.Background(), "HTTP/1.1 200 OK\r\n\r\nsettings")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close() }()
	got := make([]byte, len("settings"))
	if _, err := io.ReadFull(connection, got); err != nil || string(got) != "settings" {
		t.Fatal(string(got), err)
	}
}

func TestASilentProxyIsAbandonedInTime(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := dialFakeProxy(t, ctx, ""); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
}

// dialFakeProxy dials a proxy that sends an answer and keeps the connection open.
func dialFakeProxy(t *testing.T, ctx context.Context, answer string) (net.Conn, error) {
	t.Helper()
	listener, done := listen(t), make(chan bool)
	t.Cleanup(func() { close(done) })
	go func() {
		connection, err := listener.Accept()
		if err != nil {
			return
		}
		_, _ = http.ReadRequest(bufio.NewReader(connection))
		_, _ = io.WriteString(connection, answer)
		<-done
		_ = connection.Close()
	}()
	return server{proxy: listener.Addr().String()}.dialProxy(ctx, "server.example:443")
}
