package bridgemaster

import (
	"context"
	"io"
	"sync"
	"time"

	"google.golang.org/grpc/metadata"

	v1 "bridgemaster/gen/bridgemaster/v1"
)

const (
	// rememberedOffers are known when they come again: those of all slots, many times over.
	rememberedOffers = 1024
	// queueUnknown is the refusal while the queue is not opened yet.
	queueUnknown = "QUEUE_UNKNOWN"
)

// Attend attends a queue, and plays each match that is offered there, until the queue is left or
// closed. newBot makes the bot of each match, which is played on a goroutine of its own. A match that
// is not played to its end is logged, and the others go on; all are played to their end before Attend
// returns, unless ctx is cancelled.
//
// Its errors are those of this package, of the attendance alone, and that of ctx.
func Attend(ctx context.Context, newBot func() Bot, options Options) error {
	queueing, err := options.queueing()
	if err != nil {
		return err
	}
	attendance := &attendance{
		queueing: queueing, route: newRoute(queueing.places), newBot: newBot, known: map[string]bool{},
	}
	defer attendance.playing.Wait()
	return attendance.attend(ctx)
}

// attendance is a bot's place in a queue, over as many streams as it takes.
type attendance struct {
	queueing *seating
	route    *route
	newBot   func() Bot
	playing  sync.WaitGroup
	// known are the offers that came, and offers the same, the oldest first.
	known  map[string]bool
	offers []string
	// attended says whether a server ever answered, progressed whether one did on the newest stream.
	attended, progressed bool
}

func (a *attendance) attend(ctx context.Context) error {
	backoff := newBackoff(a.queueing.ConnectFor)
	for {
		a.progressed = false
		err := a.attendOnOneStream(ctx)
		if err == nil || ctx.Err() != nil {
			return ctx.Err()
		}
		lost, ok := err.(*streamLost)
		if refused, is := err.(*RefusedError); is && refused.Reason == queueUnknown {
			// A contest that begins or goes on opens it in a moment.
			lost, ok = &streamLost{reason: refused.Reason, message: refused.Error()}, true
		}
		if !ok {
			return err
		}
		tried := a.queueing.ConnectFor
		if a.progressed {
			backoff.restart(a.queueing.ReconnectFor, true)
		}
		if a.attended {
			tried = a.queueing.ReconnectFor
		}
		server := a.route.place.server
		atOnce := a.route.goOn(lost.movedTo)
		pause, ok := backoff.nextPause()
		if !ok {
			return &ServerLostError{server, tried, a.attended, lost.reason, lost}
		}
		if atOnce {
			continue
		}
		if a.attended {
			a.queueing.Log.Printf("no attendance: %s; trying again", shown(lost.Error()))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// attendOnOneStream returns nil when the queue is left.
func (a *attendance) attendOnOneStream(ctx context.Context) error {
	connection, err := a.route.place.connect()
	if err != nil {
		return err
	}
	defer func() { _ = connection.Close() }()
	request := &v1.AttendRequest{
		QueueId:          a.queueing.Queue,
		BotName:          a.queueing.Name,
		BotVersion:       a.queueing.Version,
		Slots:            uint32(a.queueing.Slots),
		ProtocolRevision: ProtocolRevision,
	}
	// The matches in play do not end with this stream.
	told := metadata.AppendToOutgoingContext(ctx, a.queueing.metadata...)
	stream, err := v1.NewLobbyServiceClient(connection).Attend(told, request)
	if err != nil {
		return errorOf(err)
	}
	for {
		response, err := stream.Recv()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return errorOf(err)
		}
		a.attended, a.progressed = true, true
		a.route.arrived()
		switch message := response.GetMessage().(type) {
		case *v1.AttendResponse_Offer:
			a.take(ctx, message.Offer)
		case *v1.AttendResponse_Attendance:
			if detail := message.Attendance.GetDetail(); detail != "" {
				a.queueing.Log.Printf("attending: %s", shown(detail))
			}
		case *v1.AttendResponse_OfferWithdrawn:
			detail := message.OfferWithdrawn.GetDetail()
			a.queueing.Log.Printf("an offer holds no more: %s", shown(detail))
		}
	}
}

// take starts the match of an offer, unless it is known.
func (a *attendance) take(ctx context.Context, offer *v1.Offer) {
	if a.known[offer.GetOfferId()] {
		return
	}
	a.known[offer.GetOfferId()] = true
	a.offers = append(a.offers, offer.GetOfferId())
	if len(a.offers) > rememberedOffers {
		delete(a.known, a.offers[0])
		a.offers = a.offers[1:]
	}
	options := a.queueing.Options
	options.Ticket = offer.GetTicket()
	if at, err := a.route.place.at(offer.GetAddress()); err == nil {
		options.Server = at.server
	}
	a.playing.Go(func() {
		if _, err := Play(ctx, a.newBot(), options); err != nil {
			a.queueing.Log.Printf("match %s was not played to its end: %v",
				shown(offer.GetMatchId()), err)
		}
	})
}
