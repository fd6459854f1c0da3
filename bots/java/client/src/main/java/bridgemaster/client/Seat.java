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

/** Plays one seat of one match: connects, exchanges messages, and resumes after a lost stream. */
final class Seat {
    /** Time to wait for the Welcome on a new stream. */
    private static final Duration WELCOME_TIMEOUT = Duration.ofSeconds(10);
    /** Time to wait for the first Welcome. It is long, since it includes loading most of gRPC. */
    private static final Duration FIRST_WELCOME_TIMEOUT = Duration.ofSeconds(60);
    /** Time to wait for the end of the stream after MatchEnded. */
    private static final Duration CLOSING_TIMEOUT = Duration.ofSeconds(1);
    /** The number of Ping intervals without a message after which a server is lost. */
    private static final int MISSED_PINGS = 3;

    private static final System.Logger LOG = System.getLogger("bridgemaster");

    private final Options.Resolved options;
    private final Route route;
    /** The thread of {@code play} handles all events; other threads only read and run the bot. */
    private final BlockingQueue<Object> events = new LinkedBlockingQueue<>();
    /** Answers given while no stream was ready to send them. */
    private final List<BotThread.Answered> deferred = new ArrayList<>();

    private final Conversation conversation;
    private final BotThread bot;
    private Stream stream;
    private boolean streamWasWelcomed;
    private boolean isFirstAttempt = true;

    Seat(Bot bot, Options.Resolved options) {
        this.options = options;
        route = new Route(options.servers());
        this.bot = new BotThread(bot, events::add);
        conversation = new Conversation(options, new ReactionHandler());
    }

    /** Plays to the end of the match. */
    MatchResult play() throws PlayException, InterruptedException {
        var backoff = new Backoff(options.connectFor());
        try {
            while (true) {
                try {
                    MatchResult result = playOnOneStream().getResult();
                    bot.finish(result);
                    // Wait until the bot has finished all calls.
                    while (!(events.take() instanceof BotThread.Done done && rethrow(done))) {}
                    return result;
                } catch (StreamLost lost) {
                    if (streamWasWelcomed) {
                        isFirstAttempt = false;
                        // A match that waits for other bots can be silent for a long time.
                        backoff.restart(options.reconnectFor(), conversation.progressed());
                    }
                    route.checkTls(lost, conversation.wasWelcomed());
                    if (isFirstAttempt) {
                        // The time to connect starts after gRPC is loaded.
                        isFirstAttempt = false;
                        backoff = new Backoff(options.connectFor());
                    }
                    String address = route.server().address();
                    route.advance();
                    OptionalLong nanos = backoff.nextPauseNanos();
                    if (nanos.isEmpty()) {
                        throw serverLost(address, lost);
                    }
                    pause(nanos.getAsLong(), lost);
                }
            }
        } finally {
            conversation.cancel();
            bot.stop();
        }
    }

    /** Waits until the last method of the bot has returned, after the end of {@link #play}. */
    void join() throws InterruptedException {
        bot.join();
    }

    private ServerLost serverLost(String address, StreamLost lost) {
        boolean welcomed = conversation.wasWelcomed();
        Duration waited = welcomed ? options.reconnectFor() : options.connectFor();
        String format =
                welcomed
                        ? "lost the stream to %s and could not resume it within %s s: %s"
                        : "no server answered at %s within %s s: %s";
        return new ServerLost(
                format.formatted(address, waited.toMillis() / 1000.0, lost.getMessage()),
                lost.reason);
    }

    /** Waits before the next stream, storing answers that the bot gives in the meantime. */
    private void pause(long nanos, StreamLost lost) throws InterruptedException {
        if (conversation.wasWelcomed()) {
            String line = "stream lost: " + lost.getMessage() + "; retrying";
            LOG.log(System.Logger.Level.WARNING, line);
        }
        long until = System.nanoTime() + nanos;
        Object event;
        // Events of earlier streams are ignored.
        while ((event = nextEvent(until)) != null) {
            defer(event);
        }
    }

