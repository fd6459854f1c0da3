package bridgemaster

import (
	"slices"
	"sync"
	"time"

	v1 "github.com/bridgemaster-games/bridgemaster/bots/go/gen/bridgemaster/v1"
)

const (
	// maxOfferWait is the maximum time that an offer waits for a free slot. Then it is declined,
	// because the other bots of the match wait, too.
	maxOfferWait = 5 * time.Second
	// slotsBusy is the reason that the server receives with such an offer.
	slotsBusy = "all slots are busy: the bot still computes for matches that have ended"
)

// checkInterval is the interval of the checks for busy slots. A slot is reported as busy only after
// a whole interval, since a bot needs some time after every match.
var checkInterval = time.Second

// slots are the slots of one attendance, and the offers that wait for a free slot. A slot stays in
// use until nothing computes for its match any more, which can be later than the end of the match.
type slots struct {
	mutex        sync.Mutex
	total, inUse int
	// usedAtServer is the server's count of matches in play and open offers; negative without a stream.
	usedAtServer int
	waiting      []waitingOffer
	// leastBusy is the minimum number of busy slots since the last check.
	leastBusy int
	// reported is the server's count of busy slots.
	reported int
}

type waitingOffer struct {
	offer *v1.Offer
	until time.Time
}

// setUsedAtServer records the server's counts. A negative count of used slots means that the stream
// is lost: the server forgets busy slots.
func (s *slots) setUsedAtServer(used, reported int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.usedAtServer, s.reported = used, reported
}

// take takes a slot for an offer. If none is free, the offer waits, and take returns false.
func (s *slots) take(offer *v1.Offer) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.inUse < s.total {
		s.inUse++
		return true
	}
	wait := min(time.Duration(offer.GetTimeLeftMs())*time.Millisecond/2, maxOfferWait)
	s.waiting = append(s.waiting, waitingOffer{offer, time.Now().Add(wait)})
	return false
}

// release passes a slot on to the offer that waits longest, which is returned, or frees it.
func (s *slots) release() *v1.Offer {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.leastBusy = min(s.leastBusy, s.busy())
	if len(s.waiting) == 0 {
		s.inUse--
		return nil
	}
	next := s.waiting[0].offer
	s.waiting = s.waiting[1:]
	return next
}

// withdraw forgets an offer that waits, and returns whether it waited.
func (s *slots) withdraw(offerID string) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	before := len(s.waiting)
	s.waiting = slices.DeleteFunc(s.waiting, func(one waitingOffer) bool {
		return one.offer.GetOfferId() == offerID
	})
	return len(s.waiting) < before
}

// check returns the number of busy slots if it must be reported, otherwise -1, and the offers to
// decline. It is called once per interval. The number is returned until the server's count shows it,
// since a report can fail. The offers wait until they are withdrawn.
func (s *slots) check() (busy int, overdue []*v1.Offer) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	now := time.Now()
	for _, one := range s.waiting {
		if !one.until.After(now) {
			overdue = append(overdue, one.offer)
		}
	}
	stuck := min(s.leastBusy, s.busy())
	s.leastBusy = s.busy()
	if stuck == s.reported || s.usedAtServer < 0 {
		return -1, overdue
	}
	return stuck, overdue
}

// busy is the number of slots in use whose matches have ended, by the server's count.
func (s *slots) busy() int {
	if s.usedAtServer < 0 {
		return 0
	}
	return max(0, s.inUse+len(s.waiting)-s.usedAtServer)
}
