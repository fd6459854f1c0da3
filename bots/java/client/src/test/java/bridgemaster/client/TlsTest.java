package bridgemaster.client;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** TLS mistakes are named, and not retried. */
final class TlsTest {
    private static void assertMistake(String address, String expected) {
        var options =
                new Options("puppet", Map.of())
                        .server(address)
                        .ticket("t")
                        .ca("../../../sdk/tls/ca.pem");
        var error =
                assertThrows(
                        PlayException.TlsMistake.class,
                        () -> Bridgemaster.play(request -> Choice.index(0), options));
        assertTrue(error.getMessage().contains(expected), error.getMessage());
        assertTrue(error.getMessage().contains("BRIDGEMASTER_CA"), error.getMessage());
    }

    private static void answerAll(ServerSocket server, String answer) {
        try {
            while (true) {
                try (var socket = server.accept()) {
                    socket.getInputStream().read(new byte[64]);
                    socket.getOutputStream().write(answer.getBytes(StandardCharsets.ISO_8859_1));
                }
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    @Test
    void aServerWithTlsIsRecognizedByItsAnswerWithoutTls() throws Exception {
        for (String answer : List.of("\u0015\u0003\u0003\0\u0002\u0002\u0032", "HTTP/1.1 400 use HTTPS")) {
            try (var server = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) {
                new Thread(() -> answerAll(server, answer)).start();
                assertMistake("http://127.0.0.1:" + server.getLocalPort(), "requires TLS");
            }
        }
    }

    @Test
    void certificatesThatAreNotTrustedAreNamed() throws Exception {
        for (var one :
                Map.of("valid", "not signed by a trusted authority", "expired", "has expired")
                        .entrySet()) {
            var file = new File("../../../sdk/tls/" + one.getKey() + ".pem");
            var key = new File("../../../sdk/tls/" + one.getKey() + ".key");
            var server =
                    NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                            .useTransportSecurity(file, key)
                            .build()
                            .start();
            assertMistake("https://127.0.0.1:" + server.getPort(), one.getValue());
            server.shutdownNow();
        }
    }

    @Test
    void aServerWithoutTlsIsNamed() throws Exception {
        try (var server = new ScriptedServer()) {
            assertMistake("https://" + server.target(), "does not use TLS");
        }
    }
}
