package bridgemaster

import (
	"math/rand/v2"
	"time"
)

const (
	// firstPause: a server that only dropped the stream is back at once.
	firstPause = 50 * time.Millisecond
	// longestPause is what a bot loses of its clock at most when the server comes back.
	longestPause = 2 * time.Second
)

// backoff gives pauses between attempts to connect: they double up to a limit, until a span of time
// is over.
type backoff struct {
	pause time.Duration
	ends  time.Time
}

// newBackoff starts a span now.
func newBackoff(span time.Duration) *backoff {
	return &backoff{firstPause, time.Now().Add(span)}
}

// restart starts another span now. The pauses begin anew only when the last stream progressed: a
// server that welcomes a bot and drops it at once is not hammered.
func (b *backoff) restart(span time.Duration, progressed bool) {
	b.ends = time.Now().Add(span)
	if progressed {
		b.pause = firstPause
	}
}

// nextPause returns the next pause; false when the span is over. A pause has half to all of its
// length, so that the bots of a lost server do not return all at once.
func (b *backoff) nextPause() (time.Duration, bool) {
	left := time.Until(b.ends)
	if left <= 0 {
		return 0, false
	}
	pause := b.pause/2 + rand.N(b.pause/2)
	b.pause = min(2*b.pause, longestPause)
	return min(left, pause), true
}
