package bridgemaster

import (
	"math/rand/v2"
	"time"
)

const (
	// firstPause is short, because a server that only dropped the stream is available at once.
	firstPause = 50 * time.Millisecond
	// maxPause limits a pause, and the time that a bot loses after its server has restarted.
	maxPause = 2 * time.Second
)

// backoff is an exponential backoff with a total time limit.
type backoff struct {
	pause    time.Duration
	deadline time.Time
}

// newBackoff starts the time limit now.
func newBackoff(limit time.Duration) *backoff {
	return &backoff{firstPause, time.Now().Add(limit)}
}

// restart starts a new time limit now. The pauses start over only if the last stream progressed, so
// that a server that accepts a bot and then drops it is not flooded.
func (b *backoff) restart(limit time.Duration, progressed bool) {
	b.deadline = time.Now().Add(limit)
	if progressed {
		b.pause = firstPause
	}
}

// nextPause returns the next pause, or false after the time limit. Pauses are randomized (50 to 100
// %), so that the bots of a lost server do not reconnect all at once.
func (b *backoff) nextPause() (time.Duration, bool) {
	left := time.Until(b.deadline)
	if left <= 0 {
		return 0, false
	}
	pause := b.pause/2 + rand.N(b.pause/2)
	b.pause = min(2*b.pause, maxPause)
	return min(left, pause), true
}
