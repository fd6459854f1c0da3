package bridgemaster

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

// expectTLSError checks that playing at an address fails with a TLSError, without a retry.
func expectTLSError(t *testing.T, address, ca, mistake string) {
	t.Helper()
	options := Options{
		Server: address, Ticket: "t", Name: "puppet", CA: ca, Log: log.New(io.Discard, "", 0),
	}
	_, err := Play(context.Background(), DecideFunc(func(*Request) Choice { return Index(0) }), options)
	var wrong *TLSError
	if !errors.As(err, &wrong) || !strings.Contains(wrong.Mistake, mistake) ||
		!strings.Contains(wrong.Mistake, "BRIDGEMASTER_CA") {
		t.Errorf("%s: %v", address, err)
	}
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener
}

func TestAServerWithTLSIsRecognizedByItsAnswerWithoutTLS(t *testing.T) {
	for _, answer := range []string{"\x15\x03\x03\x00\x02\x02\x32", "HTTP/1.1 400 use HTTPS"} {
		listener := listen(t)
		go func() {
			for {
				connection, err := listener.Accept()
				if err != nil {
					return
				}
				_, _ = connection.Read(make([]byte, 64))
				_, _ = connection.Write([]byte(answer))
				_ = connection.Close()
			}
		}()
		expectTLSError(t, "http://"+listener.Addr().String(), "", "requires TLS")
	}
}

func TestCertificatesThatAreNotTrustedAreNamed(t *testing.T) {
	const folder = "../../sdk/tls/"
	for _, one := range []struct{ certificate, mistake string }{
		{"valid", "not signed by a trusted authority"}, {"expired", "has expired"},
	} {
		pair, err := credentials.NewServerTLSFromFile(
			folder+one.certificate+".pem", folder+one.certificate+".key")
		if err != nil {
			t.Fatal(err)
		}
		listener, server := listen(t), grpc.NewServer(grpc.Creds(pair))
		go func() { _ = server.Serve(listener) }()
		t.Cleanup(server.Stop)
		expectTLSError(t, "https://"+listener.Addr().String(), folder+"ca.pem", one.mistake)
	}
}

func TestAServerWithoutTLSIsNamed(t *testing.T) {
	expectTLSError(t, "https://"+start(t).address, "", "does not use TLS")
}

func TestOnlyTheErrorsOfAMistakeAreNamed(t *testing.T) {
	for message, mistake := range map[string]string{
		"x509: cannot validate certificate for ::1 because it doesn't contain any IP SANs": wrongName,
		"x509: certificate is not valid for any names, but wanted to match a.example":      wrongName,
		"remote error: tls: certificate required":                                          clientCertificate,
		"remote error: tls: internal error":                                                "",
	} {
		err := routeOver(t, "https://127.0.0.1:1").checkTLS(&streamLost{message: message}, false)
		var wrong *TLSError
		if got := errors.As(err, &wrong); got != (mistake != "") || got && wrong.Mistake != mistake {
			t.Errorf("%s: %v", message, err)
		}
	}
}
