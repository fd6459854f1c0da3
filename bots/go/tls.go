package bridgemaster

import (
	"bytes"
	"fmt"
	"net"
	"strings"
	"time"
)

// TLSError reports that a connection failed because of a TLS mistake, such as an untrusted
// certificate.
type TLSError struct {
	// Server is the address.
	Server string
	// Mistake is the mistake, and how to correct it.
	Mistake string
}

func (err *TLSError) Error() string {
	return escape(fmt.Sprintf("cannot connect to %s: %s", err.Server, err.Mistake))
}

const (
	requiresTLS = "the server requires TLS; begin the address with https://, and if its certificate " +
		"is not signed by an authority that the system trusts, pass the file to trust as Options.CA " +
		"or BRIDGEMASTER_CA"
	wrongName = "the server's certificate is for a different name or address than the one you " +
		"connect to; use that name, or trust another certificate with BRIDGEMASTER_CA"
	clientCertificate = "the server requires a client certificate that it trusts; pass yours as " +
		"Options.ClientCert and Options.ClientKey, or BRIDGEMASTER_CLIENT_CERT and " +
		"BRIDGEMASTER_CLIENT_KEY"
	preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
	// probeTimeout is the maximum time of the check whether a server requires TLS.
	probeTimeout = 2 * time.Second
)

// tlsMistakes are parts of the errors of crypto/tls, and the mistakes that cause them.
var tlsMistakes = []struct{ sign, mistake string }{
	{" is before ", "the server's certificate is not valid yet; check the clocks of both machines"},
	{"certificate has expired", "the server's certificate has expired and must be renewed; if it is " +
		"self-signed, pass the new file as Options.CA or BRIDGEMASTER_CA"},
	{"certificate is valid for", wrongName},
	{"doesn't contain any IP SANs", wrongName},
	{"is not valid for any names", wrongName},
	{"x509: ", "the server's certificate is not signed by a trusted authority; pass the file to " +
		"trust as Options.CA or BRIDGEMASTER_CA"},
	{"does not look like a TLS handshake", "the server does not use TLS at this address; begin the " +
		"address with http://, and BRIDGEMASTER_CA is not needed"},
	{"remote error: tls: certificate required", clientCertificate},
	{"remote error: tls: bad certificate", clientCertificate},
	{"remote error: tls: unknown certificate authority", clientCertificate},
}

// checkTLS returns a TLSError if a TLS mistake made the current server fail. With several servers,
// the next one is tried instead.
func (r *route) checkTLS(lost *streamLost, hadStream bool) error {
	if len(r.servers) > 1 || lost.reason != "" {
		return nil
	}
	if r.server.isEncrypted {
		for _, one := range tlsMistakes {
			if strings.Contains(lost.message, one.sign) {
				return &TLSError{r.server.address, one.mistake}
			}
		}
		return nil
	}
	if hadStream || r.probed || r.server.proxy != "" {
		return nil
	}
	r.probed = true
	if requiresTLSAt(r.server.target) {
		return &TLSError{r.server.address, requiresTLS}
	}
	return nil
}

// requiresTLSAt returns whether a server with an http address requires TLS. Such a server closes
// the connection, without an error that gRPC reports. But it answers the HTTP/2 preface with a TLS
// alert or, if it is a proxy, with an error page.
func requiresTLSAt(target string) bool {
	connection, err := net.DialTimeout("tcp", target, probeTimeout)
	if err != nil {
		return false
	}
	defer func() { _ = connection.Close() }()
	_ = connection.SetDeadline(time.Now().Add(probeTimeout))
	if _, err := connection.Write([]byte(preface)); err != nil {
		return false
	}
	answer := make([]byte, 512)
	length, _ := connection.Read(answer)
	answer = answer[:length]
	return bytes.HasPrefix(answer, []byte{0x15, 0x03}) || bytes.Contains(answer, []byte("HTTPS"))
}
