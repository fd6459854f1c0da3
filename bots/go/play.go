package bridgemaster

import (
	"context"
	"fmt"
	"io"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	v1 "bridgemaster/gen/bridgemaster/v1"
)

const (
	// welcomeTimeout is the time for the Welcome, once a stream is asked for.
	welcomeTimeout = 10 * time.Second
	// closingTimeout is the time that the server has to end the stream after MatchEnded.
	closingTimeout = time.Second
	// missedPings: a server that is silent for this many intervals of its Pings is gone.
	missedPings = 3
)

// Play plays one match to its end and returns its result. It may be called by several goroutines at
// once. Its errors are those of this package, and that of ctx when it is cancelled.
func Play(ctx context.Context, bot Bot, options Options) (*v1.MatchResult, error) {
	seating, err := options.seating()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	seat := &seat{
		seating:      seating,
		route:        newRoute(seating.places),
		conversation: conversation{seating: seating},
		bot:          startBot(ctx, bot),
	}
	return seat.play(ctx)
}

// seat is one seat of one match, over as many streams as it takes.
type seat struct {
	seating      *seating
	route        *route
	conversation conversation
	bot          *botRoutine
	// held are answers that came while no stream was welcomed.
	held []answered
	// streamWasWelcomed is about the newest stream.
	streamWasWelcomed bool
}

func (s *seat) play(ctx context.Context) (*v1.MatchResult, error) {
	backoff := newBackoff(s.seating.ConnectFor)
	for {
		ended, err := s.playOnOneStream(ctx)
		if err == nil {
			s.bot.tell(&v1.PlayResponse{Message: &v1.PlayResponse_MatchEnded{MatchEnded: ended}})
			return ended.GetResult(), s.bot.finish(ctx)
		}
		lost, ok := err.(*streamLost)
		if !ok || ctx.Err() != nil {
			return nil, ctxOr(ctx, err)
		}
		tried := s.seating.ConnectFor
		if s.streamWasWelcomed {
			// A match that waits for other bots may say nothing for long.
			backoff.restart(s.seating.ReconnectFor, s.conversation.progressed)
		}
		if s.conversation.welcomed {
			tried = s.seating.ReconnectFor
		}
		server := s.route.place.server
		atOnce := s.route.goOn(lost.movedTo)
		pause, ok := backoff.nextPause()
		if !ok {
			return nil, &ServerLostError{
				server, tried, s.conversation.welcomed, lost.reason, lost}
		}
		if atOnce {
			continue
		}
		if s.conversation.welcomed {
			s.seating.Log.Printf("no stream: %s; trying again", shown(lost.Error()))
		}
		if err := s.wait(ctx, pause); err != nil {
			return nil, err
		}
	}
}

// wait pauses before the next stream; what the bot answers meanwhile is kept.
func (s *seat) wait(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
			return nil
		case answer := <-s.bot.answers:
			s.held = append(s.held, answer)
		}
	}
}

// playOnOneStream opens a stream and converses on it until the match is over.
func (s *seat) playOnOneStream(ctx context.Context) (*v1.MatchEnded, error) {
	s.streamWasWelcomed = false
	hello := s.conversation.hello()
	stream, err := openStream(ctx, s.seating, s.route.place, hello)
	if err != nil {
		return nil, err
	}
	defer stream.close()
	welcome, err := s.readWelcome(ctx, stream)
	if err != nil {
		return nil, err
	}
	reactions, err := s.conversation.welcome(welcome)
	if err != nil {
		return nil, err
	}
	s.streamWasWelcomed = true
	s.route.arrived()
	if _, err := s.react(stream, reactions); err != nil {
		return nil, err
	}
	silence := missedPings * time.Duration(welcome.GetPingIntervalMs()) * time.Millisecond
	return s.converse(ctx, stream, silence)
}

func (s *seat) readWelcome(ctx context.Context, stream *stream) (*v1.Welcome, error) {
	span := s.seating.ConnectFor
	if s.conversation.welcomed {
		span = s.seating.ReconnectFor
	}
	timer := time.NewTimer(s.route.patience(welcomeTimeout, span))
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-timer.C:
			return nil, &streamLost{message: "no Welcome came"}
		case answer := <-s.bot.answers:
			s.held = append(s.held, answer)
		case response, ok := <-stream.responses:
			if !ok {
				return nil, stream.failure
			}
			welcome := response.GetWelcome()
			if welcome == nil {
				return nil, &ProtocolError{
					"the server broke the protocol: its first message is no Welcome"}
			}
			return welcome, nil
		}
	}
}

