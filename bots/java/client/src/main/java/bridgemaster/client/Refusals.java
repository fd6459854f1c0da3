package bridgemaster.client;

import bridgemaster.client.PlayException.Advice;
import bridgemaster.v1.Play.DecisionRejected;
import bridgemaster.v1.Refusal.RefusalReason;
import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.ErrorInfo;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.util.EnumSet;
import java.util.Set;

/** The refusals of PROTOCOL.md, and what to do about them. */
final class Refusals {
    private static final String DOMAIN = "bridgemaster";
    private static final String PREFIX = "REFUSAL_REASON_";
    /** The refusal of what another server has; its metadata names that. */
    static final String MOVED = "MOVED";

    static final String MOVED_TO = "address";

    /** The reasons that PROTOCOL.md marks with retry. */
    private static final Set<String> TO_RETRY =
            Set.of(
                    "HELLO_LATE",
                    "SLOW_CONSUMER",
                    "LIMIT_REACHED",
                    "SERVER_STOPPING",
                    "STORAGE_FAILED",
                    "MATCH_RUNNING",
                    "GROUP_RUNNING",
                    MOVED,
                    "NODE_SUPERSEDED",
                    "ATTENDANCE_UNKNOWN",
                    "BOT_NOT_AVAILABLE",
                    "KEYS_UNREADABLE");

    /** The reasons that PROTOCOL.md marks with stop. */
    private static final Set<String> TO_STOP =
            Set.of(
                    "SUPERSEDED",
                    "SEAT_CLOSED",
                    "MATCH_CANCELLED",
                    "MATCH_ENDED",
                    "OFFER_UNKNOWN",
                    "LADDER_CLOSED",
                    "REPLAY_FORGOTTEN",
                    "DATA_DAMAGED");

    /** What a broken connection looks like, for a status without a reason that is known here. */
    private static final Set<Status.Code> CODES_TO_RETRY =
            EnumSet.of(
                    Status.Code.UNAVAILABLE,
                    Status.Code.UNKNOWN,
                    Status.Code.INTERNAL,
                    Status.Code.CANCELLED,
                    Status.Code.ABORTED,
                    Status.Code.DEADLINE_EXCEEDED,
                    Status.Code.RESOURCE_EXHAUSTED);

    private Refusals() {}

    /** A stream ended before the match did; another one may carry on. */
    static final class StreamLost extends Exception {
        private static final long serialVersionUID = 1;
        /** That of the refusal; null without one. */
        final String reason;
        /** Where the server sends the caller, as HOST:PORT; null when it does not. */
        final String movedTo;

        StreamLost(String message, String reason) {
            this(message, reason, null);
        }

        StreamLost(String message, String reason, String movedTo) {
            super(shown(message));
            this.reason = reason;
            this.movedTo = movedTo;
        }
    }

    /** Throws what a failure of gRPC means: a StreamLost when trying again may help. */
    static void raise(Throwable failure) throws StreamLost, PlayException {
        Status status = Status.fromThrowable(failure);
        String message = status.getDescription() == null ? "" : status.getDescription();
        ErrorInfo info = errorInfo(failure);
        if (info == null) {
            String text = status.getCode() + ": " + message;
            if (CODES_TO_RETRY.contains(status.getCode())) {
                throw new StreamLost(text, null);
            }
            throw new PlayException.BrokenProtocol(
                    "the call failed; is this a Bridgemaster server? " + text);
        }
        Advice advice = advice(info.getReason(), status.getCode());
        if (advice == Advice.RETRY) {
            String movedTo =
                    info.getReason().equals(MOVED) ? info.getMetadataMap().get(MOVED_TO) : null;
            throw new StreamLost(info.getReason() + ": " + message, info.getReason(), movedTo);
        }
        throw new PlayException.Refused(info.getReason(), message, info.getMetadataMap(), advice);
    }

    static Advice advice(String reason, Status.Code code) {
        if (!isKnown(reason)) {
            // A reason of a newer server.
            return CODES_TO_RETRY.contains(code) ? Advice.RETRY : Advice.FIX;
        }
        if (TO_RETRY.contains(reason)) {
            return Advice.RETRY;
        }
        return TO_STOP.contains(reason) ? Advice.STOP : Advice.FIX;
    }

    static boolean isKnown(String reason) {
        return RefusalReason.getDescriptor().findValueByName(PREFIX + reason) != null;
    }

    /** The name of a reason, or its number if a newer server sent it. */
    static String name(DecisionRejected rejected) {
        RefusalReason reason = rejected.getReason();
        return reason == RefusalReason.UNRECOGNIZED
                ? "reason " + rejected.getReasonValue()
                : reason.name().substring(PREFIX.length());
    }

    /** Why a decision was refused, for people. */
    static String explanation(DecisionRejected rejected) {
        return shown(
                "%s at \"%s\": %s"
                        .formatted(name(rejected), rejected.getField(), rejected.getDetail()));
    }

    /** Gives text on one line, so that text from outside cannot take over a terminal. */
    static String shown(String text) {
        var line = new StringBuilder();
        text.codePoints()
                .forEach(
                        point -> {
                            switch (Character.getType(point)) {
                                case Character.CONTROL,
                                        Character.FORMAT,
                                        Character.SURROGATE,
                                        Character.PRIVATE_USE,
                                        Character.UNASSIGNED,
                                        Character.LINE_SEPARATOR,
                                        Character.PARAGRAPH_SEPARATOR ->
                                        line.append("\\u{%x}".formatted(point));
                                default -> line.appendCodePoint(point);
                            }
                        });
        return line.toString();
    }

    /** The reason in the details of a status, or null. */
    private static ErrorInfo errorInfo(Throwable failure) {
        if (!(failure instanceof StatusRuntimeException)) {
            return null;
        }
        var status = StatusProto.fromThrowable(failure);
        if (status == null) {
            return null;
        }
        for (Any detail : status.getDetailsList()) {
            try {
                if (detail.is(ErrorInfo.class)) {
                    ErrorInfo info = detail.unpack(ErrorInfo.class);
                    if (info.getDomain().equals(DOMAIN)) {
                        return info;
                    }
                }
            } catch (InvalidProtocolBufferException notOurs) {
                return null;
            }
        }
        return null;
    }
}
