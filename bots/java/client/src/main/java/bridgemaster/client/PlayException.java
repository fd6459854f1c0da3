package bridgemaster.client;

import bridgemaster.v1.Play.DecisionRejected;
import bridgemaster.v1.Play.MatchEnded;
import java.util.Map;
import java.util.Optional;

/** The match could not be played to its end; the message says why, on one line. */
public sealed class PlayException extends Exception {
    private static final long serialVersionUID = 1;

    /** What to do about it. */
    public enum Advice {
        /** Connect again, after a pause. */
        RETRY("try again later"),
        /** Trying again fails in the same way. */
        FIX("fix the bot or its options"),
        /** The seat is not to be played any more. */
        STOP("nothing is left to play");

        private final String text;

        Advice(String text) {
            this.text = text;
        }
    }

    private final Advice advice;
    private final String reason;

    private PlayException(String message, Advice advice, String reason) {
        super(Refusals.shown(message));
        this.advice = advice;
        this.reason = reason;
    }

    /** What to do about it. */
    public Advice advice() {
        return advice;
    }

    /** The reason of the server's refusal, one of the table in PROTOCOL.md; empty without one. */
    public Optional<String> reason() {
        return Optional.ofNullable(reason);
    }

    /** The options, or the environment variables in their place, cannot be used. */
    public static final class InvalidOptions extends PlayException {
        private static final long serialVersionUID = 1;

        InvalidOptions(String message) {
            super(message, Advice.FIX, null);
        }
    }

    /** The server refused, and trying again does not help. */
    public static final class Refused extends PlayException {
        private static final long serialVersionUID = 1;
        private final transient Map<String, String> metadata;

        Refused(String reason, String message, Map<String, String> metadata, Advice advice) {
            super(
                    "the server refused: %s: %s (%s)".formatted(reason, message, advice.text),
                    advice,
                    reason);
            this.metadata = metadata;
        }

        /** Further facts, such as the scope that a key lacks. */
        public Map<String, String> metadata() {
            return metadata;
        }
    }

    /** No server answered in time, or a lost stream did not come back in time. */
    public static final class ServerLost extends PlayException {
        private static final long serialVersionUID = 1;

        ServerLost(String message, String reason) {
            super(message, Advice.RETRY, reason);
        }
    }

    /** The other side is no Bridgemaster server, or one that breaks the protocol. */
    public static final class BrokenProtocol extends PlayException {
        private static final long serialVersionUID = 1;

        BrokenProtocol(String message) {
            super(message, Advice.FIX, null);
        }
    }

    /** The match is over, and its seed is not the one that the server had committed to. */
    public static final class BrokenSeedCommitment extends PlayException {
        private static final long serialVersionUID = 1;
        private final MatchEnded ended;

        BrokenSeedCommitment(String commitment, MatchEnded ended) {
            super(
                    ("the server played another seed than it had committed to: the commitment was"
                                    + " %s, the seed revealed is \"%s\" with the salt \"%s\"")
                            .formatted(commitment, ended.getSeed(), ended.getSeedSalt()),
                    Advice.STOP,
                    null);
            this.ended = ended;
        }

        /** What the server said at the end, with the result. */
        public MatchEnded ended() {
            return ended;
        }
    }

    /** The bot kept answering one request with decisions that were refused. */
    public static final class NoLegalDecision extends PlayException {
        private static final long serialVersionUID = 1;
        private final DecisionRejected last;

        NoLegalDecision(int times, DecisionRejected last) {
            super(
                    "request %d was answered %d times with a decision that was refused; at last: %s"
                            .formatted(last.getRequestId(), times, Refusals.explanation(last)),
                    Advice.FIX,
                    Refusals.name(last));
            this.last = last;
        }

        /** The last refusal. */
        public DecisionRejected last() {
            return last;
        }
    }
}
