package bridgemaster

import (
	"context"
	"crypto/rand"
	"io"
	"sync"
	"time"

	"google.golang.org/grpc/metadata"

	v1 "github.com/bridgemaster-games/bridgemaster/bots/go/gen/bridgemaster/v1"
)

const (
	// maxRecentOffers is the number of recent offer ids stored for deduplication: far more than the
	// slots of a bot.
	maxRecentOffers = 1024
	// queueUnknown is the refusal reason of a queue that does not exist, or is not open yet.
	queueUnknown = "QUEUE_UNKNOWN"
	// reportTimeout is the time limit of the calls that report busy slots.
	reportTimeout = 10 * time.Second
)

// Attend attends a queue and plays every match offered there, until the queue is closed or left.
// newBot creates the bot of each match, which is played on its own goroutine. A failed match is
// logged, and does not affect other matches. Matches in progress are finished before Attend
// returns, unless ctx is cancelled. A slot is free once all methods of its bot have returned; a busy
// slot of a match that has ended is logged and reported.
//
// Attend returns an error of this package if the attendance fails, or the error of ctx.
func Attend(ctx context.Context, newBot func() Bot, options Options) error {
	resolved, err := options.resolveAttend()
	if err != nil {
		return err
	}
	attendance := &attendance{
		options: resolved, route: newRoute(resolved.servers), newBot: newBot, recent: map[string]bool{},
		clientInstanceID: rand.Text(), slots: slots{total: resolved.Slots, usedAtServer: -1},
	}
	defer attendance.playing.Wait()
	checking, stop := context.WithCancel(ctx)
	defer stop()
	go attendance.checkSlots(checking)
	return attendance.attend(ctx)
}

// attendance is an attendance of a queue, across all of its streams.
type attendance struct {
	options *resolvedOptions
	route   *route
	newBot  func() Bot
	// clientInstanceID and streamNumber let the server ignore a request that arrives late.
	clientInstanceID string
	// streamNumber is the number of the last stream.
	streamNumber uint32
	playing      sync.WaitGroup
	slots   slots
	// mutex protects reportTo and id: the server of the current stream, and its attendance.
	mutex    sync.Mutex
	reportTo server
	id       string
	// recent and offers have the ids of the recent offers; offers is sorted, the oldest first.
	recent map[string]bool
	offers []string
	// attended is set once any stream has received a message, progressed once the current stream has.
	attended, progressed bool
}

