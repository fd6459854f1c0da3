package bridgemaster

import "time"

// route is the current server, among the configured ones.
type route struct {
	server server
	// servers are the configured servers, at least one; index is the current one.
	servers []server
	index   int
	// probed is set once the server was asked whether it requires TLS.
	probed bool
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

// advance continues with the next configured server, after a failure of the current one.
func (r *route) advance() {
	r.index = (r.index + 1) % len(r.servers)
	r.server = r.servers[r.index]
}
