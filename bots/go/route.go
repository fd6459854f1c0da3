package bridgemaster

import "time"

// route is the current server, among the configured ones or after a redirect.
type route struct {
	server server
	// servers are the configured servers, at least one; index is the server that was tried last.
	servers []server
	index   int
	// wasRedirected is set if the previous server redirected and the current one has not answered.
	wasRedirected bool
}

// newRoute starts at the first server.
func newRoute(servers []server) *route {
	return &route{server: servers[0], servers: servers}
}

// answerTimeout returns the time to wait for the first answer of a server, at most limit. Several
// servers share total equally.
func (r *route) answerTimeout(limit, total time.Duration) time.Duration {
	if len(r.servers) == 1 {
		return limit
	}
	return min(limit, total/time.Duration(len(r.servers)))
}

// markAnswered records that the server answered instead of redirecting.
func (r *route) markAnswered() { r.wasRedirected = false }

// advance moves to movedTo (HOST:PORT), or to the next configured server if the argument is empty.
// It returns whether to retry at once. Only the first of consecutive redirects is followed at once,
// so that two servers cannot redirect a caller back and forth without a pause.
func (r *route) advance(movedTo string) bool {
	if target, err := r.server.redirect(movedTo); err == nil {
		r.server = target
		retryAtOnce := !r.wasRedirected
		r.wasRedirected = true
		return retryAtOnce
	}
	r.wasRedirected = false
	r.index = (r.index + 1) % len(r.servers)
	r.server = r.servers[r.index]
	return false
}
