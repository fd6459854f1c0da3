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

/** The refusals of docs/reference/refusals.md, and advice on how to handle them. */
final class Refusals {
    private static final String DOMAIN = "bridgemaster";
    private static final String PREFIX = "REFUSAL_REASON_";

    /** Codes of temporary failures, for a reason that only newer servers use. */
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

    /** A stream ended before the match did; a retry might help. */
    static final class StreamLost extends Exception {
        private static final long serialVersionUID = 1;
        /** The reason of the refusal; null if there was none. */
        final String reason;

        StreamLost(String message, String reason) {
            super(escape(message));
            this.reason = reason;
        }
    }

    /** Throws the exception for a gRPC failure: StreamLost if a retry might help. */
    static void throwFor(Throwable failure) throws StreamLost, PlayException {
        Status status = Status.fromThrowable(failure);
        String message = status.getDescription() == null ? "" : status.getDescription();
        ErrorInfo info = errorInfo(failure);
        if (info == null) {
            // The status comes from the transport or from an intermediary, such as a proxy.
            var text = new StringBuilder(status.getCode() + ": " + message);
            for (var cause = status.getCause(); cause != null; cause = cause.getCause()) {
                if (cause instanceof NoClassDefFoundError missing) {
                    throw missingClass(missing);
                }
                text.append(": ").append(cause);
            }
            if (!CODES_TO_RETRY.contains(status.getCode())) {
                text.append(" (not an answer of a Bridgemaster server; check the address and")
                        .append(" proxies)");
            }
            throw new StreamLost(text.toString(), null);
        }
        Advice advice = advice(info.getReason(), status.getCode());
        if (advice == Advice.RETRY) {
            throw new StreamLost(info.getReason() + ": " + message, info.getReason());
        }
        throw new PlayException.Refused(info.getReason(), message, info.getMetadataMap(), advice);
    }

    /** Returns the exception for a class that the jar of the program lacks. */
    static PlayException.InvalidOptions missingClass(NoClassDefFoundError error) {
        return new PlayException.InvalidOptions(
                "the jar of the program lacks the class %s; a single jar needs all dependencies,"
                                .formatted(error.getMessage())
                        + " without minimizeJar in maven-shade-plugin");
    }

    static Advice advice(String reason, Status.Code code) {
        var value = RefusalReason.getDescriptor().findValueByName(PREFIX + reason);
        if (value == null) {
            // Only newer servers use this reason.
            return CODES_TO_RETRY.contains(code) ? Advice.RETRY : Advice.FIX;
        }
        return switch (value.getOptions().getExtension(bridgemaster.v1.Refusal.advice)) {
            case REFUSAL_ADVICE_RETRY -> Advice.RETRY;
            case REFUSAL_ADVICE_STOP -> Advice.STOP;
            default -> Advice.FIX;
        };
    }

    /** Returns the name of a reason, or its number if only newer servers use it. */
    static String name(DecisionRejected rejected) {
        RefusalReason reason = rejected.getReason();
        return reason == RefusalReason.UNRECOGNIZED
                ? "reason " + rejected.getReasonValue()
                : reason.name().substring(PREFIX.length());
    }

    /** Returns the reason for a refused decision, as one line for people. */
    static String rejectionText(DecisionRejected rejected) {
        return escape(
                "%s at \"%s\": %s"
                        .formatted(name(rejected), rejected.getField(), rejected.getDetail()));
    }

    /**
     * Returns text on one line. Escapes characters that are not printable, so that text from
     * outside cannot control the terminal.
     */
    static String escape(String text) {
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

    /** Reads the reason from the details of a status; null if there is none of this domain. */
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
            } catch (InvalidProtocolBufferException otherServer) {
                return null;
            }
        }
        return null;
    }
}
