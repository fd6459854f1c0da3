package bridgemaster.client;

import static bridgemaster.client.ScriptedServer.PATIENCE_S;
import static bridgemaster.client.ScriptedServer.moved;
import static bridgemaster.client.ScriptedServer.soon;
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

/** Several servers: tried in turn, and followed to where one of them says that something is. */
final class RouteTest {
    /** Nothing listens there. */
    private static final String DEAD = "127.0.0.1:1";

    private ScriptedServer asked;
    private ScriptedServer playing;

    @BeforeEach
    void start() throws Exception {
        asked = new ScriptedServer();
        playing = new ScriptedServer();
    }

    @AfterEach
    void stop() {
        asked.close();
        playing.close();
    }

    private static Route route(String servers) throws PlayException {
        return new Route(Place.of(servers, new Place.TlsFiles("", "", "")));
    }

    /** Options of a bot that knows these servers. */
    private static Options knows(String... servers) {
        return new Options("puppet", Map.of()).ticket("t").server(String.join(",", servers));
    }

    private interface Call<T> {
        T call() throws Exception;
    }

    /** Does it on a thread; what it throws comes out of the future. */
    private static <T> CompletableFuture<T> begun(Call<T> call) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return call.call();
                    } catch (Exception error) {
                        throw new IllegalStateException(error);
                    }
                });
    }

    private static CompletableFuture<MatchResult> plays(Options options) {
        return begun(() -> Bridgemaster.play(request -> Choice.index(0), options));
    }

    /** Ends the match of the next bot at a server, which must be this one. */
    private static void endsAt(ScriptedServer server, CompletableFuture<MatchResult> end)
            throws Exception {
        server.welcomed(true).finish(1);
        assertEquals(99, end.get(PATIENCE_S, TimeUnit.SECONDS).getDecisions());
    }

    @Test
    void theServersAreTriedInTurn() throws Exception {
        var route = route("http://one:1, two:2");
        var tried = new ArrayList<>(List.of(route.place().target()));
        for (int times = 0; times < 2; times++) {
            assertFalse(route.goOn(null));
            tried.add(route.place().target());
        }
        assertEquals(List.of("one:1", "two:2", "one:1"), tried);
    }

    @Test
    void eachOfSeveralServersHasItsShareOfTheTime() throws Exception {
        var shares = Map.of("one:1", 10, "one:1,two:2", 6, "one:1,two:2,three:3", 4);
        for (var share : shares.entrySet()) {
            Duration patience =
                    route(share.getKey()).patience(Duration.ofSeconds(10), Duration.ofSeconds(12));
            assertEquals(Duration.ofSeconds(share.getValue()), patience, share.getKey());
        }
    }

    @Test
    void aCallerGoesWhereItIsSentAndPausesWhenSentOn() throws Exception {
        var route = route("one:1,two:2");
        assertTrue(route.goOn("three:3"));
        assertEquals("http://three:3", route.place().uri().toString());
        assertFalse(route.goOn("one:1"), "sent on without an answer");
        route.arrived();
        assertTrue(route.goOn("three:3"));
        route.goOn(null);
        assertEquals("two:2", route.place().target());
    }

    @Test
    void aCallerIsSentOnWithTheTlsOfWhereItIs() throws Exception {
        var route = route("https://one:1,http://two:2");
        var tls = route.place().credentials();
        route.goOn("three:3");
        assertEquals("https://three:3", route.place().uri().toString());
        assertSame(tls, route.place().credentials());
    }

    @Test
    void whatIsNoAddressIsRefusedAndNobodyIsSentThere() throws Exception {
        for (String servers : List.of("one:1,", "one:1,nonsense")) {
            assertThrows(PlayException.InvalidOptions.class, () -> route(servers), servers);
        }
        var route = route("one:1,two:2");
        assertFalse(route.goOn("no address"));
        assertEquals("two:2", route.place().target());
    }

    @Test
    void aBotFindsItsMatch() throws Exception {
        var end = plays(knows(DEAD, " " + asked.address()));
        soon(asked.streams).move(playing.target());
        endsAt(playing, end);
    }

    @Test
    void aBotComesBackAtAnotherServer() throws Exception {
        for (String reason : List.of("", "NODE_SUPERSEDED")) {
            var end = plays(knows(asked.address(), playing.address()));
            asked.welcomed(true).fail(Status.Code.UNAVAILABLE, reason);
            endsAt(playing, end);
        }
    }

    @Test
    void aBotGoesBackToTheServersThatItKnowsWhenItIsSentToNone() throws Exception {
        var end = plays(knows(asked.address(), playing.address()));
        soon(asked.streams).move(DEAD);
        endsAt(playing, end);
    }

    @Test
    void aBotThatIsSentOnWhenItsTimeIsOverGivesUpWithThatReason() throws Exception {
        var end = plays(knows(asked.address()).connectFor(Duration.ZERO));
        soon(asked.streams).move(playing.target());
        var failed =
                assertThrows(ExecutionException.class, () -> end.get(PATIENCE_S, TimeUnit.SECONDS));
        var thrown = failed.getCause().getCause();
        var lost = assertInstanceOf(PlayException.ServerLost.class, thrown);
        assertEquals(Refusals.MOVED, lost.reason().orElseThrow());
    }

    @Test
    void theTimeForAConnectionBeginsWhenItIsAskedFor() throws Exception {
        // A server that answers could be as quick as the end of the time.
        try (var silent = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
            String address = "127.0.0.1:" + silent.getLocalPort();
            Place place = Place.of(address, new Place.TlsFiles("", "", "")).get(0);
            var channel = place.connection(Duration.ZERO);
            assertFalse(channel.awaitTermination(1, TimeUnit.SECONDS), "nobody asked for it");
            channel.getState(true);
            assertTrue(channel.awaitTermination(PATIENCE_S, TimeUnit.SECONDS), "no time was left");
        }
    }

    @Test
    void aServerThatSaysNothingIsLeftForTheNextOneInTime() throws Exception {
        try (var silent = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
            var end = plays(knows("127.0.0.1:" + silent.getLocalPort(), playing.address()));
            endsAt(playing, end);
        }
    }

    @Test
    void anAttendanceIsFollowedAndItsMatchIsAtOneOfTheServers() throws Exception {
        var options = knows(DEAD, asked.address()).ticket("").queue("cup");
        var end =
                begun(
                        () -> {
                            Bridgemaster.attend(() -> request -> Choice.index(0), options);
                            return null;
                        });
        soon(asked.attendances).outbound().onError(moved(playing.target()));
        var attending = soon(playing.attendances);
        for (String address : List.of("", "no address")) {
            var offer = Offer.newBuilder().setOfferId("of " + address).setTicket("t1");
            offer.setMatchId("m").setAddress(address);
            attending.outbound().onNext(AttendResponse.newBuilder().setOffer(offer).build());
            soon(asked.streams).move(playing.target());
            playing.welcomed(true).finish(1);
        }
        attending.outbound().onCompleted();
        end.get(PATIENCE_S, TimeUnit.SECONDS);
    }
}