// converse carries messages between server and bot, in whatever order the two get ready.
func (s *seat) converse(
	ctx context.Context, stream *stream, silence time.Duration,
) (*v1.MatchEnded, error) {
	held := s.held
	s.held = nil
	for _, answer := range held {
		if err := s.answer(stream, answer); err != nil {
			return nil, err
		}
	}
	var silent <-chan time.Time
	timer := time.NewTimer(silence)
	defer timer.Stop()
	if silence > 0 {
		silent = timer.C
	}
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-silent:
			return nil, &streamLost{message: fmt.Sprintf("the server was silent for %v", silence)}
		case answer := <-s.bot.answers:
			if err := s.answer(stream, answer); err != nil {
				return nil, err
			}
		case response, ok := <-stream.responses:
			if !ok {
				return nil, stream.failure
			}
			timer.Reset(silence)
			reactions, err := s.conversation.receive(response)
			if err != nil {
				return nil, err
			}
			ended, err := s.react(stream, reactions)
			if ended != nil {
				stream.leave()
			}
			if ended != nil || err != nil {
				return ended, err
			}
		}
	}
}

func (s *seat) answer(stream *stream, answer answered) error {
	reactions, err := s.conversation.answer(answer.request, answer.choice)
	if err != nil {
		return err
	}
	_, err = s.react(stream, reactions)
	return err
}

// react does what a message calls for; it returns the end of the match when that has come.
func (s *seat) react(stream *stream, reactions []reaction) (*v1.MatchEnded, error) {
	for _, reaction := range reactions {
		switch {
		case reaction.send != nil:
			// Why a stream takes no more is what its reader gets.
			_ = stream.call.Send(reaction.send)
		case reaction.ask != nil:
			s.bot.ask(reaction.ask)
		case reaction.tell != nil:
			s.bot.tell(reaction.tell)
		case reaction.end != nil:
			return reaction.end, nil
		}
	}
	return nil, nil
}

// stream is one stream of a seat, and the connection below it.
type stream struct {
	connection *grpc.ClientConn
	call       grpc.BidiStreamingClient[v1.PlayRequest, v1.PlayResponse]
	cancel     context.CancelFunc
	// responses is closed at the end of the stream, with the reason in failure.
	responses chan *v1.PlayResponse
	failure   error
}

// openStream opens a stream at a server, with the Hello as its first message.
func openStream(
	ctx context.Context, seating *seating, at place, hello *v1.PlayRequest,
) (*stream, error) {
	connection, err := at.connect()
	if err != nil {
		return nil, err
	}
	ctx = metadata.AppendToOutgoingContext(ctx, seating.metadata...)
	ctx, cancel := context.WithCancel(ctx)
	call, err := v1.NewPlayServiceClient(connection).Play(ctx)
	if err != nil {
		cancel()
		_ = connection.Close()
		return nil, errorOf(err)
	}
	// Why a stream takes no Hello is what its reader gets.
	_ = call.Send(hello)
	stream := &stream{
		connection: connection, call: call, cancel: cancel, responses: make(chan *v1.PlayResponse),
	}
	go stream.read(ctx)
	return stream, nil
}

// read reads at once whatever comes, also while the bot thinks.
func (s *stream) read(ctx context.Context) {
	defer close(s.responses)
	for {
		response, err := s.call.Recv()
		if err == io.EOF {
			s.failure = &streamLost{message: "the server ended the stream before the match was over"}
			return
		}
		if err != nil {
			s.failure = errorOf(err)
			return
		}
		select {
		case s.responses <- response:
		case <-ctx.Done():
			s.failure = ctx.Err()
			return
		}
	}
}

// leave leaves in order: it closes our half, and lets the server close its own.
func (s *stream) leave() {
	_ = s.call.CloseSend()
	timer := time.NewTimer(closingTimeout)
	defer timer.Stop()
	for {
		select {
		case _, ok := <-s.responses:
			if !ok {
				return
			}
		case <-timer.C:
			return
		}
	}
}

func (s *stream) close() {
	s.cancel()
	_ = s.connection.Close()
}

func ctxOr(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}
