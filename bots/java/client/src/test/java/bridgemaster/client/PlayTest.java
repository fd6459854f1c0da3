package bridgemaster.client;

import static bridgemaster.client.ScriptedServer.COMMITMENT;
import static bridgemaster.client.ScriptedServer.HISTORY_ID;
import static bridgemaster.client.ScriptedServer.SALT;
import static bridgemaster.client.ScriptedServer.SEED;
import static bridgemaster.client.ScriptedServer.await;
import static bridgemaster.client.ScriptedServer.decisionRejected;
import static bridgemaster.client.ScriptedServer.decisionRequest;
import static bridgemaster.client.ScriptedServer.matchEnded;
import static bridgemaster.client.ScriptedServer.matchStarted;
import static bridgemaster.client.ScriptedServer.ping;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import bridgemaster.client.PlayException.Advice;
import bridgemaster.games.old_london_bridge.v1.DecisionOuterClass;
import bridgemaster.v1.Game.GameDecision;
import bridgemaster.v1.Match.MatchResult;
import bridgemaster.v1.Play.Decision;
import bridgemaster.v1.Play.DecisionRejected;
import bridgemaster.v1.Play.Hello;
import bridgemaster.v1.Play.MatchStarted;
import io.grpc.Metadata;
import io.grpc.Status;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Playing a seat of a scripted server. */
final class PlayTest {
    private ScriptedServer server;
    private Puppet bot;

    /** A bot whose answers are controlled by the test; it records the calls of its methods. */
    private static final class Puppet implements Bot {
        final BlockingQueue<Choice> choices = new LinkedBlockingQueue<>();
        final List<String> calls = Collections.synchronizedList(new ArrayList<>());
        final BlockingQueue<Object> ended = new LinkedBlockingQueue<>();

        @Override
        public Choice decide(Request request) {
            calls.add("decide");
            try {
                return choices.take();
            } catch (InterruptedException stopped) {
                throw new IllegalStateException(stopped);
            }
        }

        @Override
        public void matchStarted(MatchStarted started) {
            calls.add("started");
        }

        @Override
        public void decisionRejected(DecisionRejected rejected) {
            calls.add("rejected");
        }

        @Override
        public void matchEnded(MatchResult result) {
            calls.add("ended");
        }

        /** Returns the result or the exception of play. */
        Object end() throws InterruptedException {
            return await(ended);
        }

        void expectResult(String... expectedCalls) throws InterruptedException {
            Object end = end();
            assertEquals(99, assertInstanceOf(MatchResult.class, end).getDecisions());
            assertEquals(List.of(expectedCalls), calls);
        }
    }

    @BeforeEach
    void start() throws Exception {
        server = new ScriptedServer();
        bot = startPlaying(server);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static Puppet startPlaying(ScriptedServer server) {
        var bot = new Puppet();
        var options =
                new Options("puppet", Map.of())
                        .version("1.0")
                        .games("old_london_bridge")
                        .server(server.address())
                        .ticket("ticket-7")
                        .key("bmk_k_7");
        var thread =
                new Thread(
                        () -> {
                            try {
                                bot.ended.add(Bridgemaster.play(bot, options));
                            } catch (Exception error) {
                                bot.ended.add(error);
                            }
                        });
        thread.setDaemon(true);
        thread.start();
        return bot;
    }

    private static String value(Metadata metadata, String name) {
        return metadata.get(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER));
    }

    @Test
    void aWholeMatchReachesTheBotAndItsAnswersTheServer() throws Exception {
        var stream = server.welcomedStream(true);
        Metadata metadata = await(server.metadata);
        assertEquals("Bearer ticket-7", value(metadata, "authorization"));
        assertEquals("bmk_k_7", value(metadata, "x-bridgemaster-key"));
        var hello =
                Hello.newBuilder()
                        .setProtocolRevision(1)
                        .setBotName("puppet")
                        .setBotVersion("1.0")
                        .addGames("old_london_bridge")
                        .setClientInstanceId(stream.hello.getClientInstanceId())
                        .setStreamNumber(1);
        assertEquals(hello.build(), stream.hello);
        stream.send(matchStarted(1, ""));
        bot.choices.add(Choice.index(5));
        stream.send(decisionRequest(2, 1));
        stream.expectDecision(1, 5);
        stream.finish(3);
        bot.expectResult("started", "decide", "ended");
    }

    @Test
    void aDecisionOfAGameIsWrappedAndSentWithItsNote() throws Exception {
        var stream = server.welcomedStream(true);
        var takeTile = DecisionOuterClass.TakeTile.newBuilder().setBonusStack(2);
        var decision = DecisionOuterClass.Decision.newBuilder().setTakeTile(takeTile).build();
        bot.choices.add(Choice.decision(decision).withNote("full"));
        stream.send(decisionRequest(1, 1));
        var gameDecision = GameDecision.newBuilder().setOldLondonBridge(decision);
        var expected =
                Decision.newBuilder()
                        .setRequestId(1)
                        .setDecision(gameDecision)
                        .setNote("full")
                        .build();
        assertEquals(expected, stream.receive().getDecision());
        stream.finish(2);
        bot.expectResult("decide", "ended");
    }

