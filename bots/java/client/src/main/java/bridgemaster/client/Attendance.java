package bridgemaster.client;

import bridgemaster.client.PlayException.ServerLost;
import bridgemaster.client.Refusals.StreamLost;
import bridgemaster.v1.LobbyServiceGrpc;
import bridgemaster.v1.LobbyServiceOuterClass.AttendRequest;
import bridgemaster.v1.LobbyServiceOuterClass.AttendResponse;
import bridgemaster.v1.LobbyServiceOuterClass.Offer;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Attends the queue of a contest or a ladder. */
final class Attendance {
    /** Number of recent offer ids stored for deduplication: far more than the slots of a bot. */
    private static final int MAX_RECENT_OFFERS = 1024;
    /** Refusal reason of a queue that does not exist, or is not open yet. */
    private static final String QUEUE_UNKNOWN = "QUEUE_UNKNOWN";

    private static final System.Logger LOG = System.getLogger("bridgemaster");

    private final Supplier<? extends Bot> newBot;
    private final Options options;
    private final Options.ResolvedAttend resolved;
    private final Route route;
    private final Set<String> recentOffers = new LinkedHashSet<>();
    private final List<Thread> playing = new ArrayList<>();
    /** True once any stream has received a message. */
    private boolean attended;

    /** True once the current stream has received a message. */
    private boolean progressed;

    Attendance(Supplier<? extends Bot> newBot, Options options) throws PlayException {
        this.newBot = newBot;
        this.options = options;
        resolved = options.resolveAttend();
        route = new Route(resolved.servers());
    }

    /** Returns once the queue is closed or left. */
    void attend() throws PlayException, InterruptedException {
        var backoff = new Backoff(resolved.connectFor());
        try {
            while (true) {
                progressed = false;
                try {
                    attendOnOneStream();
                    return;
                } catch (StreamLost lost) {
                    pause(backoff, lost);
                }
            }
        } finally {
            for (Thread match : playing) {
                match.join();
            }
        }
    }

    private void pause(Backoff backoff, StreamLost lost)
            throws ServerLost, InterruptedException {
        if (progressed) {
            backoff.restart(resolved.reconnectFor(), true);
        }
        String address = route.server().uri().toString();
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
                String detail = message.getAttendance().getDetail();
                if (!detail.isEmpty()) {
                    LOG.log(System.Logger.Level.INFO, "attending: " + Refusals.escape(detail));
                }
            }
            case OFFER_WITHDRAWN ->
                    LOG.log(
                            System.Logger.Level.INFO,
                            "offer withdrawn: "
                                    + Refusals.escape(message.getOfferWithdrawn().getDetail()));
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
        Options.Resolved seat = options.resolve(resolved.servers(), offer.getTicket());
        playing.removeIf(match -> !match.isAlive());
        var match = new Thread(() -> play(seat, offer.getMatchId()), "bridgemaster-match");
        match.setDaemon(true);
        match.start();
        playing.add(match);
    }

    private void play(Options.Resolved seat, String matchId) {
        String match = "match " + Refusals.escape(matchId);
        try {
            new Seat(newBot.get(), seat).play();
        } catch (PlayException error) {
            LOG.log(System.Logger.Level.ERROR, match + " failed: " + error.getMessage());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error error) {
            LOG.log(System.Logger.Level.ERROR, "the bot failed in " + match, error);
        }
    }
}
