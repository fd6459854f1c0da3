package bridgemaster.client;

import bridgemaster.v1.Game.GameDecision;
import bridgemaster.v1.Play.Decision;
import bridgemaster.v1.Play.PlayRequest;
import bridgemaster.v1.Play.Resign;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;

/** The answer to a request. */
public final class Choice {
    private static final Choice RESIGN = new Choice(0, null, "");

    private final int index;
    private final GameDecision full;
    private final String note;

    private Choice(int index, GameDecision full, String note) {
        this.index = index;
        this.full = full;
        this.note = note;
    }

    /** Chooses by the position in the list of legal decisions, from 0. */
    public static Choice index(int index) {
        if (index < 0) {
            throw new IllegalArgumentException("an index counts from 0, and is not " + index);
        }
        return new Choice(index, null, "");
    }

    /** Chooses a decision in full: a Decision of a game, or a GameDecision. */
    public static Choice full(Message decision) {
        if (decision instanceof GameDecision whole) {
            return new Choice(0, whole, "");
        }
        for (FieldDescriptor entry : GameDecision.getDescriptor().getFields()) {
            if (entry.getMessageType().equals(decision.getDescriptorForType())) {
                var full = GameDecision.newBuilder().setField(entry, decision);
                return new Choice(0, full.build(), "");
            }
        }
        throw new IllegalArgumentException(
                decision.getDescriptorForType().getFullName() + " is no decision");
    }

    /** Gives the match up: the seat forfeits and takes the last place. */
    public static Choice resign() {
        return RESIGN;
    }

    /**
     * The same with what the bot thinks of the position, for people who read the replay: at most
     * 1 KiB, which no rule and no other bot reads. A note that the server does not keep is dropped.
     */
    public Choice withNote(String note) {
        return this == RESIGN ? this : new Choice(index, full, note);
    }

    /** What to send. */
    PlayRequest message(int requestId) {
        if (this == RESIGN) {
            return PlayRequest.newBuilder().setResign(Resign.getDefaultInstance()).build();
        }
        var decision = Decision.newBuilder().setRequestId(requestId).setNote(note);
        if (full != null) {
            decision.setDecision(full);
        } else {
            decision.setIndex(index);
        }
        return PlayRequest.newBuilder().setDecision(decision).build();
    }
}
