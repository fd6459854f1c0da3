package bridgemaster

import (
	"context"
	"sync"

	v1 "github.com/bridgemaster-games/bridgemaster/bots/go/gen/bridgemaster/v1"
)

// botAnswer is the bot's choice for a request.
type botAnswer struct {
	request *Request
	choice  Choice
}

// botRoutine calls the methods of a bot in sequence, on its own goroutine.
type botRoutine struct {
	bot     Bot
	answers chan botAnswer
	done    chan struct{}

	mutex sync.Mutex
	tasks []func(context.Context)
	last  bool
	// more holds a token if there are new tasks.
	more chan struct{}
}

func startBot(ctx context.Context, bot Bot) *botRoutine {
	b := &botRoutine{
		bot:     bot,
		answers: make(chan botAnswer),
		done:    make(chan struct{}),
		more:    make(chan struct{}, 1),
	}
	go b.run(ctx)
	return b
}

// decide calls Decide on the goroutine; the choice is sent to answers.
func (b *botRoutine) decide(request *Request) {
	b.add(func(ctx context.Context) {
		if request.Context().Err() != nil {
			return
		}
		choice := b.bot.Decide(request)
		select {
		case b.answers <- botAnswer{request, choice}:
		case <-request.Context().Done():
		case <-ctx.Done():
		}
	})
}

// notify passes a message to a bot that implements Listener.
func (b *botRoutine) notify(response *v1.PlayResponse) {
	listener, ok := b.bot.(Listener)
	if !ok {
		return
	}
	b.add(func(context.Context) {
		switch message := response.GetMessage().(type) {
		case *v1.PlayResponse_MatchStarted:
			listener.MatchStarted(message.MatchStarted)
		case *v1.PlayResponse_DecisionRejected:
			listener.DecisionRejected(message.DecisionRejected)
		case *v1.PlayResponse_SeatStatus:
			listener.SeatChanged(message.SeatStatus)
		case *v1.PlayResponse_MatchEnded:
			listener.MatchEnded(message.MatchEnded.GetResult())
		}
	})
}

// finish waits until the bot has finished all calls.
func (b *botRoutine) finish(ctx context.Context) error {
	b.mutex.Lock()
	b.last = true
	b.mutex.Unlock()
	b.wake()
	for {
		select {
		case <-b.answers:
			// The match has ended; the answer is no longer needed.
		case <-b.done:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (b *botRoutine) add(task func(context.Context)) {
	b.mutex.Lock()
	b.tasks = append(b.tasks, task)
	b.mutex.Unlock()
	b.wake()
}

func (b *botRoutine) wake() {
	select {
	case b.more <- struct{}{}:
	default:
	}
}

func (b *botRoutine) run(ctx context.Context) {
	defer close(b.done)
	for {
		select {
		case <-b.more:
		case <-ctx.Done():
			return
		}
		b.mutex.Lock()
		tasks, last := b.tasks, b.last
		b.tasks = nil
		b.mutex.Unlock()
		for _, task := range tasks {
			if ctx.Err() != nil {
				return
			}
			task(ctx)
		}
		if last {
			return
		}
	}
}
