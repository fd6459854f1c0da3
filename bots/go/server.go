package bridgemaster

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
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
	isEncrypted bool
	credentials credentials.TransportCredentials
	// proxy is HOST:PORT of the proxy; empty for none.
	proxy string
}

// parseServers parses an address, or several separated by commas.
func parseServers(options Options) ([]server, error) {
	proxy := ""
	if options.Proxy != "" {
		scheme, target, err := parseAddress(options.Proxy)
		if invalid, ok := err.(*OptionsError); ok {
			return nil, &OptionsError{"Proxy" + strings.TrimPrefix(invalid.Message, "Server")}
		}
		if scheme != "http" {
			return nil, &OptionsError{fmt.Sprintf(
				"Proxy: %q is not supported: the scheme must be http", options.Proxy)}
		}
		proxy = target
	}
	var servers []server
	for part := range strings.SplitSeq(options.Server, separator) {
		address := strings.TrimSpace(part)
		scheme, target, err := parseAddress(address)
		if err != nil {
			return nil, err
		}
		isEncrypted := scheme == "https"
		transport := insecure.NewCredentials()
		if isEncrypted {
			if transport, err = options.tlsCredentials(); err != nil {
				return nil, err
			}
		}
		servers = append(servers, server{address, target, isEncrypted, transport, proxy})
	}
	return servers, nil
}

// connect creates a connection, which is opened by its first call.
func (s server) connect() (*grpc.ClientConn, error) {
	options := []grpc.DialOption{
		grpc.WithTransportCredentials(s.credentials),
		// Bot servers usually run on the same machine or network, which the proxy of the environment
		// cannot reach.
		grpc.WithNoProxy(),
		grpc.WithConnectParams(
			grpc.ConnectParams{Backoff: grpcbackoff.DefaultConfig, MinConnectTimeout: connectTimeout}),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: keepAlive, Timeout: keepAlive}),
	}
	target := s.target
	if s.proxy != "" {
		// The proxy resolves the name of the server.
		target = "passthrough:///" + target
		options = append(options, grpc.WithContextDialer(s.dialProxy))
	}
	connection, err := grpc.NewClient(target, options...)
	if err != nil {
		return nil, &OptionsError{err.Error()}
	}
	return connection, nil
}

// dialProxy opens a connection to a target through the proxy.
func (s server) dialProxy(ctx context.Context, target string) (net.Conn, error) {
	connection, err := new(net.Dialer).DialContext(ctx, "tcp", s.proxy)
	if err != nil {
		return nil, err
	}
	// A proxy that does not answer ends with the attempt.
	stop := context.AfterFunc(ctx, func() { _ = connection.Close() })
	reader := bufio.NewReader(connection)
	request := &http.Request{Method: http.MethodConnect, URL: &url.URL{Host: target}, Host: target}
	if err = request.WithContext(ctx).Write(connection); err == nil {
		var response *http.Response
		response, err = http.ReadResponse(reader, request)
		if err == nil && response.StatusCode != http.StatusOK {
			err = fmt.Errorf("the proxy answered %s", response.Status)
		}
	}
	if !stop() {
		err = ctx.Err()
	}
	if err != nil {
		_ = connection.Close()
		return nil, err
	}
	return bufferedConnection{connection, reader}, nil
}

// bufferedConnection is a connection whose first bytes are in a buffer: the settings of the server
// can arrive together with the answer of the proxy.
type bufferedConnection struct {
	net.Conn
	reader *bufio.Reader
}

func (c bufferedConnection) Read(buffer []byte) (int, error) {
	return c.reader.Read(buffer)
}

var (
	// An IPv6 address has at least two colons, and a port no leading zero.
	hostPattern = regexp.MustCompile(`^([A-Za-z0-9._-]+|\[[0-9A-Fa-f.]*:[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*\])$`)
	portPattern = regexp.MustCompile(`^[1-9][0-9]{0,4}$`)
	// The last colon outside of brackets separates the port.
	hostAndPort = regexp.MustCompile(`^(\[[^\]]*\]|[^:]*)(:.*)?$`)
)

// parseAddress returns the scheme of an address, and the target that gRPC dials for it, as
// sdk/addresses.tsv specifies for all SDKs.
func parseAddress(address string) (scheme, target string, err error) {
	fail := func(problem string) (string, string, error) {
		return "", "", &OptionsError{fmt.Sprintf(
			"Server: %q is not an address such as %s: %s", address, DefaultServer, problem)}
	}
	address = strings.TrimSpace(address)
	if strings.HasPrefix(address, "unix:") || strings.HasPrefix(address, "unix-abstract:") {
		return fail("Unix sockets are not supported")
	}
	scheme, rest, hasScheme := strings.Cut(address, "://")
	if !hasScheme {
		scheme, rest = "http", address
	}
	scheme = strings.ToLower(scheme)
	defaultPort, ok := map[string]string{"http": ":80", "https": ":443"}[scheme]
	if !ok {
		return fail("the scheme is not http or https")
	}
	rest = strings.TrimSuffix(rest, "/")
	if strings.ContainsAny(rest, "/?#") {
		return fail("a path is not allowed")
	}
	if !strings.HasPrefix(rest, "[") && strings.Count(rest, ":") > 1 {
		return fail("an IPv6 address needs brackets")
	}
	parts := hostAndPort.FindStringSubmatch(rest)
	if parts == nil || !hostPattern.MatchString(parts[1]) {
		return fail("the host is not valid")
	}
	port := parts[2]
	if port == "" && hasScheme {
		port = defaultPort
	}
	if port = strings.TrimPrefix(port, ":"); port == "" {
		return fail("the port is missing")
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil || !portPattern.MatchString(port) {
		return fail("the port is out of range (1 to 65535)")
	}
	return scheme, parts[1] + ":" + port, nil
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
