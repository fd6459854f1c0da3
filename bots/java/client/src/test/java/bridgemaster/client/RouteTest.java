package bridgemaster.client;

import static bridgemaster.client.ScriptedServer.TIMEOUT_S;
import static bridgemaster.client.ScriptedServer.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import bridgemaster.v1.LobbyServiceOuterClass.AttendResponse;
import bridgemaster.v1.LobbyServiceOuterClass.Offer;
import bridgemaster.v1.Match.MatchResult;
import io.grpc.Status;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Several servers, which are tried in turn. */
final class RouteTest {
    /** An address without a listener. */
    private static final String DEAD = "127.0.0.1:1";

    private ScriptedServer stopping;
    private ScriptedServer playing;

    @BeforeEach
    void startServers() throws Exception {
        stopping = new ScriptedServer();
        playing = new ScriptedServer();
    }

    @AfterEach
    void stop() {
        stopping.close();
        playing.close();
    }

    private static Route route(String servers) throws PlayException {
        return new Route(Server.parse(servers, new Server.TlsFiles("", "", ""), ""));
    }

    /** Returns options with these servers. */
    private static Options optionsFor(String... servers) {
        return new Options("puppet", Map.of()).ticket("t").server(String.join(",", servers));
    }

    @Test
    void aProxyMustHaveAnHttpAddress() {
        for (var proxy : List.of("https://proxy:3128", "socks5://proxy:1080", "proxy")) {
            var error =
                    assertThrows(
                            PlayException.InvalidOptions.class,
                            () -> Server.parse(DEAD, new Server.TlsFiles("", "", ""), proxy));
            assertTrue(error.getMessage().startsWith("proxy: "), error.getMessage());
        }
    }

    @Test
    void tlsMistakesAreNamedBehindAProxy() throws Exception {
        var servers =
                Server.parse(
                        "https://" + DEAD, new Server.TlsFiles("", "", ""), "http://proxy:3128");
        var route = new Route(servers);
        var alert = new Refusals.StreamLost("TLSV1_ALERT_CERTIFICATE_REQUIRED", null);
        assertThrows(PlayException.TlsMistake.class, () -> route.checkTls(alert, false));
        route.checkTls(new Refusals.StreamLost("TLSV1_ALERT_INTERNAL_ERROR", null), false);
    }

    private interface Call<T> {
        T call() throws Exception;
    }

    /** Runs a call on another thread; the future completes with its exception. */
    private static <T> CompletableFuture<T> start(Call<T> call) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return call.call();
                    } catch (Exception error) {
                        throw new IllegalStateException(error);
                    }
                });
    }

    private static CompletableFuture<MatchResult> startPlaying(Options options) {
        return start(() -> Bridgemaster.play(request -> Choice.index(0), options));
    }

    /** Serves the match of the next bot of a server to its end, which must be that of play. */
    private static void finishAt(ScriptedServer server, CompletableFuture<MatchResult> end)
            throws Exception {
        server.welcomedStream(true).finish(1);
        assertEquals(99, end.get(TIMEOUT_S, TimeUnit.SECONDS).getDecisions());
    }

    @Test
    void theServersAreTriedInTurn() throws Exception {
        var route = route("http://one:1, two:2");
        var tried = new ArrayList<>(List.of(route.server().target()));
        for (int times = 0; times < 2; times++) {
            route.advance();
            tried.add(route.server().target());
        }
        assertEquals(List.of("one:1", "two:2", "one:1"), tried);
    }

    @Test
    void severalServersShareTheTotalTime() throws Exception {
        var timeouts = Map.of("one:1", 10, "one:1,two:2", 6, "one:1,two:2,three:3", 4);
        for (var entry : timeouts.entrySet()) {
            Duration timeout =
                    route(entry.getKey())
                            .answerTimeout(Duration.ofSeconds(10), Duration.ofSeconds(12));
            assertEquals(Duration.ofSeconds(entry.getValue()), timeout, entry.getKey());
        }
    }

    @Test
    void anInvalidAddressIsRefused() throws Exception {
        for (String servers : List.of("one:1,", "one:1,nonsense")) {
            assertThrows(PlayException.InvalidOptions.class, () -> route(servers), servers);
        }
    }

    @Test
    void anUnreachableServerIsLeftForTheNextOne() throws Exception {
        var end = startPlaying(optionsFor(DEAD, " " + playing.address()));
        finishAt(playing, end);
    }

    @Test
    void aBotResumesAtAnotherServer() throws Exception {
        for (String reason : List.of("", "NODE_SUPERSEDED")) {
            var end = startPlaying(optionsFor(stopping.address(), playing.address()));
            stopping.welcomedStream(true).fail(Status.Code.UNAVAILABLE, reason);
            finishAt(playing, end);
        }
    }

    @Test
    void aRefusalAfterTheTimeLimitEndsPlayWithItsReason() throws Exception {
        var end = startPlaying(optionsFor(stopping.address()).connectFor(Duration.ZERO));
        await(stopping.streams).fail(Status.Code.UNAVAILABLE, "NODE_SUPERSEDED");
        var failed =
                assertThrows(ExecutionException.class, () -> end.get(TIMEOUT_S, TimeUnit.SECONDS));
        var thrown = failed.getCause().getCause();
        var lost = assertInstanceOf(PlayException.ServerLost.class, thrown);
        assertEquals("NODE_SUPERSEDED", lost.reason().orElseThrow());
    }

    @Test
    void theConnectTimeoutStartsWithTheAttempt() throws Exception {
        // A server that answers might win the race against the timeout.
        try (var silent = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
            String address = "127.0.0.1:" + silent.getLocalPort();
            Server server = Server.parse(address, new Server.TlsFiles("", "", ""), "").get(0);
            var channel = server.newChannel(Duration.ZERO);
            assertFalse(channel.awaitTermination(1, TimeUnit.SECONDS), "closed before the attempt");
            channel.getState(true);
            assertTrue(channel.awaitTermination(TIMEOUT_S, TimeUnit.SECONDS), "still open");
        }
    }

    @Test
    void aSilentServerIsLeftForTheNextOneInTime() throws Exception {
        try (var silent = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
            String silentAddress = "127.0.0.1:" + silent.getLocalPort();
            var end = startPlaying(optionsFor(silentAddress, playing.address()));
            finishAt(playing, end);
        }
    }

    @Test
    void anAttendanceTriesTheServersInTurnAndSoDoesItsMatch() throws Exception {
        var options = optionsFor(DEAD, playing.address()).ticket("").queue("cup");
        var end =
                start(
                        () -> {
                            Bridgemaster.attend(() -> request -> Choice.index(0), options);
                            return null;
                        });
        var attending = await(playing.attendances);
        var offer = Offer.newBuilder().setOfferId("o1").setTicket("t1").setMatchId("m");
        attending.outbound().onNext(AttendResponse.newBuilder().setOffer(offer).build());
        playing.welcomedStream(true).finish(1);
        attending.outbound().onCompleted();
        end.get(TIMEOUT_S, TimeUnit.SECONDS);
    }
}
