package bridgemaster

import "time"

// route goes from one server to the next, and where a server says that something is.
type route struct {
	// place is where it is.
	place place
	// places are the servers that were named, at least one, and tried the last of them.
	places []place
	tried  int
	// wasSent: the server before has sent us here, and nothing came of it yet.
	wasSent bool
}

// newRoute begins at the server that was named first.
func newRoute(places []place) *route {
	return &route{place: places[0], places: places}
}

// patience returns how long a server may keep one waiting for its first answer, at most most: where
// several were named, each has its share of the span of time in which one must be found.
func (r *route) patience(most, span time.Duration) time.Duration {
	if len(r.places) == 1 {
		return most
	}
	return min(most, span/time.Duration(len(r.places)))
}

// arrived notes that the server has answered for itself.
func (r *route) arrived() { r.wasSent = false }

// goOn goes to movedTo, HOST:PORT, or, when that is empty, to the next server that was named. It
// returns whether that may be tried at once: two servers that send a caller back and forth must not
// do so without a pause.
func (r *route) goOn(movedTo string) bool {
	if moved, err := r.place.at(movedTo); err == nil {
		r.place = moved
		atOnce := !r.wasSent
		r.wasSent = true
		return atOnce
	}
	r.wasSent = false
	r.tried = (r.tried + 1) % len(r.places)
	r.place = r.places[r.tried]
	return false
}
