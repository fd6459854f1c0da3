package bridgemaster.client;

import bridgemaster.v1.Game.GameRequest;
import bridgemaster.v1.Play.DecisionRequest;
import java.time.Duration;

/**
 * A decision request. Every request is complete: a bot needs no earlier request to answer it.
 *
 * @param message the message as received
 * @param seat the seat that decides, from 0
 * @param receivedNanos the time of receipt, by {@link System#nanoTime}
 */
public record Request(DecisionRequest message, int seat, long receivedNanos) {
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
