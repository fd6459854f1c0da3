package bridgemaster.client;

import static bridgemaster.client.ScriptedServer.COMMITMENT;
import static bridgemaster.client.ScriptedServer.HISTORY_ID;
import static bridgemaster.client.ScriptedServer.SALT;
import static bridgemaster.client.ScriptedServer.SEED;
import static bridgemaster.client.ScriptedServer.asks;
import static bridgemaster.client.ScriptedServer.ended;
import static bridgemaster.client.ScriptedServer.ping;
import static bridgemaster.client.ScriptedServer.rejects;
import static bridgemaster.client.ScriptedServer.soon;
import static bridgemaster.client.ScriptedServer.started;
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

/** A seat of a scripted server. */
final class PlayTest {
    private ScriptedServer server;
    private Puppet bot;

    /** A bot whose answers are in the test's hand. */
    private static final class Puppet implements Bot {
        final BlockingQueue<Choice> choices = new LinkedBlockingQueue<>();
        final List<String> heard = Collections.synchronizedList(new ArrayList<>());
        final BlockingQueue<Object> ended = new LinkedBlockingQueue<>();

        @Override
        public Choice decide(Request request) {
            heard.add("asked");
            try {
                return choices.take();
            } catch (InterruptedException stopped) {
                throw new IllegalStateException(stopped);
            }
        }

        @Override
        public void matchStarted(MatchStarted started) {
            heard.add("started");
        }

        @Override
        public void decisionRejected(DecisionRejected rejected) {
            heard.add("rejected");
        }

        @Override
        public void matchEnded(MatchResult result) {
            heard.add("ended");
        }

        /** What play gave or threw. */
        Object end() throws InterruptedException {
            return soon(ended);
        }

        void endsWell(String... wanted) throws InterruptedException {
            Object end = end();
            assertEquals(99, assertInstanceOf(MatchResult.class, end).getDecisions());
            assertEquals(List.of(wanted), heard);
        }
    }

