package bridgemaster.client;

import bridgemaster.client.PlayException.BrokenProtocol;
import bridgemaster.client.PlayException.ServerLost;
import bridgemaster.client.Refusals.StreamLost;
import bridgemaster.v1.Match.MatchResult;
import bridgemaster.v1.Play.MatchEnded;
import bridgemaster.v1.Play.PlayRequest;
import bridgemaster.v1.Play.PlayResponse;
import bridgemaster.v1.Play.Welcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** One seat of one match, over as many streams as it takes: connects, converses, comes back. */
final class Seat {
    /**
     * Time for the Welcome, once a stream is asked for: long, for Java loads most of gRPC then. A
     * machine that vanished is noticed earlier, by the keep-alive of the transport.
     */
    private static final Duration WELCOME_TIMEOUT = Duration.ofSeconds(60);
    /** Time that the server has to end the stream after MatchEnded. */
    private static final Duration CLOSING_TIMEOUT = Duration.ofSeconds(1);
    /** A server that is silent for this many intervals of its Pings is gone. */
    private static final int MISSED_PINGS = 3;

    private static final System.Logger LOG = System.getLogger("bridgemaster");

    private final Options.Seating seating;
    private final Route route;
    /** Everything that happens, so that one thread does all but reading and thinking. */
    private final BlockingQueue<Object> events = new LinkedBlockingQueue<>();
    /** Answers that came while no stream was welcomed. */
    private final List<BotThread.Answered> held = new ArrayList<>();

    private final Conversation conversation;
    private final BotThread bot;
    private Stream stream;
    private boolean streamWasWelcomed;

    Seat(Bot bot, Options.Seating seating) {
        this.seating = seating;
        route = new Route(seating.places());
        this.bot = new BotThread(bot, events::add);
        conversation = new Conversation(seating, new ToStreamAndBot());
    }

    /** Plays to the end of the match. */
    MatchResult play() throws PlayException, InterruptedException {
        var backoff = new Backoff(seating.connectFor());
        try {
            while (true) {
                try {
                    MatchResult result = playOnOneStream().getResult();
                    bot.finish(result);
                    // Until the bot has done all that it was given.
                    while (!(events.take() instanceof BotThread.Done done && thrownBy(done))) {}
                    return result;
                } catch (StreamLost lost) {
                    if (streamWasWelcomed) {
                        // A match that waits for other bots may say nothing for long.
                        backoff.restart(seating.reconnectFor(), conversation.progressed());
                    }
                    String server = route.place().uri().toString();
                    boolean atOnce = route.goOn(lost.movedTo);
                    OptionalLong nanos = backoff.nextPauseNanos();
                    if (nanos.isEmpty()) {
                        throw serverLost(server, lost);
                    }
                    if (!atOnce) {
                        pause(nanos.getAsLong(), lost);
                    }
                }
            }
        } finally {
            bot.stop();
        }
    }

    private ServerLost serverLost(String server, StreamLost lost) {
        boolean welcomed = conversation.wasWelcomed();
        Duration tried = welcomed ? seating.reconnectFor() : seating.connectFor();
        String how =
                welcomed ? "was lost and did not come back within" : "could not be reached within";
        return new ServerLost(
                "%s %s %s s: %s"
                        .formatted(server, how, tried.toMillis() / 1000.0, lost.getMessage()),
                lost.reason);
    }

    /** Waits before the next stream; what the bot answers meanwhile is kept. */
    private void pause(long nanos, StreamLost lost) throws InterruptedException {
        if (conversation.wasWelcomed()) {
            LOG.log(System.Logger.Level.WARNING, "no stream: " + lost.getMessage());
        }
        long until = System.nanoTime() + nanos;
        Object event;
        // What the stream before had still to say does not count any more.
        while ((event = nextEvent(until)) != null) {
            hold(event);
        }
    }

    /** Opens a stream and converses on it until the match is over. */
    private MatchEnded playOnOneStream() throws StreamLost, PlayException, InterruptedException {
        streamWasWelcomed = false;
        stream =
                new Stream(
                        route.place(), seating.metadata(), conversation.hello(), events::add);
        try {
            Welcome welcome = readWelcome();
            conversation.welcome(welcome);
            streamWasWelcomed = true;
            route.arrived();
            for (BotThread.Answered answered : held) {
                conversation.answer(answered.request(), answered.choice());
            }
            held.clear();
            long intervalMs = Integer.toUnsignedLong(welcome.getPingIntervalMs());
            MatchEnded ended = converse(Duration.ofMillis(MISSED_PINGS * intervalMs));
            leave();
            return ended;
        } finally {
            stream.close();
            stream = null;
        }
    }

