package bridgemaster

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc"
	grpcbackoff "google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
)

// DefaultServer is the address of a server on one's own machine.
const DefaultServer = "http://127.0.0.1:50051"

const (
	// between is what stands between the addresses of several servers.
	between = ","
	// connectTimeout is the time for one attempt to reach a server: another one may be there.
	connectTimeout = 5 * time.Second
	// keepAlive is the silence after which the transport checks that the server is still there, and
	// the time that it has to show so.
	keepAlive = 10 * time.Second
)

// place is a server, and how it is reached.
type place struct {
	// server is its address, as it was given.
	server string
	// scheme is http or https, target the server as gRPC dials it: host and port.
	scheme, target string
	credentials    credentials.TransportCredentials
}

// placesOf returns the servers of an address, or of several with commas between them, in their order.
func placesOf(options Options) ([]place, error) {
	var places []place
	for named := range strings.SplitSeq(options.Server, between) {
		server := strings.TrimSpace(named)
		scheme, target, err := targetOf(server)
		if err != nil {
			return nil, err
		}
		transport := insecure.NewCredentials()
		if scheme == "https" {
			if transport, err = options.transport(); err != nil {
				return nil, err
			}
		}
		places = append(places, place{server, scheme, target, transport})
	}
	return places, nil
}

// at returns the server at HOST:PORT, reached in the same way, since such an address says nothing of
// TLS.
func (p place) at(hostAndPort string) (place, error) {
	server := p.scheme + "://" + hostAndPort
	_, target, err := targetOf(server)
	return place{server, p.scheme, target, p.credentials}, err
}

// connect prepares a connection, which is made with the first call.
func (p place) connect() (*grpc.ClientConn, error) {
	connection, err := grpc.NewClient(p.target,
		grpc.WithTransportCredentials(p.credentials),
		// A server on the own machine or network is not reached through the proxy of the browser.
		grpc.WithNoProxy(),
		grpc.WithConnectParams(
			grpc.ConnectParams{Backoff: grpcbackoff.DefaultConfig, MinConnectTimeout: connectTimeout}),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: keepAlive, Timeout: keepAlive}))
	if err != nil {
		return nil, &OptionsError{err.Error()}
	}
	return connection, nil
}

// targetOf returns http or https, and what gRPC dials for an address.
func targetOf(server string) (scheme, target string, err error) {
	text := server
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	address, err := url.Parse(text)
	if err != nil || (address.Scheme != "http" && address.Scheme != "https") ||
		address.Hostname() == "" || address.Port() == "" || strings.Trim(address.Path, "/") != "" {
		return "", "", &OptionsError{
			fmt.Sprintf("server %q is not an address such as %s", server, DefaultServer)}
	}
	return address.Scheme, net.JoinHostPort(address.Hostname(), address.Port()), nil
}

// transport returns the TLS of an https address.
func (options Options) transport() (credentials.TransportCredentials, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if options.CA != "" {
		pem, err := os.ReadFile(options.CA)
		if err != nil {
			return nil, &OptionsError{err.Error()}
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, &OptionsError{options.CA + ": there is no certificate in PEM"}
		}
	}
	if (options.ClientCert == "") != (options.ClientKey == "") {
		return nil, &OptionsError{"a client certificate and its private key are given together"}
	}
	if options.ClientCert != "" {
		pair, err := tls.LoadX509KeyPair(options.ClientCert, options.ClientKey)
		if err != nil {
			return nil, &OptionsError{err.Error()}
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return credentials.NewTLS(config), nil
}
