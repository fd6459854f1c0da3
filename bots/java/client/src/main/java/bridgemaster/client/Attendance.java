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

/** Attends a queue of a contest or a ladder, and plays the matches that are offered there. */
final class Attendance {
    /** Offers that are known when they come again: those of all slots, many times over. */
    private static final int REMEMBERED_OFFERS = 1024;
    /** The refusal while the queue is not opened yet. */
    private static final String QUEUE_UNKNOWN = "QUEUE_UNKNOWN";

    private static final System.Logger LOG = System.getLogger("bridgemaster");

    private final Supplier<? extends Bot> newBot;
    private final Options options;
    private final Options.Queueing queueing;
    private final Route route;
    private final Set<String> knownOffers = new LinkedHashSet<>();
    private final List<Thread> playing = new ArrayList<>();
    /** Whether a server ever answered, and whether one did on the newest stream. */
    private boolean attended;

    private boolean progressed;

    Attendance(Supplier<? extends Bot> newBot, Options options) throws PlayException {
        this.newBot = newBot;
        this.options = options;
        queueing = options.queueing();
        route = new Route(queueing.places());
    }

    /** Attends until the queue is left or closed, over as many streams as it takes. */
    void attend() throws PlayException, InterruptedException {
        var backoff = new Backoff(queueing.connectFor());
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
            backoff.restart(queueing.reconnectFor(), true);
        }
        String server = route.place().uri().toString();
        boolean atOnce = route.goOn(lost.movedTo);
        OptionalLong nanos = backoff.nextPauseNanos();
        if (nanos.isEmpty()) {
            String how =
                    attended
                            ? "%s was lost and did not come back within %s s"
                                    .formatted(server, queueing.reconnectFor().toMillis() / 1000.0)
                            : "queue %s of %s could not be attended within %s s"
                                    .formatted(
                                            queueing.queue(),
                                            server,
                                            queueing.connectFor().toMillis() / 1000.0);
            throw new ServerLost(how + ": " + lost.getMessage(), lost.reason);
        }
        if (atOnce) {
            return;
        }
        var level = attended ? System.Logger.Level.WARNING : System.Logger.Level.DEBUG;
        LOG.log(level, "no attendance: " + lost.getMessage());
        TimeUnit.NANOSECONDS.sleep(nanos.getAsLong());
    }

    private void attendOnOneStream() throws StreamLost, PlayException, InterruptedException {
        ManagedChannel channel = route.place().connection();
        try {
            var headers = MetadataUtils.newAttachHeadersInterceptor(queueing.metadata());
            Iterator<AttendResponse> messages =
                    LobbyServiceGrpc.newBlockingStub(channel)
                            .withInterceptors(headers)
                            .attend(request());
            while (messages.hasNext()) {
                attended = true;
                progressed = true;
                route.arrived();
                receive(messages.next());
            }
        } catch (StatusRuntimeException failure) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            raise(failure);
        } finally {
            channel.shutdownNow();
        }
    }

    private AttendRequest request() {
        return AttendRequest.newBuilder()
                .setQueueId(queueing.queue())
                .setBotName(queueing.name())
                .setBotVersion(queueing.version())
                .setSlots(queueing.slots())
                .setProtocolRevision(Conversation.PROTOCOL_REVISION)
                .build();
    }

    /** Throws what a failure means. */
    private static void raise(StatusRuntimeException failure) throws StreamLost, PlayException {
        try {
            Refusals.raise(failure);
        } catch (PlayException.Refused refused) {
            if (!QUEUE_UNKNOWN.equals(refused.reason().orElse(""))) {
                throw refused;
            }
            // A contest that begins or goes on opens it in a moment.
            throw new StreamLost(refused.getMessage(), QUEUE_UNKNOWN);
        }
    }

    private void receive(AttendResponse message) throws PlayException {
        switch (message.getMessageCase()) {
            case OFFER -> take(message.getOffer());
            case ATTENDANCE -> {
                String detail = message.getAttendance().getDetail();
                if (!detail.isEmpty()) {
                    LOG.log(System.Logger.Level.INFO, "attending: " + Refusals.shown(detail));
                }
            }
            case OFFER_WITHDRAWN ->
                    LOG.log(
                            System.Logger.Level.INFO,
                            "an offer holds no more: "
                                    + Refusals.shown(message.getOfferWithdrawn().getDetail()));
            default -> {
                // A kind of a newer server.
            }
        }
    }

    /** Starts the match of an offer, unless it is known. */
    private void take(Offer offer) throws PlayException {
        if (!knownOffers.add(offer.getOfferId())) {
            return;
        }
        if (knownOffers.size() > REMEMBERED_OFFERS) {
            Iterator<String> oldest = knownOffers.iterator();
            oldest.next();
            oldest.remove();
        }
        Options.Seating seating = options.seating(placesOf(offer), offer.getTicket());
        playing.removeIf(match -> !match.isAlive());
        var match = new Thread(() -> play(seating, offer.getMatchId()), "bridgemaster-match");
        match.setDaemon(true);
        match.start();
        playing.add(match);
    }

    /** Where the match of an offer is; the servers that are known, if what it says is no address. */
    private List<Place> placesOf(Offer offer) {
        if (offer.getAddress().isEmpty()) {
            return queueing.places();
        }
        try {
            return List.of(route.place().at(offer.getAddress()));
        } catch (PlayException.InvalidOptions noAddress) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "an offer has no address: " + Refusals.shown(noAddress.getMessage()));
            return queueing.places();
        }
    }

    private void play(Options.Seating seating, String matchId) {
        String match = "match " + Refusals.shown(matchId);
        try {
            new Seat(newBot.get(), seating).play();
        } catch (PlayException error) {
            LOG.log(
                    System.Logger.Level.ERROR,
                    match + " was not played to its end: " + error.getMessage());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error error) {
            LOG.log(System.Logger.Level.ERROR, "the bot failed in " + match, error);
        }
    }
}
