package bridgemaster.client;

import bridgemaster.v1.Game.GameRequest;
import bridgemaster.v1.Play.DecisionRequest;
import java.time.Duration;

/** A decision request. Every request is complete: a bot needs no earlier request to answer it. */
public final class Request {
    private final DecisionRequest message;
    private final int seat;
    private final long receivedNanos;
    private volatile boolean cancelled;

    /**
     * Creates a request. Bots get requests from the library; this is for tests of a bot.
     *
     * @param message the message as received
     * @param seat the seat that decides, from 0
     * @param receivedNanos the time of receipt, by {@link System#nanoTime}
     */
    public Request(DecisionRequest message, int seat, long receivedNanos) {
        this.message = message;
        this.seat = seat;
        this.receivedNanos = receivedNanos;
    }

    /** Returns the message as received. */
    public DecisionRequest message() {
        return message;
    }

    /** Returns the seat that decides, from 0. */
    public int seat() {
        return seat;
    }

    /**
     * Returns whether the answer is no longer needed: the match has ended, or the server has
     * replaced the request. A long computation should check this, and return any choice or throw
     * an exception; either is ignored. The thread of the bot is also interrupted.
     */
    public boolean isCancelled() {
        return cancelled;
    }

    void cancel() {
        cancelled = true;
    }

    /** Returns the contents, in the field of the game: observation, legal decisions and events. */
    public GameRequest game() {
        return message.getGame();
    }

    /** Returns the number of legal decisions, at least 1; every index below it is valid. */
    public int legalCount() {
        return message.getLegalCount();
    }

    /** Returns the time since the request was received. */
    public Duration used() {
        return Duration.ofNanos(System.nanoTime() - receivedNanos);
    }

    /**
     * Returns the time left for this decision; zero after the deadline. The time excludes network
     * time in both directions: the server credits the measured round trip, up to a limit in the
     * rules of the match.
     */
    public Duration decisionLeft() {
        return left(message.getClock().getDecisionLeftMs());
    }

    /** Returns the time left in the bank; zero if it is empty. */
    public Duration bankLeft() {
        return left(message.getClock().getBankLeftMs());
    }

    private Duration left(int unsignedMs) {
        Duration left = Duration.ofMillis(Integer.toUnsignedLong(unsignedMs)).minus(used());
        return left.isNegative() ? Duration.ZERO : left;
    }
}
