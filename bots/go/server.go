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

// DefaultServer is the default address of the server, on the loopback interface.
const DefaultServer = "http://127.0.0.1:50051"

const (
	// separator separates the addresses of a cluster.
	separator = ","
	// connectTimeout is the time limit of one connection attempt.
	connectTimeout = 5 * time.Second
	// keepAlive is the interval of keepalive pings, and the time to wait for their answer.
	keepAlive = 10 * time.Second
)

// server is a server and how to connect to it.
type server struct {
	// address is the address as given in the options.
	address string
	// target is the address as gRPC dials it, HOST:PORT.
	target      string
	credentials credentials.TransportCredentials
}

// parseServers parses an address, or several separated by commas.
func parseServers(options Options) ([]server, error) {
	var servers []server
	for part := range strings.SplitSeq(options.Server, separator) {
		address := strings.TrimSpace(part)
		scheme, target, err := parseAddress(address)
		if err != nil {
			return nil, err
		}
		transport := insecure.NewCredentials()
		if scheme == "https" {
			if transport, err = options.tlsCredentials(); err != nil {
				return nil, err
			}
		}
		servers = append(servers, server{address, target, transport})
	}
	return servers, nil
}

// connect creates a connection, which is opened by its first call.
func (s server) connect() (*grpc.ClientConn, error) {
	connection, err := grpc.NewClient(s.target,
		grpc.WithTransportCredentials(s.credentials),
		// Bot servers usually run on the same machine or network, which a proxy cannot reach.
		grpc.WithNoProxy(),
		grpc.WithConnectParams(
			grpc.ConnectParams{Backoff: grpcbackoff.DefaultConfig, MinConnectTimeout: connectTimeout}),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: keepAlive, Timeout: keepAlive}))
	if err != nil {
		return nil, &OptionsError{err.Error()}
	}
	return connection, nil
}

// parseAddress returns the scheme of an address, and the target that gRPC dials for it.
func parseAddress(address string) (scheme, target string, err error) {
	text := address
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	parsed, err := url.Parse(text)
	if err != nil || (parsed.Scheme != "http" && parsed.Scheme != "https") ||
		parsed.Hostname() == "" || parsed.Port() == "" || strings.Trim(parsed.Path, "/") != "" {
		return "", "", &OptionsError{
			fmt.Sprintf("Server: %q is not an address such as %s", address, DefaultServer)}
	}
	return parsed.Scheme, net.JoinHostPort(parsed.Hostname(), parsed.Port()), nil
}

// tlsCredentials returns the credentials for an https address.
func (options Options) tlsCredentials() (credentials.TransportCredentials, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if options.CA != "" {
		pem, err := os.ReadFile(options.CA)
		if err != nil {
			return nil, &OptionsError{err.Error()}
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, &OptionsError{options.CA + ": no PEM certificate found"}
		}
	}
	if (options.ClientCert == "") != (options.ClientKey == "") {
		return nil, &OptionsError{
			"a client certificate requires its private key, and a private key its certificate"}
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
