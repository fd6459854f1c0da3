package bridgemaster.client;

import static bridgemaster.client.ScriptedServer.TIMEOUT_S;
import static bridgemaster.client.ScriptedServer.moved;
import static bridgemaster.client.ScriptedServer.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
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

/** Several servers: trying them in turn, and following redirects. */
final class RouteTest {
    /** An address without a listener. */
    private static final String DEAD = "127.0.0.1:1";

    private ScriptedServer redirecting;
    private ScriptedServer playing;

    @BeforeEach
    void startServers() throws Exception {
        redirecting = new ScriptedServer();
        playing = new ScriptedServer();
    }

    @AfterEach
    void stop() {
        redirecting.close();
        playing.close();
    }

    private static Route route(String servers) throws PlayException {
        return new Route(Server.parse(servers, new Server.TlsFiles("", "", "")));
    }

    /** Returns options with these servers. */
    private static Options optionsFor(String... servers) {
        return new Options("puppet", Map.of()).ticket("t").server(String.join(",", servers));
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
            assertFalse(route.advance(null));
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
    void aRedirectIsFollowedAtOnceAndASecondOneAfterAPause() throws Exception {
        var route = route("one:1,two:2");
        assertTrue(route.advance("three:3"));
        assertEquals("http://three:3", route.server().uri().toString());
        assertFalse(route.advance("one:1"), "redirected twice in a row");
        route.markAnswered();
        assertTrue(route.advance("three:3"));
        route.advance(null);
        assertEquals("two:2", route.server().target());
    }

    @Test
    void aRedirectUsesTlsAsTheRedirectingServer() throws Exception {
        var route = route("https://one:1,http://two:2");
        var tls = route.server().credentials();
        route.advance("three:3");
        assertEquals("https://three:3", route.server().uri().toString());
        assertSame(tls, route.server().credentials());
    }

    @Test
    void anInvalidAddressIsRefusedAndARedirectToItIsIgnored() throws Exception {
        for (String servers : List.of("one:1,", "one:1,nonsense")) {
            assertThrows(PlayException.InvalidOptions.class, () -> route(servers), servers);
        }
        var route = route("one:1,two:2");
        assertFalse(route.advance("no address"));
        assertEquals("two:2", route.server().target());
    }

    @Test
    void aBotFindsItsMatch() throws Exception {
        var end = startPlaying(optionsFor(DEAD, " " + redirecting.address()));
        await(redirecting.streams).move(playing.target());
        finishAt(playing, end);
    }

    @Test
    void aBotResumesAtAnotherServer() throws Exception {
        for (String reason : List.of("", "NODE_SUPERSEDED")) {
            var end = startPlaying(optionsFor(redirecting.address(), playing.address()));
            redirecting.welcomedStream(true).fail(Status.Code.UNAVAILABLE, reason);
            finishAt(playing, end);
        }
    }

    @Test
    void aFailedRedirectLeadsBackToTheConfiguredServers() throws Exception {
        var end = startPlaying(optionsFor(redirecting.address(), playing.address()));
        await(redirecting.streams).move(DEAD);
        finishAt(playing, end);
    }

    @Test
    void aRedirectAfterTheTimeLimitEndsPlayWithItsReason() throws Exception {
        var end = startPlaying(optionsFor(redirecting.address()).connectFor(Duration.ZERO));
        await(redirecting.streams).move(playing.target());
        var failed =
                assertThrows(ExecutionException.class, () -> end.get(TIMEOUT_S, TimeUnit.SECONDS));
        var thrown = failed.getCause().getCause();
        var lost = assertInstanceOf(PlayException.ServerLost.class, thrown);
        assertEquals(Refusals.MOVED, lost.reason().orElseThrow());
    }

    @Test
    void theConnectTimeoutStartsWithTheAttempt() throws Exception {
        // A server that answers might win the race against the timeout.
        try (var silent = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
            String address = "127.0.0.1:" + silent.getLocalPort();
            Server server = Server.parse(address, new Server.TlsFiles("", "", "")).get(0);
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
    void anAttendanceFollowsRedirectsAndSoDoesItsMatch() throws Exception {
        var options = optionsFor(DEAD, redirecting.address()).ticket("").queue("cup");
        var end =
                start(
                        () -> {
                            Bridgemaster.attend(() -> request -> Choice.index(0), options);
                            return null;
                        });
        await(redirecting.attendances).outbound().onError(moved(playing.target()));
        var attending = await(playing.attendances);
        for (String address : List.of("", "no address")) {
            var offer = Offer.newBuilder().setOfferId("of " + address).setTicket("t1");
            offer.setMatchId("m").setAddress(address);
            attending.outbound().onNext(AttendResponse.newBuilder().setOffer(offer).build());
            await(redirecting.streams).move(playing.target());
            playing.welcomedStream(true).finish(1);
        }
        attending.outbound().onCompleted();
        end.get(TIMEOUT_S, TimeUnit.SECONDS);
    }
}
