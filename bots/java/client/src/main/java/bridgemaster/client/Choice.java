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
    private final GameDecision decision;
    private final String note;

    private Choice(int index, GameDecision decision, String note) {
        this.index = index;
        this.decision = decision;
        this.note = note;
    }

    /** Chooses by an index into the legal decisions, from 0. */
    public static Choice index(int index) {
        if (index < 0) {
            throw new IllegalArgumentException("index " + index + " must not be negative");
        }
        return new Choice(index, null, "");
    }

    /** Chooses a complete decision: a Decision of a game, or a GameDecision. */
    public static Choice decision(Message decision) {
        if (decision instanceof GameDecision gameDecision) {
            return new Choice(0, gameDecision, "");
        }
        for (FieldDescriptor field : GameDecision.getDescriptor().getFields()) {
            if (field.getMessageType().equals(decision.getDescriptorForType())) {
                var gameDecision = GameDecision.newBuilder().setField(field, decision);
                return new Choice(0, gameDecision.build(), "");
            }
        }
        throw new IllegalArgumentException(
                decision.getDescriptorForType().getFullName() + " is not a decision");
    }

    /** Resigns the match: the seat forfeits and takes the last place. */
    public static Choice resign() {
        return RESIGN;
    }

    /**
     * Returns this choice with the bot's comment on the position, for people who read the replay:
     * at most 1 KiB. The note has no effect on the game, and other bots do not see it. A note that
     * the server does not accept is dropped.
     */
    public Choice withNote(String note) {
        return this == RESIGN ? this : new Choice(index, decision, note);
    }

    /** Returns the message that carries the choice. */
    PlayRequest message(int requestId) {
        if (this == RESIGN) {
            return PlayRequest.newBuilder().setResign(Resign.getDefaultInstance()).build();
        }
        var message = Decision.newBuilder().setRequestId(requestId).setNote(note);
        if (decision != null) {
            message.setDecision(decision);
        } else {
            message.setIndex(index);
        }
        return PlayRequest.newBuilder().setDecision(message).build();
    }
}
