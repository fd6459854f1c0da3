package bridgemaster.client;

import bridgemaster.v1.Game.GameRequest;
import bridgemaster.v1.Play.DecisionRequest;
import java.time.Duration;

/**
 * A decision that the bot is asked for. It is complete: no earlier request is needed to answer it
 * well.
 *
 * @param message the message as it came
 * @param seat the seat that is asked, from 0
 * @param receivedNanos when it came, by {@link System#nanoTime}
 */
public record Request(DecisionRequest message, int seat, long receivedNanos) {
    /** What is asked, in the entry of its game: observation, legal decisions and events. */
    public GameRequest game() {
        return message.getGame();
    }

    /** Length of the list of legal decisions, at least 1: any index below it can be answered. */
    public int legalCount() {
        return message.getLegalCount();
    }

    /** Time since the request came. */
    public Duration used() {
        return Duration.ofNanos(System.nanoTime() - receivedNanos);
    }

    /**
     * Time left for this decision, now; zero when it is late. Time on the network is not counted:
     * the server credits the measured round trip, up to a limit in the rules of the match.
     */
    public Duration decisionLeft() {
        return left(message.getClock().getDecisionLeftMs());
    }

    /** Time left in the bank, now; zero when it is empty. */
    public Duration bankLeft() {
        return left(message.getClock().getBankLeftMs());
    }

    private Duration left(int unsignedMs) {
        Duration left = Duration.ofMillis(Integer.toUnsignedLong(unsignedMs)).minus(used());
        return left.isNegative() ? Duration.ZERO : left;
    }
}
