package bridgemaster.client;

import bridgemaster.v1.Match.MatchResult;
import bridgemaster.v1.Play.DecisionRejected;
import bridgemaster.v1.Play.MatchStarted;
import bridgemaster.v1.Play.SeatStatus;

/**
 * Decides for one seat of one match. Its methods are called one after the other on a thread of the
 * bot's own. A bot may think there as long as its clock allows; Pings are answered meanwhile.
 */
@FunctionalInterface
public interface Bot {
    /**
     * Answers a request. The clock of the seat runs until the answer is at the server. When the
     * answer is refused and the request still open, {@link #decisionRejected} is called, and then
     * this method with the same request.
     */
    Choice decide(Request request);

    /**
     * Learns what stays the same during the match, before the first request. Called again when the
     * server has lost the end of what was played: forget all requests before. What is asked next is
     * complete, as ever.
     */
    default void matchStarted(MatchStarted started) {}

    /** Learns why a decision was refused. */
    default void decisionRejected(DecisionRejected rejected) {}

    /** Learns that a seat's bot, perhaps this one, is gone, back, has a strike or forfeited. */
    default void seatChanged(SeatStatus status) {}

    /** Learns the result. Not called if the server is lost before. */
    default void matchEnded(MatchResult result) {}
}
