package bridgemaster.client;

import bridgemaster.client.PlayException.ServerLost;
import bridgemaster.client.Refusals.StreamLost;
import bridgemaster.v1.LobbyServiceGrpc;
import bridgemaster.v1.LobbyServiceOuterClass.AttendRequest;
import bridgemaster.v1.LobbyServiceOuterClass.AttendResponse;
import bridgemaster.v1.LobbyServiceOuterClass.DeclineOfferRequest;
import bridgemaster.v1.LobbyServiceOuterClass.Offer;
import bridgemaster.v1.LobbyServiceOuterClass.UpdateAttendanceRequest;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Attends the queue of a contest or a ladder. */
final class Attendance {
    /** Number of recent offer ids stored for deduplication: far more than the slots of a bot. */
    private static final int MAX_RECENT_OFFERS = 1024;
    /** Refusal reason of a queue that does not exist, or is not open yet. */
    private static final String QUEUE_UNKNOWN = "QUEUE_UNKNOWN";
    /** Reason that the server receives with an offer for which no slot became free. */
    private static final String SLOTS_BUSY =
            "all slots are busy: the bot still computes for matches that have ended";
    /** Time limit of the calls that report busy slots. */
    private static final int REPORT_TIMEOUT_S = 10;

    private static final System.Logger LOG = System.getLogger("bridgemaster");

    private final Supplier<? extends Bot> newBot;
    private final Options options;
    private final Options.ResolvedAttend resolved;
    private final Route route;
    private final Set<String> recentOffers = new LinkedHashSet<>();
    private final List<Thread> playing = new ArrayList<>();
    private final Slots slots;
    /** With the number of a stream, lets the server ignore a request that arrives late. */
    private final String clientInstanceId = UUID.randomUUID().toString();

    /** The number of the last stream. */
    private int streamNumber;

    /** The server of the current stream; null before the first message. */
    private volatile Server reportTo;
    /** The id of the attendance at this server. */
    private volatile String id = "";

    /** True once any stream has received a message. */
    private boolean attended;

    /** True once the current stream has received a message. */
    private boolean progressed;

    Attendance(Supplier<? extends Bot> newBot, Options options) throws PlayException {
        this.newBot = newBot;
        this.options = options;
        resolved = options.resolveAttend();
        route = new Route(resolved.servers());
        slots = new Slots(resolved.slots());
    }

    /** Returns once the queue is closed or left. */
    void attend() throws PlayException, InterruptedException {
        var checking = new Thread(this::checkSlots, "bridgemaster-slots");
        checking.setDaemon(true);
        checking.start();
        Backoff backoff = null;
        try {
            while (true) {
                progressed = false;
                try {
                    attendOnOneStream();
                    return;
                } catch (StreamLost lost) {
                    // The time to connect starts after gRPC is loaded.
                    backoff = backoff == null ? new Backoff(resolved.connectFor()) : backoff;
                    pause(backoff, lost);
                }
            }
        } finally {
            checking.interrupt();
            for (Thread match : playing) {
                match.join();
            }
        }
    }

    private void pause(Backoff backoff, StreamLost lost)
            throws PlayException, InterruptedException {
        slots.streamLost();
        route.checkTls(lost, attended);
        if (progressed) {
            backoff.restart(resolved.reconnectFor(), true);
        }
        String address = route.server().address();
        route.advance();
        OptionalLong nanos = backoff.nextPauseNanos();
        if (nanos.isEmpty()) {
            String what =
                    attended
                            ? "lost the stream to %s and could not resume it within %s s"
                                    .formatted(address, resolved.reconnectFor().toMillis() / 1000.0)
                            : "queue %s at %s could not be attended within %s s"
                                    .formatted(
                                            resolved.queue(),
                                            address,
                                            resolved.connectFor().toMillis() / 1000.0);
            throw new ServerLost(what + ": " + lost.getMessage(), lost.reason);
        }
        var level = attended ? System.Logger.Level.WARNING : System.Logger.Level.DEBUG;
        LOG.log(level, "attendance lost: " + lost.getMessage() + "; retrying");
        TimeUnit.NANOSECONDS.sleep(nanos.getAsLong());
    }