    @Test
    void aPingIsAnsweredWhileTheBotThinks() throws Exception {
        var stream = server.welcomedStream(true);
        stream.send(decisionRequest(1, 1));
        stream.send(ping(8));
        assertEquals(8, stream.receive().getPong().getNonce());
        bot.choices.add(Choice.index(3));
        stream.expectDecision(1, 3);
        stream.finish(2);
        bot.expectResult("decide", "ended");
    }

    @Test
    void aLostStreamIsResumedAndItsAnswerIsSentAgain() throws Exception {
        var stream = server.welcomedStream(true);
        bot.choices.add(Choice.index(4));
        stream.send(matchStarted(1, ""));
        stream.send(decisionRequest(2, 1));
        stream.expectDecision(1, 4);
        stream.fail(Status.Code.UNAVAILABLE, "");

        stream = server.welcomedStream(true);
        assertEquals(2, stream.hello.getLastSequence());
        assertEquals(HISTORY_ID, stream.hello.getHistoryId());
        assertEquals(2, stream.hello.getStreamNumber());
        stream.expectDecision(1, 4);
        // A repeated request is ignored.
        stream.send(decisionRequest(2, 1));
        stream.finish(3);
        bot.expectResult("started", "decide", "ended");
    }

    @Test
    void aBotThatIsNotResumedStartsOverWithoutItsUnsentAnswer() throws Exception {
        var stream = server.welcomedStream(true);
        stream.send(decisionRequest(1, 1));
        while (bot.calls.isEmpty()) {
            Thread.onSpinWait();
        }
        stream.end();

        stream = server.welcomedStream(false);
        // The same id, but a different request.
        stream.send(decisionRequest(1, 1));
        stream.send(ping(2));
        assertEquals(2, stream.receive().getPong().getNonce());
        // The first request was cancelled, and the exception of its interrupt is ignored.
        bot.choices.add(Choice.index(6));
        stream.expectDecision(1, 6);
        stream.finish(2);
        bot.expectResult("decide", "decide", "ended");
    }

    @Test
    void playEndsIfTheBotFindsNoLegalDecision() throws Exception {
        var stream = server.welcomedStream(true);
        stream.send(decisionRequest(1, 1));
        for (int refused = 0; refused < Conversation.MAX_REFUSED_ANSWERS; refused++) {
            bot.choices.add(Choice.index(9));
            stream.expectDecision(1, 9);
            stream.send(decisionRejected(2 + refused, 1));
        }
        var error = assertInstanceOf(PlayException.NoLegalDecision.class, bot.end());
        assertEquals("INDEX_OUT_OF_RANGE", error.reason().orElseThrow());
    }

    @Test
    void aPermanentRefusalEndsPlayWithItsReason() throws Exception {
        var advices =
                Map.of(
                        "TICKET_UNKNOWN", Advice.FIX,
                        "KEY_REVOKED", Advice.FIX,
                        "SEAT_CLOSED", Advice.STOP);
        for (var each : advices.entrySet()) {
            try (var own = new ScriptedServer()) {
                var refusedBot = startPlaying(own);
                // The reason decides about a retry rather than the code.
                own.welcomedStream(true).fail(Status.Code.UNAVAILABLE, each.getKey());
                var error = assertInstanceOf(PlayException.Refused.class, refusedBot.end());
                assertEquals(each.getKey(), error.reason().orElseThrow());
                assertEquals(each.getValue(), error.advice());
                assertEquals(Map.of("hint", "x"), error.metadata());
                assertFalse(error.getMessage().contains("\u001b"), "it is not escaped");
            }
        }
    }

    @Test
    void aTemporaryRefusalIsRetried() throws Exception {
        for (String reason : List.of("SERVER_STOPPING", "A_REASON_OF_A_NEWER_SERVER")) {
            await(server.streams).fail(Status.Code.UNAVAILABLE, reason);
        }
        server.welcomedStream(true).finish(1);
        bot.expectResult("ended");
    }

    @Test
    void theSeedIsCheckedAgainstTheCommitment() throws Exception {
        var seeds =
                List.of(
                        List.of(SEED, SALT),
                        List.of("london-1210", SALT),
                        List.of(SEED, "01" + SALT.substring(2)),
                        List.of(SEED, "salt"),
                        List.of("", ""));
        for (var each : seeds) {
            try (var own = new ScriptedServer()) {
                var checking = startPlaying(own);
                var stream = own.welcomedStream(true);
                stream.send(matchStarted(1, COMMITMENT));
                stream.send(matchEnded(2, each.get(0), each.get(1)));
                stream.end();
                boolean matches = each.equals(seeds.get(0));
                Class<?> expected =
                        matches ? MatchResult.class : PlayException.BrokenSeedCommitment.class;
                assertInstanceOf(expected, checking.end());
            }
        }
    }

