package bridgemaster

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	v1 "github.com/bridgemaster-games/bridgemaster/bots/go/gen/bridgemaster/v1"
)

const (
	// welcomeTimeout is the time to wait for the Welcome on a new stream.
	welcomeTimeout = 10 * time.Second
	// closingTimeout is the time to wait for the end of the stream after MatchEnded.
	closingTimeout = time.Second
	// missedPings is the number of Ping intervals without a message after which a server is lost.
	missedPings = 3
)

// Play plays one match to its end and returns its result. It can be called from several goroutines
// at once. Play returns an error of this package, or the error of ctx if ctx is cancelled.
func Play(ctx context.Context, bot Bot, options Options) (*v1.MatchResult, error) {
	result, _, err := play(ctx, bot, options)
	return result, err
}

// play plays as Play does. It also returns a channel that is closed once the last method of the bot
// has returned.
func play(
	ctx context.Context, bot Bot, options Options,
) (result *v1.MatchResult, idle <-chan struct{}, err error) {
	resolved, err := options.resolve()
	if err != nil {
		none := make(chan struct{})
		close(none)
		return nil, none, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	seat := &seat{
		options:      resolved,
		route:        newRoute(resolved.servers),
		conversation: conversation{ctx: ctx, options: resolved, clientInstanceID: rand.Text()},
		bot:          startBot(ctx, bot),
	}
	result, err = seat.play(ctx)
	return result, seat.bot.done, err
}

// seat is one seat of one match, across all of its streams.
type seat struct {
	options      *resolvedOptions
	route        *route
	conversation conversation
	bot          *botRoutine
	// deferred has the answers given while no stream was ready to send them.
	deferred []botAnswer
	// streamWasWelcomed is set once the current stream has received a Welcome.
	streamWasWelcomed bool
}

func (s *seat) play(ctx context.Context) (*v1.MatchResult, error) {
	backoff := newBackoff(s.options.ConnectFor)
	for {
		ended, err := s.playOnOneStream(ctx)
		if err == nil {
			s.bot.notify(&v1.PlayResponse{Message: &v1.PlayResponse_MatchEnded{MatchEnded: ended}})
			return ended.GetResult(), s.bot.finish(ctx)
		}
		lost, ok := err.(*streamLost)
		if !ok || ctx.Err() != nil {
			return nil, ctxOr(ctx, err)
		}
		if err := s.route.checkTLS(lost, s.conversation.welcomed); err != nil {
			return nil, err
		}
		waited := s.options.ConnectFor
		if s.streamWasWelcomed {
			// A match that waits for other bots can be silent for a long time.
			backoff.restart(s.options.ReconnectFor, s.conversation.progressed)
		}
		if s.conversation.welcomed {
			waited = s.options.ReconnectFor
		}
		address := s.route.server.address
		s.route.advance()
		pause, ok := backoff.nextPause()
		if !ok {
			return nil, &ServerLostError{
				address, waited, s.conversation.welcomed, lost.reason, lost}
		}
		if s.conversation.welcomed {
			s.options.Log.Printf("stream lost: %s; retrying", escape(lost.Error()))
		}
		if err := s.wait(ctx, pause); err != nil {
			return nil, err
		}
	}
}

// wait waits before the next stream, and stores answers that the bot gives in the meantime.
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
			s.deferred = append(s.deferred, answer)
		}
	}
}

// playOnOneStream opens a stream and uses it until the match has ended.
func (s *seat) playOnOneStream(ctx context.Context) (*v1.MatchEnded, error) {
	s.streamWasWelcomed = false
	hello := s.conversation.hello()
	stream, err := openStream(ctx, s.options, s.route.server, hello)
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
	if _, err := s.react(stream, reactions); err != nil {
		return nil, err
	}
	silence := missedPings * time.Duration(welcome.GetPingIntervalMs()) * time.Millisecond
	return s.exchange(ctx, stream, silence)
}

func (s *seat) readWelcome(ctx context.Context, stream *stream) (*v1.Welcome, error) {
	total := s.options.ConnectFor
	if s.conversation.welcomed {
		total = s.options.ReconnectFor
	}
	timer := time.NewTimer(s.route.answerTimeout(welcomeTimeout, total))
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-timer.C:
			return nil, &streamLost{message: "the server did not send a Welcome in time"}
		case answer := <-s.bot.answers:
			s.deferred = append(s.deferred, answer)
		case response, ok := <-stream.responses:
			if !ok {
				return nil, stream.failure
			}
			welcome := response.GetWelcome()
			if welcome == nil {
				return nil, &ProtocolError{
					"the server broke the protocol: its first message is not a Welcome"}
			}
			return welcome, nil
		}
	}
}

// exchange passes messages between server and bot until the match has ended.
func (s *seat) exchange(
	ctx context.Context, stream *stream, silence time.Duration,
) (*v1.MatchEnded, error) {
	deferred := s.deferred
	s.deferred = nil
	for _, answer := range deferred {
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
				stream.finish()
			}
			if ended != nil || err != nil {
				return ended, err
			}
		}
	}
}

func (s *seat) answer(stream *stream, answer botAnswer) error {
	reactions, err := s.conversation.answer(answer.request, answer.choice)
	if err != nil {
		return err
	}
	_, err = s.react(stream, reactions)
	return err
}

// react carries out reactions, and returns the last message if the match has ended.
func (s *seat) react(stream *stream, reactions []reaction) (*v1.MatchEnded, error) {
	for _, reaction := range reactions {
		switch {
		case reaction.send != nil:
			// A failure to send is also reported to the reader of the stream.
			_ = stream.call.Send(reaction.send)
		case reaction.decide != nil:
			s.bot.decide(reaction.decide)
		case reaction.notify != nil:
			s.bot.notify(reaction.notify)
		case reaction.end != nil:
			return reaction.end, nil
		}
	}
	return nil, nil
}

// stream is one stream of a seat, with its own connection.
type stream struct {
	connection *grpc.ClientConn
	call       grpc.BidiStreamingClient[v1.PlayRequest, v1.PlayResponse]
	cancel     context.CancelFunc
	// responses is closed at the end of the stream, after failure is set to the reason.
	responses chan *v1.PlayResponse
	failure   error
}

// openStream opens a stream and sends the Hello.
func openStream(
	ctx context.Context, options *resolvedOptions, server server, hello *v1.PlayRequest,
) (*stream, error) {
	connection, err := server.connect()
	if err != nil {
		return nil, err
	}
	ctx = metadata.AppendToOutgoingContext(ctx, options.metadata...)
	ctx, cancel := context.WithCancel(ctx)
	call, err := v1.NewPlayServiceClient(connection).Play(ctx)
	if err != nil {
		cancel()
		_ = connection.Close()
		return nil, errorFromRPC(err)
	}
	// A failure to send is also reported to the reader of the stream.
	_ = call.Send(hello)
	stream := &stream{
		connection: connection, call: call, cancel: cancel, responses: make(chan *v1.PlayResponse),
	}
	go stream.read(ctx)
	return stream, nil
}

// read reads messages at once, also while the bot thinks.
func (s *stream) read(ctx context.Context) {
	defer close(s.responses)
	for {
		response, err := s.call.Recv()
		if err == io.EOF {
			s.failure = &streamLost{message: "the server ended the stream before the match was over"}
			return
		}
		if err != nil {
			s.failure = errorFromRPC(err)
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

// finish closes the stream in order: first the client's half, then the server's.
func (s *stream) finish() {
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
