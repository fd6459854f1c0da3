package bridgemaster.client;

import bridgemaster.client.PlayException.TlsMistake;
import bridgemaster.client.Refusals.StreamLost;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** TLS mistakes, such as an untrusted certificate. */
final class Tls {
    private static final byte[] PREFACE =
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    /** Maximum time of each step of the check whether a server requires TLS. */
    private static final int PROBE_TIMEOUT_MS = 2_000;

    private static final String REQUIRES_TLS =
            "the server requires TLS; begin the address with https://, and if its certificate is"
                    + " not signed by an authority that Java trusts, pass the file to trust as"
                    + " Options.ca or BRIDGEMASTER_CA";

    private static final String CLIENT_CERTIFICATE =
            "the server requires a client certificate that it trusts; pass yours with"
                    + " Options.clientCertificate, or BRIDGEMASTER_CLIENT_CERT and"
                    + " BRIDGEMASTER_CLIENT_KEY";

    /** Parts of the errors of Java's TLS, and the mistakes that cause them. */
    private static final String[][] MISTAKES = {
        {
            "CertificateExpiredException",
            "the server's certificate has expired and must be renewed; if it is self-signed, pass"
                    + " the new file as Options.ca or BRIDGEMASTER_CA"
        },
        {
            "CertificateNotYetValidException",
            "the server's certificate is not valid yet; check the clocks of both machines"
        },
        {
            "No subject alternative",
            "the server's certificate is for a different name or address than the one you connect"
                    + " to; use that name, or trust another certificate with BRIDGEMASTER_CA"
        },
        {
            "No name matching",
            "the server's certificate is for a different name or address than the one you connect"
                    + " to; use that name, or trust another certificate with BRIDGEMASTER_CA"
        },
        {
            "certification path",
            "the server's certificate is not signed by a trusted authority; pass the file to trust"
                    + " as Options.ca or BRIDGEMASTER_CA"
        },
        {
            "CertPathValidatorException",
            "the server's certificate is not signed by a trusted authority; pass the file to trust"
                    + " as Options.ca or BRIDGEMASTER_CA"
        },
        {
            "NotSslRecordException",
            "the server does not use TLS at this address; begin the address with http://, and"
                    + " BRIDGEMASTER_CA is not needed"
        },
        {"ALERT_CERTIFICATE_REQUIRED", CLIENT_CERTIFICATE},
        {"ALERT_BAD_CERTIFICATE", CLIENT_CERTIFICATE},
        {"ALERT_UNKNOWN_CA", CLIENT_CERTIFICATE},
        {"alert: certificate_required", CLIENT_CERTIFICATE},
        {"alert: bad_certificate", CLIENT_CERTIFICATE},
        {"alert: unknown_ca", CLIENT_CERTIFICATE},
    };

    private Tls() {}

    /**
     * Throws the exception for a TLS mistake that made a connection fail.
     *
     * @param probe to ask a server with an http address whether it requires TLS
     */
    static void check(Server server, StreamLost lost, boolean probe) throws TlsMistake {
        String mistake = server.isEncrypted() ? mistake(lost.getMessage()) : null;
        if (!server.isEncrypted() && probe && requiresTls(server)) {
            mistake = REQUIRES_TLS;
        }
        if (mistake != null) {
            throw new TlsMistake("cannot connect to " + server.address() + ": " + mistake);
        }
    }

    private static String mistake(String failure) {
        return Arrays.stream(MISTAKES)
                .filter(each -> failure.contains(each[0]))
                .map(each -> each[1])
                .findFirst()
                .orElse(null);
    }

    /**
     * Returns whether a server requires TLS. Such a server closes the connection, without an error
     * that gRPC reports. But it answers the HTTP/2 preface with a TLS alert or, if it is a proxy,
     * with an error page.
     */
    private static boolean requiresTls(Server server) {
        try (var socket = new Socket()) {
            socket.connect(new InetSocketAddress(server.host(), server.port()), PROBE_TIMEOUT_MS);
            socket.setSoTimeout(PROBE_TIMEOUT_MS);
            socket.getOutputStream().write(PREFACE);
            byte[] answer = new byte[512];
            int length = Math.max(0, socket.getInputStream().read(answer));
            boolean isAlert = length > 1 && answer[0] == 0x15 && answer[1] == 0x03;
            String text = new String(answer, 0, length, StandardCharsets.ISO_8859_1);
            return isAlert || text.contains("HTTPS");
        } catch (IOException noAnswer) {
            return false;
        }
    }
}
