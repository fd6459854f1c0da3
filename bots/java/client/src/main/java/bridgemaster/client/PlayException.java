package bridgemaster.client;

import bridgemaster.v1.Play.DecisionRejected;
import bridgemaster.v1.Play.MatchEnded;
import java.util.Map;
import java.util.Optional;

/** An error that ended a match, or an attendance, early. Its message is one line. */
public sealed class PlayException extends Exception {
    private static final long serialVersionUID = 1;

    /** Advice on how to handle an error. */
    public enum Advice {
        /** Connect again, after a pause. */
        RETRY("try again later"),
        /** A retry fails in the same way: change the bot or its options. */
        FIX("fix the bot or its options"),
        /** Nothing is left to play on this seat. */
        STOP("nothing is left to play");

        private final String text;

        Advice(String text) {
            this.text = text;
        }
    }

    private final Advice advice;
    private final String reason;

    private PlayException(String message, Advice advice, String reason) {
        super(Refusals.escape(message));
        this.advice = advice;
        this.reason = reason;
    }

    /** Returns how to handle the error. */
    public Advice advice() {
        return advice;
    }

    /** Returns the reason of the server's refusal, from the table of refusals, if it refused. */
    public Optional<String> reason() {
        return Optional.ofNullable(reason);
    }

    /** The options, or the environment variables that replace them, are not valid. */
    public static final class InvalidOptions extends PlayException {
        private static final long serialVersionUID = 1;

        InvalidOptions(String message) {
            super(message, Advice.FIX, null);
        }
    }

    /** The server refused, and a retry does not help. */
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

        /** Returns details such as the scope that a key lacks, by name. */
        public Map<String, String> metadata() {
            return metadata;
        }
    }

    /** No server answered in time, or a lost stream could not be resumed in time. */
    public static final class ServerLost extends PlayException {
        private static final long serialVersionUID = 1;

        ServerLost(String message, String reason) {
            super(message, Advice.RETRY, reason);
        }
    }

    /** The connection failed because of a TLS mistake, such as an untrusted certificate. */
    public static final class TlsMistake extends PlayException {
        private static final long serialVersionUID = 1;

        TlsMistake(String message) {
            super(message, Advice.FIX, null);
        }
    }

    /** The peer is not a Bridgemaster server, or it breaks the protocol. */
    public static final class BrokenProtocol extends PlayException {
        private static final long serialVersionUID = 1;

        BrokenProtocol(String message) {
            super(message, Advice.FIX, null);
        }
    }

    /** The match has ended, and its seed does not match the server's commitment. */
    public static final class BrokenSeedCommitment extends PlayException {
        private static final long serialVersionUID = 1;
        private final MatchEnded ended;

        BrokenSeedCommitment(String commitment, MatchEnded ended) {
            super(
                    ("the revealed seed does not match the commitment: commitment \"%s\","
                                    + " seed \"%s\", salt \"%s\"")
                            .formatted(commitment, ended.getSeed(), ended.getSeedSalt()),
                    Advice.STOP,
                    null);
            this.ended = ended;
        }

        /** Returns the last message of the match, with the seed and the result. */
        public MatchEnded ended() {
            return ended;
        }
    }

    /** The bot answered one request with refused decisions too often. */
    public static final class NoLegalDecision extends PlayException {
        private static final long serialVersionUID = 1;
        private final DecisionRejected last;

        NoLegalDecision(int times, DecisionRejected last) {
            super(
                    "the server refused %d decisions for request %d; the last: %s"
                            .formatted(times, last.getRequestId(), Refusals.rejectionText(last)),
                    Advice.FIX,
                    Refusals.name(last));
            this.last = last;
        }

        /** Returns the refusal of the last decision. */
        public DecisionRejected last() {
            return last;
        }
    }
}
