package bridgemaster.client;

import bridgemaster.v1.Match.MatchResult;
import bridgemaster.v1.Play.DecisionRejected;
import bridgemaster.v1.Play.MatchStarted;
import bridgemaster.v1.Play.SeatStatus;

/**
 * Decides for one seat of one match. The methods are called in sequence on a thread dedicated to
 * the bot, so a bot can compute for as long as its clock allows. Pings are answered in the
 * meantime.
 */
@FunctionalInterface
public interface Bot {
    /**
     * Answers a request. The clock of the seat runs until the answer reaches the server. The
     * method is called again with the same request after {@link #decisionRejected}, as long as the
     * request is still open.
     *
     * <p>A long computation should end early once {@link Request#isCancelled}: until the method has
     * returned, the bot cannot play in this slot again.
     */
    Choice decide(Request request);

    /**
     * Called when the match starts, before the first request. Called again if the server has lost
     * the last part of the match: discard everything derived from earlier requests. The next
     * request is complete, as every request is.
     */
    default void matchStarted(MatchStarted started) {}

    /** Called when a decision of this bot was refused. */
    default void decisionRejected(DecisionRejected rejected) {}

    /** Called when any seat disconnects, reconnects, forfeits or gets a strike. */
    default void seatChanged(SeatStatus status) {}

    /** Called when the match has ended. Not called if the server is lost before then. */
    default void matchEnded(MatchResult result) {}
}