    private void attendOnOneStream() throws StreamLost, PlayException, InterruptedException {
        ManagedChannel channel = route.server().newChannel();
        try {
            var headers = MetadataUtils.newAttachHeadersInterceptor(resolved.metadata());
            Iterator<AttendResponse> messages =
                    LobbyServiceGrpc.newBlockingStub(channel)
                            .withInterceptors(headers)
                            .attend(request());
            while (messages.hasNext()) {
                attended = true;
                progressed = true;
                receive(messages.next());
            }
        } catch (StatusRuntimeException failure) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            throwFor(failure);
        } finally {
            channel.shutdownNow();
        }
    }

    private AttendRequest request() {
        return AttendRequest.newBuilder()
                .setQueueId(resolved.queue())
                .setBotName(resolved.name())
                .setBotVersion(resolved.version())
                .setSlots(resolved.slots())
                .setProtocolRevision(Conversation.PROTOCOL_REVISION)
                .setClientInstanceId(clientInstanceId)
                .setStreamNumber(++streamNumber)
                .build();
    }

    /** Throws the exception for a failure; an unknown queue is retried. */
    private static void throwFor(StatusRuntimeException failure) throws StreamLost, PlayException {
        try {
            Refusals.throwFor(failure);
        } catch (PlayException.Refused refused) {
            if (!QUEUE_UNKNOWN.equals(refused.reason().orElse(""))) {
                throw refused;
            }
            // A contest opens its queue shortly after it starts or resumes.
            throw new StreamLost(refused.getMessage(), QUEUE_UNKNOWN);
        }
    }

    private void receive(AttendResponse message) throws PlayException {
        switch (message.getMessageCase()) {
            case OFFER -> accept(message.getOffer());
            case ATTENDANCE -> {
                var attendance = message.getAttendance();
                id = attendance.getAttendanceId();
                reportTo = route.server();
                slots.setUsedAtServer(attendance.getSlotsUsed(), attendance.getBusySlots());
                String detail = attendance.getDetail();
                if (!detail.isEmpty()) {
                    LOG.log(System.Logger.Level.INFO, "attending: " + Refusals.escape(detail));
                }
            }
            case OFFER_WITHDRAWN -> {
                slots.withdraw(message.getOfferWithdrawn().getOfferId());
                String detail = message.getOfferWithdrawn().getDetail();
                LOG.log(System.Logger.Level.INFO, "offer withdrawn: " + Refusals.escape(detail));
            }
            default -> {
                // A message kind that only newer servers send.
            }
        }
    }

    /** Starts the match of an offer, unless the offer is a repetition. */
    private void accept(Offer offer) throws PlayException {
        if (!recentOffers.add(offer.getOfferId())) {
            return;
        }
        if (recentOffers.size() > MAX_RECENT_OFFERS) {
            Iterator<String> oldest = recentOffers.iterator();
            oldest.next();
            oldest.remove();
        }
        if (!slots.take(offer)) {
            return;
        }
        playing.removeIf(match -> !match.isAlive());
        var match = new Thread(() -> playInTurn(offer), "bridgemaster-match");
        match.setDaemon(true);
        match.start();
        playing.add(match);
    }

    /** Plays the match of an offer, and then those whose offers wait for the same slot. */
    private void playInTurn(Offer first) {
        for (Offer next = first; next != null; next = slots.release()) {
            play(next);
        }
    }

    /** Plays a match. Returns once the last method of the bot has returned. */
    private void play(Offer offer) {
        String match = "match " + Refusals.escape(offer.getMatchId());
        try {
            var resolved = options.resolve(this.resolved.servers(), offer.getTicket());
            var seat = new Seat(newBot.get(), resolved);
            try {
                seat.play();
            } finally {
                seat.join();
            }
        } catch (PlayException error) {
            LOG.log(System.Logger.Level.ERROR, match + " failed: " + error.getMessage());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error error) {
            LOG.log(System.Logger.Level.ERROR, "the bot failed in " + match, error);
        }
    }

    /** Reports busy slots to the server, and declines offers for which no slot became free. */
    private void checkSlots() {
        try {
            while (true) {
                TimeUnit.NANOSECONDS.sleep(Slots.CHECK_INTERVAL.toNanos());
                Slots.Check check = slots.check();
                Server server = reportTo;
                if (server != null && (check.busy().isPresent() || !check.overdue().isEmpty())) {
                    report(server, check);
                }
            }
        } catch (InterruptedException attendanceEnded) {
            Thread.currentThread().interrupt();
        }
    }

    private void report(Server server, Slots.Check check) {
        ManagedChannel channel = server.newChannel();
        try {
            var headers = MetadataUtils.newAttachHeadersInterceptor(resolved.metadata());
            var stub =
                    LobbyServiceGrpc.newBlockingStub(channel)
                            .withInterceptors(headers)
                            .withDeadlineAfter(REPORT_TIMEOUT_S, TimeUnit.SECONDS);
            if (check.busy().isPresent()) {
                int busy = check.busy().getAsInt();
                if (busy > 0) {
                    String line = " slots are busy: the bot still computes for finished matches";
                    LOG.log(System.Logger.Level.WARNING, busy + line);
                }
                var update =
                        UpdateAttendanceRequest.newBuilder().setAttendanceId(id).setBusySlots(busy);
                logFailure(() -> stub.updateAttendance(update.build()));
            }
            for (Offer offer : check.overdue()) {
                if (!slots.withdraw(offer.getOfferId())) {
                    continue;
                }
                String name = "offer " + Refusals.escape(offer.getOfferId());
                LOG.log(System.Logger.Level.WARNING, name + " declined: " + SLOTS_BUSY);
                var decline =
                        DeclineOfferRequest.newBuilder()
                                .setOfferId(offer.getOfferId())
                                .setReason(SLOTS_BUSY);
                logFailure(() -> stub.declineOffer(decline.build()));
            }
        } finally {
            channel.shutdownNow();
        }
    }

    /** Makes a call. A failure is only logged, so that later calls are made. */
    private static void logFailure(Runnable call) {
        try {
            call.run();
        } catch (StatusRuntimeException failure) {
            String reason = Refusals.escape(String.valueOf(failure.getMessage()));
            LOG.log(System.Logger.Level.WARNING, "cannot report busy slots: " + reason);
        }
    }
}