    /** Opens a stream and uses it until the match has ended. */
    private MatchEnded playOnOneStream() throws StreamLost, PlayException, InterruptedException {
        streamWasWelcomed = false;
        stream =
                new Stream(
                        route.server(), options.metadata(), conversation.hello(), events::add);
        try {
            Welcome welcome = readWelcome();
            conversation.welcome(welcome);
            streamWasWelcomed = true;
            for (BotThread.Answered answered : deferred) {
                conversation.answer(answered.request(), answered.choice());
            }
            deferred.clear();
            long intervalMs = Integer.toUnsignedLong(welcome.getPingIntervalMs());
            MatchEnded ended = exchange(Duration.ofMillis(MISSED_PINGS * intervalMs));
            leave();
            return ended;
        } finally {
            stream.close();
            stream = null;
        }
    }

    private Welcome readWelcome() throws StreamLost, PlayException, InterruptedException {
        boolean welcomed = conversation.wasWelcomed();
        Duration total = welcomed ? options.reconnectFor() : options.connectFor();
        Duration max = isFirstAttempt ? FIRST_WELCOME_TIMEOUT : WELCOME_TIMEOUT;
        long until = System.nanoTime() + route.answerTimeout(max, total).toNanos();
        while (true) {
            Object event = next(until);
            if (event == null) {
                throw new StreamLost("the server did not send a Welcome in time", null);
            }
            if (event instanceof PlayResponse response) {
                if (!response.hasWelcome()) {
                    throw new BrokenProtocol(
                            "the server broke the protocol: its first message is not a Welcome");
                }
                return response.getWelcome();
            }
            defer(event);
        }
    }

    /** Passes messages between server and bot until the match has ended. */
    private MatchEnded exchange(Duration silence)
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
        // Without an interval of Pings, the server can be silent forever.
        return System.nanoTime() + (silence.isZero() ? Long.MAX_VALUE / 2 : silence.toNanos());
    }

    /** Closes the stream in order: first the client's half, then the server's. */
    private void leave() throws InterruptedException {
        stream.halfClose();
        long until = System.nanoTime() + CLOSING_TIMEOUT.toNanos();
        try {
            while (next(until) != null) {
                // Messages after MatchEnded are ignored.
            }
        } catch (StreamLost | PlayException end) {
            LOG.log(System.Logger.Level.DEBUG, "the stream has ended: " + end.getMessage());
        }
    }

    private void defer(Object event) {
        if (event instanceof BotThread.Answered answered) {
            deferred.add(answered);
        }
    }

    /** Returns the next PlayResponse of the stream, or Answered; null when the time is up. */
    private Object next(long until) throws StreamLost, PlayException, InterruptedException {
        while (true) {
            Object event = nextEvent(until);
            if (!(event instanceof Stream.Event streamEvent)) {
                return event;
            }
            // Events of earlier streams are ignored.
            if (streamEvent.stream() != stream) {
                continue;
            }
            if (streamEvent.response() != null) {
                return streamEvent.response();
            }
            if (streamEvent.failure() != null) {
                Refusals.throwFor(streamEvent.failure());
            }
            throw new StreamLost("the server ended the stream before the match was over", null);
        }
    }

    /** Returns the next event of any stream or of the bot; null when the time is up. */
    private Object nextEvent(long until) throws InterruptedException {
        Object event = events.poll(until - System.nanoTime(), TimeUnit.NANOSECONDS);
        if (event instanceof BotThread.Done done) {
            rethrow(done);
            throw new IllegalStateException("the thread of the bot ended");
        }
        return event;
    }

    /** Throws the exception of the bot, if any; otherwise returns true. */
    private static boolean rethrow(BotThread.Done done) {
        if (done.thrown() instanceof RuntimeException error) {
            throw error;
        }
        if (done.thrown() instanceof Error error) {
            throw error;
        }
        return true;
    }

    private final class ReactionHandler implements Conversation.Reactions {
        @Override
        public void send(PlayRequest message) {
            stream.send(message);
        }

        @Override
        public void decide(Request request) {
            bot.decide(request);
        }

        @Override
        public void cancel(Request request) {
            bot.cancel(request);
        }

        @Override
        public void notifyBot(PlayResponse response) {
            bot.notifyBot(response);
        }

        @Override
        public void log(String line) {
            LOG.log(System.Logger.Level.WARNING, line);
        }
    }
}