func (a *attendance) attend(ctx context.Context) error {
	backoff := newBackoff(a.options.ConnectFor)
	for {
		a.progressed = false
		err := a.attendOnOneStream(ctx)
		if err == nil || ctx.Err() != nil {
			return ctx.Err()
		}
		lost, ok := err.(*streamLost)
		if refused, is := err.(*RefusedError); is && refused.Reason == queueUnknown {
			// A contest opens its queue shortly after it starts or resumes.
			lost, ok = &streamLost{reason: refused.Reason, message: refused.Error()}, true
		}
		if !ok {
			return err
		}
		a.slots.setUsedAtServer(-1, 0)
		if err := a.route.checkTLS(lost, a.attended); err != nil {
			return err
		}
		waited := a.options.ConnectFor
		if a.progressed {
			backoff.restart(a.options.ReconnectFor, true)
		}
		if a.attended {
			waited = a.options.ReconnectFor
		}
		address := a.route.server.address
		a.route.advance()
		pause, ok := backoff.nextPause()
		if !ok {
			return &ServerLostError{address, waited, a.attended, lost.reason, lost}
		}
		if a.attended {
			a.options.Log.Printf("attendance lost: %s; retrying", escape(lost.Error()))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// attendOnOneStream returns nil once the queue is closed or left.
func (a *attendance) attendOnOneStream(ctx context.Context) error {
	connection, err := a.route.server.connect()
	if err != nil {
		return err
	}
	defer func() { _ = connection.Close() }()
	a.streamNumber++
	request := &v1.AttendRequest{
		QueueId:          a.options.Queue,
		BotName:          a.options.Name,
		BotVersion:       a.options.Version,
		Slots:            uint32(a.options.Slots),
		ProtocolRevision: ProtocolRevision,
		ClientInstanceId: a.clientInstanceID,
		StreamNumber:     a.streamNumber,
	}
	// Only this call gets the metadata. The matches in progress also use ctx.
	attendCtx := metadata.AppendToOutgoingContext(ctx, a.options.metadata...)
	stream, err := v1.NewLobbyServiceClient(connection).Attend(attendCtx, request)
	if err != nil {
		return errorFromRPC(err)
	}
	for {
		response, err := stream.Recv()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return errorFromRPC(err)
		}
		a.attended, a.progressed = true, true
		switch message := response.GetMessage().(type) {
		case *v1.AttendResponse_Offer:
			a.accept(ctx, message.Offer)
		case *v1.AttendResponse_Attendance:
			a.mutex.Lock()
			a.reportTo, a.id = a.route.server, message.Attendance.GetAttendanceId()
			a.mutex.Unlock()
			a.slots.setUsedAtServer(
				int(message.Attendance.GetSlotsUsed()), int(message.Attendance.GetBusySlots()))
			if detail := message.Attendance.GetDetail(); detail != "" {
				a.options.Log.Printf("attending: %s", escape(detail))
			}
		case *v1.AttendResponse_OfferWithdrawn:
			a.slots.withdraw(message.OfferWithdrawn.GetOfferId())
			detail := message.OfferWithdrawn.GetDetail()
			a.options.Log.Printf("offer withdrawn: %s", escape(detail))
		}
	}
}

// accept starts the match of an offer, unless the offer is a repetition.
func (a *attendance) accept(ctx context.Context, offer *v1.Offer) {
	if a.recent[offer.GetOfferId()] {
		return
	}
	a.recent[offer.GetOfferId()] = true
	a.offers = append(a.offers, offer.GetOfferId())
	if len(a.offers) > maxRecentOffers {
		delete(a.recent, a.offers[0])
		a.offers = a.offers[1:]
	}
	if a.slots.take(offer) {
		a.playing.Go(func() {
			for offer != nil {
				a.play(ctx, offer)
				offer = a.slots.release()
			}
		})
	}
}

// play plays the match of an offer. It returns once the last method of the bot has returned, so
// that its slot is free.
func (a *attendance) play(ctx context.Context, offer *v1.Offer) {
	options := a.options.Options
	options.Ticket = offer.GetTicket()
	_, idle, err := play(ctx, a.newBot(), options)
	if err != nil {
		a.options.Log.Printf("match %s failed: %v", escape(offer.GetMatchId()), err)
	}
	select {
	case <-idle:
	case <-ctx.Done():
	}
}

// checkSlots reports busy slots to the server, and declines offers for which no slot became free.
func (a *attendance) checkSlots(ctx context.Context) {
	ticker := time.NewTicker(checkInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if busy, overdue := a.slots.check(); busy >= 0 || len(overdue) > 0 {
				a.report(ctx, busy, overdue)
			}
		}
	}
}

// report makes all its calls even if one fails. A failure is only logged.
func (a *attendance) report(ctx context.Context, busy int, overdue []*v1.Offer) {
	logFailure := func(err error) {
		if err != nil {
			a.options.Log.Printf("cannot report busy slots: %s", escape(err.Error()))
		}
	}
	a.mutex.Lock()
	server, id := a.reportTo, a.id
	a.mutex.Unlock()
	connection, err := server.connect()
	if err != nil {
		logFailure(err)
		return
	}
	defer func() { _ = connection.Close() }()
	ctx, cancel := context.WithTimeout(ctx, reportTimeout)
	defer cancel()
	ctx = metadata.AppendToOutgoingContext(ctx, a.options.metadata...)
	client := v1.NewLobbyServiceClient(connection)
	if busy > 0 {
		a.options.Log.Printf("%d slots are busy: the bot still computes for finished matches", busy)
	}
	if busy >= 0 {
		slots := uint32(busy)
		update := &v1.UpdateAttendanceRequest{AttendanceId: id, BusySlots: &slots}
		_, err := client.UpdateAttendance(ctx, update)
		logFailure(err)
	}
	for _, offer := range overdue {
		if !a.slots.withdraw(offer.GetOfferId()) {
			continue
		}
		a.options.Log.Printf("offer %s declined: %s", escape(offer.GetOfferId()), slotsBusy)
		decline := &v1.DeclineOfferRequest{OfferId: offer.GetOfferId(), Reason: slotsBusy}
		_, err := client.DeclineOffer(ctx, decline)
		logFailure(err)
	}
}
