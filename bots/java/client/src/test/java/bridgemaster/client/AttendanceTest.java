package bridgemaster.client;

import static bridgemaster.client.ScriptedServer.TIMEOUT_S;
import static bridgemaster.client.ScriptedServer.decisionRequest;
import static bridgemaster.client.ScriptedServer.refusal;
import static bridgemaster.client.ScriptedServer.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import bridgemaster.v1.LobbyServiceOuterClass.AttendRequest;
import bridgemaster.v1.LobbyServiceOuterClass.AttendResponse;
import bridgemaster.v1.LobbyServiceOuterClass.Attendance;
import bridgemaster.v1.LobbyServiceOuterClass.Offer;
import io.grpc.Metadata;
import io.grpc.Status;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Attending a queue of a scripted server. */
final class AttendanceTest {
    private ScriptedServer server;

    @BeforeEach
    void start() throws Exception {
        server = new ScriptedServer();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static AttendResponse offer(String offerId, String ticket) {
        return offer(offerId, ticket, 30_000);
    }

    private static AttendResponse offer(String offerId, String ticket, int timeLeftMs) {
        var offer =
                Offer.newBuilder()
                        .setOfferId(offerId)
                        .setTicket(ticket)
                        .setMatchId("m")
                        .setTimeLeftMs(timeLeftMs);
        return AttendResponse.newBuilder().setOffer(offer).build();
    }

    /** Attends on another thread; the future completes with its exception. */
    private CompletableFuture<Void> startAttending(AtomicInteger created) {
        var options =
                new Options("puppet", Map.of("BRIDGEMASTER_QUEUE", "cup"))
                        .version("7")
                        .slots(2)
                        .server(server.address());
        assertTrue(options.shouldAttend());
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        Bridgemaster.attend(
                                () -> {
                                    created.incrementAndGet();
                                    return request -> Choice.index(4);
                                },
                                options);
                    } catch (Exception error) {
                        throw new IllegalStateException(error);
                    }
                });
    }

    @Test
    void eachOfferIsPlayedOnceAcrossAllStreamsByItsOwnBot() throws Exception {
        var created = new AtomicInteger();
        var end = startAttending(created);
        // A contest opens its queue shortly after it starts.
        await(server.attendances)
                .outbound()
                .onError(refusal(Status.Code.NOT_FOUND, "QUEUE_UNKNOWN"));
        var attending = await(server.attendances);
        var expected =
                AttendRequest.newBuilder()
                        .setQueueId("cup")
                        .setBotName("puppet")
                        .setBotVersion("7")
                        .setSlots(2)
                        .setProtocolRevision(1)
                        .setClientInstanceId(attending.request().getClientInstanceId())
                        .setStreamNumber(2);
        assertEquals(expected.build(), attending.request());
        var attendance = AttendResponse.newBuilder().setAttendance(Attendance.getDefaultInstance());
        attending.outbound().onNext(attendance.build());
        attending.outbound().onNext(offer("o1", "t1"));
        var first = server.welcomedStream(true);
        attending.outbound().onError(refusal(Status.Code.UNAVAILABLE, ""));

        attending = await(server.attendances);
        attending.outbound().onNext(offer("o1", "t1"));
        attending.outbound().onNext(offer("o2", "t2"));
        var second = server.welcomedStream(true);
        attending.outbound().onCompleted();
        assertFalse(end.isDone(), "a match is still in progress");
        for (var stream : java.util.List.of(first, second)) {
            stream.send(decisionRequest(1, 1));
            stream.expectDecision(1, 4);
            stream.finish(2);
        }
        end.get(TIMEOUT_S, TimeUnit.SECONDS);
        assertEquals(2, created.get());
        var authorization = Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
        var tickets =
                server.metadata.stream()
                        .map(each -> each.get(authorization))
                        .filter(ticket -> ticket != null)
                        .sorted()
                        .toList();
        assertEquals(java.util.List.of("Bearer t1", "Bearer t2"), tickets);
    }

    private static AttendResponse state(int slotsUsed, int busySlots) {
        var state =
                Attendance.newBuilder()
                        .setAttendanceId("a")
                        .setSlotsUsed(slotsUsed)
                        .setBusySlots(busySlots);
        return AttendResponse.newBuilder().setAttendance(state).build();
    }

    @Test
    void busySlotsAreReportedUntilTheServerCountsThem() {
        var slots = new Slots(1);
        slots.take(Offer.getDefaultInstance());
        slots.setUsedAtServer(0, 0);
        slots.check();
        assertEquals(OptionalInt.of(1), slots.check().busy());
        assertEquals(OptionalInt.of(1), slots.check().busy());
        slots.setUsedAtServer(0, 1);
        assertEquals(OptionalInt.empty(), slots.check().busy());
        slots.setUsedAtServer(0, 0);
        assertEquals(OptionalInt.of(1), slots.check().busy());
    }

    @Test
    void aSlotIsFreeOnlyWhenDecideHasReturned() throws Exception {
        var deciding = new CountDownLatch(1);
        var returning = new CountDownLatch(1);
        Bot bot =
                request -> {
                    deciding.countDown();
                    while (returning.getCount() > 0) {
                        Thread.onSpinWait();
                    }
                    return Choice.index(0);
                };
        var options = new Options("puppet", Map.of()).queue("cup").server(server.address());
        var end =
                CompletableFuture.runAsync(
                        () -> {
                            try {
                                Bridgemaster.attend(() -> bot, options);
                            } catch (Exception error) {
                                throw new IllegalStateException(error);
                            }
                        });
        var attending = await(server.attendances).outbound();
        attending.onNext(state(1, 0));
        attending.onNext(offer("o1", "t1"));
        var first = server.welcomedStream(true);
        first.send(decisionRequest(1, 1));
        assertTrue(deciding.await(TIMEOUT_S, TimeUnit.SECONDS));
        first.fail(Status.Code.UNAVAILABLE, "MATCH_CANCELLED");
        attending.onNext(state(0, 0));
        // A report that fails is repeated.
        assertEquals(1, await(server.busySlots));
        assertEquals(1, await(server.busySlots));
        // The server has offered the slot again before it received the report.
        attending.onNext(state(1, 1));
        attending.onNext(offer("o2", "t2"));
        attending.onNext(offer("o3", "t3", 0));
        attending.onNext(offer("o4", "t4", 0));
        assertEquals("o3", await(server.declined));
        assertEquals("o4", await(server.declined));
        assertTrue(server.streams.isEmpty(), "the slot is not free");
        returning.countDown();
        var second = server.welcomedStream(true);
        while (await(server.busySlots) != 0) {}
        second.finish(1);
        attending.onCompleted();
        end.get(TIMEOUT_S, TimeUnit.SECONDS);
    }

    @Test
    void anAbsentQueueIsAbandonedWithItsReason() throws Exception {
        var options =
                new Options("puppet", Map.of())
                        .queue("cup")
                        .server(server.address())
                        .connectFor(Duration.ZERO);
        var answer =
                CompletableFuture.runAsync(
                        () -> {
                            try {
                                await(server.attendances)
                                        .outbound()
                                        .onError(
                                                refusal(
                                                        Status.Code.NOT_FOUND, "QUEUE_UNKNOWN"));
                            } catch (InterruptedException stopped) {
                                throw new IllegalStateException(stopped);
                            }
                        });
        var lost =
                assertThrows(
                        PlayException.ServerLost.class,
                        () -> Bridgemaster.attend(() -> request -> Choice.index(0), options));
        assertEquals("QUEUE_UNKNOWN", lost.reason().orElseThrow());
        answer.get(TIMEOUT_S, TimeUnit.SECONDS);
    }

    @Test
    void anOfferedSeatIsRetriedForAsLongAsTheAttendance() throws Exception {
        var alone = new Options("b", Map.of()).ticket("t").resolve();
        assertEquals(Duration.ofSeconds(30), alone.reconnectFor());
        var minutes = Duration.ofMinutes(10);
        var queue = Map.of("BRIDGEMASTER_QUEUE", "cup");
        assertEquals(minutes, new Options("b", queue).resolveAttend().reconnectFor());
        var offered = new Options("b", queue).ticket("t").resolve();
        assertEquals(minutes, offered.connectFor());
        assertEquals(minutes, offered.reconnectFor());
        var brief = new Options("b", queue).ticket("t").reconnectFor(Duration.ZERO).resolve();
        assertEquals(Duration.ZERO, brief.reconnectFor());
    }

    @Test
    void aTicketHasPrecedenceOverAQueueAndSlotsAreLimited() {
        var both = Map.of("BRIDGEMASTER_QUEUE", "cup", "BRIDGEMASTER_TICKET", "t");
        assertFalse(new Options("b", both).shouldAttend());
        for (int slots : new int[] {-1, 65}) {
            var options = new Options("b", Map.of()).queue("cup").slots(slots);
            var error = assertThrows(PlayException.InvalidOptions.class, options::resolveAttend);
            assertTrue(error.getMessage().contains("1 to 64"), error.getMessage());
        }
    }
}