    @Test
    void anAbsentOrStoppingServerIsAnErrorWithItsReason() throws Exception {
        int freePort;
        try (var socket = new ServerSocket(0)) {
            freePort = socket.getLocalPort();
        }
        var options =
                new Options("puppet", Map.of())
                        .server("127.0.0.1:" + freePort)
                        .ticket("t")
                        .connectFor(Duration.ofMillis(50));
        var absent =
                assertThrows(
                        PlayException.ServerLost.class,
                        () -> Bridgemaster.play(request -> Choice.index(0), options));
        assertTrue(absent.getMessage().contains("no server answered"), absent.getMessage());
        assertTrue(absent.reason().isEmpty());

        var draining = options.server(server.address()).connectFor(Duration.ZERO);
        bot.choices.add(Choice.resign());
        await(server.streams);
        var stops = new LinkedBlockingQueue<Thread>();
        var stopper = new Thread(() -> stopNext(stops));
        stops.add(stopper);
        stopper.start();
        var lost =
                assertThrows(
                        PlayException.ServerLost.class,
                        () -> Bridgemaster.play(request -> Choice.index(0), draining));
        assertEquals("SERVER_STOPPING", lost.reason().orElseThrow());
    }

    private void stopNext(BlockingQueue<Thread> stops) {
        try {
            await(server.streams).fail(Status.Code.UNAVAILABLE, "SERVER_STOPPING");
        } catch (InterruptedException stopped) {
            stops.clear();
        }
    }

    @Test
    void exceptionsOfTheBotPropagate() throws Exception {
        var stream = server.welcomedStream(true);
        // The smallest valid index.
        bot.choices.add(Choice.index(0));
        stream.send(decisionRequest(1, 1));
        stream.expectDecision(1, 0);
        var options = new Options("puppet", Map.of()).server(server.address()).ticket("t");
        var thrown = new LinkedBlockingQueue<Object>();
        new Thread(
                        () -> {
                            try {
                                Bridgemaster.play(request -> Choice.index(-1), options);
                            } catch (Exception error) {
                                thrown.add(error);
                            }
                        })
                .start();
        server.welcomedStream(true).send(decisionRequest(1, 1));
        assertInstanceOf(IllegalArgumentException.class, await(thrown));
        stream.finish(2);
        bot.expectResult("decide", "ended");
    }

    @Test
    void invalidOptionsAreRefusedBeforeConnecting() {
        var wrong =
                Map.of(
                        "no ticket", new Options("b", Map.of()),
                        "the ticket is not valid", new Options("b", Map.of()).ticket("a\nb"),
                        "is not an address",
                                new Options("b", Map.of()).ticket("t").server("example.org"),
                        "1 to 64 printable", new Options("n".repeat(65), Map.of()).ticket("t"),
                        "no/file",
                                new Options("b", Map.of())
                                        .ticket("t")
                                        .server("https://a:1")
                                        .ca("/no/file"),
                        "private key",
                                new Options("b", Map.of())
                                        .ticket("t")
                                        .server("https://a:1")
                                        .clientCertificate("x", ""));
        wrong.forEach(
                (expected, options) -> {
                    var error =
                            assertThrows(
                                    PlayException.InvalidOptions.class,
                                    () -> Bridgemaster.play(request -> null, options));
                    assertTrue(error.getMessage().contains(expected), error.getMessage());
                });
    }

    @Test
    void aRequestIsCancelledByTheNextOneAndByTheEndOfTheMatch() throws Exception {
        var stream = server.welcomedStream(true);
        // The puppet blocks, and turns the interrupt into an exception, which is ignored.
        for (int request = 1; request <= 2; request++) {
            stream.send(decisionRequest(request, request));
            while (bot.calls.size() < request) {
                Thread.onSpinWait();
            }
        }
        stream.finish(3);
        bot.expectResult("decide", "decide", "ended");
    }

    @Test
    void aBotThatReturnsNullIsNamed() throws Exception {
        var options = new Options("puppet", Map.of()).server(server.address()).ticket("t");
        var thrown = new LinkedBlockingQueue<Throwable>();
        server.welcomedStream(true);
        var thread =
                new Thread(
                        () ->
                                thrown.add(
                                        assertThrows(
                                                IllegalStateException.class,
                                                () -> Bridgemaster.play(request -> null, options))));
        thread.start();
        server.welcomedStream(true).send(decisionRequest(1, 1));
        String message = await(thrown).getMessage();
        assertTrue(message.contains("decide returned null"), message);
    }
}