    private Welcome readWelcome() throws StreamLost, PlayException, InterruptedException {
        boolean welcomed = conversation.wasWelcomed();
        Duration span = welcomed ? seating.reconnectFor() : seating.connectFor();
        long until = System.nanoTime() + route.patience(WELCOME_TIMEOUT, span).toNanos();
        while (true) {
            Object event = next(until);
            if (event == null) {
                throw new StreamLost("no Welcome came", null);
            }
            if (event instanceof PlayResponse response) {
                if (!response.hasWelcome()) {
                    throw new BrokenProtocol(
                            "the server broke the protocol: its first message is no Welcome");
                }
                return response.getWelcome();
            }
            hold(event);
        }
    }

    /** Carries messages between server and bot, in whatever order the two get ready. */
    private MatchEnded converse(Duration silence)
            throws StreamLost, PlayException, InterruptedException {
        long until = silentUntil(silence);
        while (true) {
            Object event = next(until);
            if (event instanceof BotThread.Answered answered) {
                conversation.answer(answered.request(), answered.choice());
            } else if (event instanceof PlayResponse response) {
                until = silentUntil(silence);
                MatchEnded ended = conversation.receive(response);
                if (ended != null) {
                    return ended;
                }
            } else {
                throw new StreamLost(
                        "the server was silent for " + silence.toMillis() / 1000.0 + " s", null);
            }
        }
    }

    private static long silentUntil(Duration silence) {
        // A server that tells no interval may be silent for as long as it likes.
        return System.nanoTime() + (silence.isZero() ? Long.MAX_VALUE / 2 : silence.toNanos());
    }

    /** Leaves in order: closes our half, and lets the server close its own. */
    private void leave() throws InterruptedException {
        stream.end();
        long until = System.nanoTime() + CLOSING_TIMEOUT.toNanos();
        try {
            while (next(until) != null) {
                // Nothing after the end matters.
            }
        } catch (StreamLost | PlayException end) {
            LOG.log(System.Logger.Level.DEBUG, "the stream is over: " + end.getMessage());
        }
    }

    private void hold(Object event) {
        if (event instanceof BotThread.Answered answered) {
            held.add(answered);
        }
    }

    /** The next PlayResponse of the stream, or Answered; null when the moment has come. */
    private Object next(long until) throws StreamLost, PlayException, InterruptedException {
        while (true) {
            Object event = nextEvent(until);
            if (!(event instanceof Stream.Came came)) {
                return event;
            }
            // What a stream before had still to say does not count any more.
            if (came.stream() != stream) {
                continue;
            }
            if (came.response() != null) {
                return came.response();
            }
            if (came.failure() != null) {
                Refusals.raise(came.failure());
            }
            throw new StreamLost("the server ended the stream before the match was over", null);
        }
    }

    /** The next event, of whatever stream; null when the moment has come. */
    private Object nextEvent(long until) throws InterruptedException {
        Object event = events.poll(until - System.nanoTime(), TimeUnit.NANOSECONDS);
        if (event instanceof BotThread.Done done) {
            thrownBy(done);
            throw new IllegalStateException("the thread of the bot ended");
        }
        return event;
    }

    /** Throws what the bot threw, and else gives true. */
    private static boolean thrownBy(BotThread.Done done) {
        if (done.thrown() instanceof RuntimeException error) {
            throw error;
        }
        if (done.thrown() instanceof Error error) {
            throw error;
        }
        return true;
    }

    private final class ToStreamAndBot implements Conversation.Reactions {
        @Override
        public void send(PlayRequest message) {
            stream.send(message);
        }

        @Override
        public void ask(Request request) {
            bot.ask(request);
        }

        @Override
        public void tell(PlayResponse response) {
            bot.tell(response);
        }

        @Override
        public void log(String line) {
            LOG.log(System.Logger.Level.WARNING, line);
        }
    }
}