    @BeforeEach
    void start() throws Exception {
        server = new ScriptedServer();
        bot = plays(server);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static Puppet plays(ScriptedServer server) {
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

    private static String told(Metadata metadata, String name) {
        return metadata.get(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER));
    }

    @Test
    void aWholeMatchReachesTheBotAndItsAnswersTheServer() throws Exception {
        var stream = server.welcomed(true);
        Metadata metadata = soon(server.metadata);
        assertEquals("Bearer ticket-7", told(metadata, "authorization"));
        assertEquals("bmk_k_7", told(metadata, "x-bridgemaster-key"));
        var hello =
                Hello.newBuilder()
                        .setProtocolRevision(1)
                        .setBotName("puppet")
                        .setBotVersion("1.0")
                        .addGames("old_london_bridge");
        assertEquals(hello.build(), stream.hello);
        stream.send(started(1, ""));
        bot.choices.add(Choice.index(5));
        stream.send(asks(2, 1));
        stream.decides(1, 5);
        stream.finish(3);
        bot.endsWell("started", "asked", "ended");
    }

    @Test
    void aDecisionOfAGameIsPutIntoItsEntryWithItsNote() throws Exception {
        var stream = server.welcomed(true);
        var takeTile = DecisionOuterClass.TakeTile.newBuilder().setBonusStack(2);
        var decision = DecisionOuterClass.Decision.newBuilder().setTakeTile(takeTile).build();
        bot.choices.add(Choice.full(decision).withNote("full"));
        stream.send(asks(1, 1));
        var full = GameDecision.newBuilder().setOldLondonBridge(decision);
        var wanted =
                Decision.newBuilder().setRequestId(1).setDecision(full).setNote("full").build();
        assertEquals(wanted, stream.receive().getDecision());
        stream.finish(2);
        bot.endsWell("asked", "ended");
    }

    @Test
    void aPingIsAnsweredWhileTheBotThinks() throws Exception {
        var stream = server.welcomed(true);
        stream.send(asks(1, 1));
        stream.send(ping(8));
        assertEquals(8, stream.receive().getPong().getNonce());
        bot.choices.add(Choice.index(3));
        stream.decides(1, 3);
        stream.finish(2);
        bot.endsWell("asked", "ended");
    }

    @Test
    void aLostStreamIsResumedAndItsAnswerSentAgain() throws Exception {
        var stream = server.welcomed(true);
        bot.choices.add(Choice.index(4));
        stream.send(started(1, ""));
        stream.send(asks(2, 1));
        stream.decides(1, 4);
        stream.fail(Status.Code.UNAVAILABLE, "");

        stream = server.welcomed(true);
        assertEquals(2, stream.hello.getLastSequence());
        assertEquals(HISTORY_ID, stream.hello.getHistoryId());
        stream.decides(1, 4);
        // What came before comes again, and asks nobody.
        stream.send(asks(2, 1));
        stream.finish(3);
        bot.endsWell("started", "asked", "ended");
    }

    @Test
    void aBotThatIsNotResumedBeginsAnewWithoutItsUnsentAnswer() throws Exception {
        var stream = server.welcomed(true);
        stream.send(asks(1, 1));
        stream.send(ping(1));
        stream.receive();
        stream.end();

        stream = server.welcomed(false);
        // Of the same number, and another all the same.
        stream.send(asks(1, 1));
        stream.send(ping(2));
        assertEquals(2, stream.receive().getPong().getNonce());
        bot.choices.add(Choice.index(5));
        bot.choices.add(Choice.index(6));
        stream.decides(1, 6);
        stream.finish(2);
        bot.endsWell("asked", "asked", "ended");
    }

    @Test
    void aBotThatFindsNoLegalDecisionIsGivenUp() throws Exception {
        var stream = server.welcomed(true);
        stream.send(asks(1, 1));
        for (int refused = 0; refused < Conversation.MAX_REFUSED_ANSWERS; refused++) {
            bot.choices.add(Choice.index(9));
            stream.decides(1, 9);
            stream.send(rejects(2 + refused, 1));
        }
        var error = assertInstanceOf(PlayException.NoLegalDecision.class, bot.end());
        assertEquals("INDEX_OUT_OF_RANGE", error.reason().orElseThrow());
    }

    @Test
    void aRefusalThatCannotBeMendedEndsPlayWithItsReason() throws Exception {
        var advices =
                Map.of(
                        "TICKET_UNKNOWN", Advice.FIX,
                        "KEY_REVOKED", Advice.FIX,
                        "SEAT_CLOSED", Advice.STOP);
        for (var each : advices.entrySet()) {
            try (var own = new ScriptedServer()) {
                var refusedBot = plays(own);
                // The reason and not the code decides about trying again.
                own.welcomed(true).fail(Status.Code.UNAVAILABLE, each.getKey());
                var error = assertInstanceOf(PlayException.Refused.class, refusedBot.end());
                assertEquals(each.getKey(), error.reason().orElseThrow());
                assertEquals(each.getValue(), error.advice());
                assertEquals(Map.of("hint", "x"), error.metadata());
                assertFalse(error.getMessage().contains("\u001b"), "it can take over a terminal");
            }
        }
    }

    @Test
    void aRefusalThatPassesIsTriedAgain() throws Exception {
        for (String reason : List.of("SERVER_STOPPING", "A_REASON_OF_A_NEWER_SERVER")) {
            soon(server.streams).fail(Status.Code.UNAVAILABLE, reason);
        }
        server.welcomed(true).finish(1);
        bot.endsWell("ended");
    }

    @Test
    void theSeedIsCheckedAgainstTheCommitment() throws Exception {
        var told =
                List.of(
                        List.of(SEED, SALT),
                        List.of("london-1210", SALT),
                        List.of(SEED, "01" + SALT.substring(2)),
                        List.of(SEED, "salt"),
                        List.of("", ""));
        for (var each : told) {
            try (var own = new ScriptedServer()) {
                var checking = plays(own);
                var stream = own.welcomed(true);
                stream.send(started(1, COMMITMENT));
                stream.send(ended(2, each.get(0), each.get(1)));
                stream.end();
                boolean isRight = each.equals(told.get(0));
                Class<?> wanted =
                        isRight ? MatchResult.class : PlayException.BrokenSeedCommitment.class;
                assertInstanceOf(wanted, checking.end());
            }
        }
    }

    @Test
    void aServerThatIsLostAndStopsIsAnErrorWithItsReason() throws Exception {
        int freePort;
        try (var socket = new ServerSocket(0)) {
            freePort = socket.getLocalPort();
        }
        var options =
                new Options("puppet", Map.of())
                        .server("127.0.0.1:" + freePort)
                        .ticket("t")
                        .connectFor(Duration.ofMillis(50));
        var nobody =
                assertThrows(
                        PlayException.ServerLost.class,
                        () -> Bridgemaster.play(request -> Choice.index(0), options));
        assertTrue(nobody.getMessage().contains("could not be reached"), nobody.getMessage());
        assertTrue(nobody.reason().isEmpty());

        var draining = options.server(server.address()).connectFor(Duration.ZERO);
        bot.choices.add(Choice.resign());
        soon(server.streams);
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
            soon(server.streams).fail(Status.Code.UNAVAILABLE, "SERVER_STOPPING");
        } catch (InterruptedException stopped) {
            stops.clear();
        }
    }

    @Test
    void whatABotThrowsIsThrownToItsCaller() throws Exception {
        var stream = server.welcomed(true);
        // An index counts from 0.
        bot.choices.add(Choice.index(0));
        stream.send(asks(1, 1));
        stream.decides(1, 0);
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
        server.welcomed(true).send(asks(1, 1));
        assertInstanceOf(IllegalArgumentException.class, soon(thrown));
        stream.finish(2);
        bot.endsWell("asked", "ended");
    }

    @Test
    void optionsThatCannotBeUsedAreNamedBeforeAnythingIsSent() {
        var wrong =
                Map.of(
                        "no ticket", new Options("b", Map.of()),
                        "the ticket has characters", new Options("b", Map.of()).ticket("a\nb"),
                        "is not an address",
                                new Options("b", Map.of()).ticket("t").server("http://example.org"),
                        "1 to 64 printable", new Options("n".repeat(65), Map.of()).ticket("t"),
                        "no/file",
                                new Options("b", Map.of())
                                        .ticket("t")
                                        .server("https://a:1")
                                        .ca("/no/file"),
                        "together",
                                new Options("b", Map.of())
                                        .ticket("t")
                                        .server("https://a:1")
                                        .clientCertificate("x", ""));
        wrong.forEach(
                (told, options) -> {
                    var error =
                            assertThrows(
                                    PlayException.InvalidOptions.class,
                                    () -> Bridgemaster.play(request -> null, options));
                    assertTrue(error.getMessage().contains(told), error.getMessage());
                });
    }
}
