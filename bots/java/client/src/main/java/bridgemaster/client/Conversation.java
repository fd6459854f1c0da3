package bridgemaster.client;

import bridgemaster.client.PlayException.BrokenProtocol;
import bridgemaster.client.PlayException.BrokenSeedCommitment;
import bridgemaster.client.PlayException.NoLegalDecision;
import bridgemaster.v1.Match.SeedReveal;
import bridgemaster.v1.Play.DecisionRejected;
import bridgemaster.v1.Play.DecisionRequest;
import bridgemaster.v1.Play.Hello;
import bridgemaster.v1.Play.MatchEnded;
import bridgemaster.v1.Play.MatchStarted;
import bridgemaster.v1.Play.PlayRequest;
import bridgemaster.v1.Play.PlayResponse;
import bridgemaster.v1.Play.Pong;
import bridgemaster.v1.Play.Welcome;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.UUID;

/** The conversation of one seat, across all of its streams. Does no I/O. */
final class Conversation {
    /** The protocol revision that this library implements. */
    static final int PROTOCOL_REVISION = 1;

    /**
     * The number of refused answers to one request after which the match is abandoned: the bot does
     * not find a legal decision, and further attempts would only flood the server.
     */
    static final int MAX_REFUSED_ANSWERS = 3;

    /** Carries out the reactions to messages and answers. */
    interface Reactions {
        void send(PlayRequest message);

        void decide(Request request);

        /** Cancels a request: its answer is no longer needed. */
        void cancel(Request request);

        /** Passes a MatchStarted, a DecisionRejected or a SeatStatus to the bot. */
        void notifyBot(PlayResponse response);

        void log(String line);
    }

    /** The newest request, until the next one replaces it. */
    private static final class OpenRequest {
        final Request request;
        PlayRequest answer;
        /**
         * Set once the answer is sent on the current stream. An answer sent on a lost stream may be
         * lost.
         */
        boolean sentOnCurrentStream;

        int refusedAnswers;

        OpenRequest(Request request) {
            this.request = request;
        }
    }

    private record Seat(String matchId, int number) {}

    private final Options.Resolved options;
    private final Reactions reactions;
    /** With the number of a stream, lets the server ignore a Hello that arrives late. */
    private final String clientInstanceId = UUID.randomUUID().toString();

    /** The number of the last stream. */
    private int streamNumber;

    private int lastSequence;
    /** Null before the first Welcome. */
    private Seat seat;

    private String historyId = "";
    /** The commitment to the seed; empty before MatchStarted, or if the server makes none. */
    private String seedCommitment = "";
    /** The seed is revealed with the match group, which can end later than the match. */
    private boolean seedRevealedWithGroup;

    private OpenRequest open;
    private boolean progressed;

    Conversation(Options.Resolved options, Reactions reactions) {
        this.options = options;
        this.reactions = reactions;
    }

    /** Returns whether any stream has received a Welcome. */
    boolean wasWelcomed() {
        return seat != null;
    }

    /** Returns whether the current stream has received a numbered message. */
    boolean progressed() {
        return progressed;
    }

    /** Starts a new stream and returns its Hello. */
    PlayRequest hello() {
        progressed = false;
        if (open != null) {
            open.sentOnCurrentStream = false;
        }
        var hello =
                Hello.newBuilder()
                        .setProtocolRevision(PROTOCOL_REVISION)
                        .setBotName(options.name())
                        .setBotVersion(options.version())
                        .addAllGames(options.games())
                        .setClientInstanceId(clientInstanceId)
                        .setStreamNumber(++streamNumber);
        if (lastSequence > 0) {
            hello.setLastSequence(lastSequence).setHistoryId(historyId);
        }
        return PlayRequest.newBuilder().setHello(hello).build();
    }

    /**
     * Processes the Welcome of a stream. Sends again the answer that the previous stream may have
     * lost; the server ignores a duplicate. If the server does not resume, it has lost the last
     * part of the match, and the state of the match is reset.
     */
    void welcome(Welcome welcome) throws BrokenProtocol {
        var welcomedSeat = new Seat(welcome.getMatchId(), welcome.getSeat());
        if (seat != null && !seat.equals(welcomedSeat)) {
            throw new BrokenProtocol("the ticket now belongs to a different seat");
        }
        seat = welcomedSeat;
        historyId = welcome.getHistoryId();
        if (!welcome.getResumed()) {
            if (lastSequence > 0) {
                reactions.log("the server lost the last part of the match; starting over");
            }
            lastSequence = 0;
            cancel();
        }
        sendUnsentAnswer();
    }

    /** Processes a message after the Welcome; returns the end of the match, or null. */
    MatchEnded receive(PlayResponse response) throws PlayException {
        switch (response.getMessageCase()) {
            case PING -> {
                var pong = Pong.newBuilder().setNonce(response.getPing().getNonce());
                reactions.send(PlayRequest.newBuilder().setPong(pong).build());
                return null;
            }
            case DRAINING -> {
                return null;
            }
            case WELCOME ->
                    throw new BrokenProtocol(
                            "the server broke the protocol: a second Welcome on one stream");
            default -> {
                // A numbered message, processed below.
            }
        }
        if (Integer.compareUnsigned(response.getSequence(), lastSequence) <= 0) {
            // The message is repeated after a lost stream, or not numbered. Only an open request is
            // handled again.
            if (response.hasDecisionRequest()) {
                requestRepeated(response.getDecisionRequest());
            }
            return null;
        }
        lastSequence = response.getSequence();
        progressed = true;
        switch (response.getMessageCase()) {
            case MATCH_STARTED -> {
                started(response.getMatchStarted());
                reactions.notifyBot(response);
            }
            case DECISION_REQUEST -> requested(response.getDecisionRequest());
            case DECISION_REJECTED -> {
                reactions.notifyBot(response);
                rejected(response.getDecisionRejected());
            }
            case SEAT_STATUS -> reactions.notifyBot(response);
            case MATCH_ENDED -> {
                cancel();
                checkSeed(response.getMatchEnded());
                return response.getMatchEnded();
            }
            default -> {
                // A message kind that only newer servers send.
            }
        }
        return null;
    }

    /** Cancels the open request, if any: its answer is no longer needed. */
    void cancel() {
        if (open != null) {
            reactions.cancel(open.request);
            open = null;
        }
    }

    /** Records an answer of the bot, and sends it if its request is still open. */
    void answer(Request request, Choice choice) {
        if (open == null || open.request != request) {
            int requestId = request.message().getRequestId();
            reactions.log("request " + requestId + ": answer ignored: the request is not open");
            return;
        }
        open.answer = choice.message(request.message().getRequestId());
        sendUnsentAnswer();
    }

    /** Sends the answer, unless there is none or the current stream has sent it. */
    private void sendUnsentAnswer() {
        if (open != null && open.answer != null && !open.sentOnCurrentStream) {
            open.sentOnCurrentStream = true;
            reactions.send(open.answer);
        }
    }

    private void started(MatchStarted started) throws BrokenProtocol {
        if (!seedCommitment.isEmpty() && !seedCommitment.equals(started.getSeedCommitment())) {
            throw new BrokenProtocol(
                    "the server broke the protocol: the seed commitment changed");
        }
        seedCommitment = started.getSeedCommitment();
        var reveal = started.getConfig().getGroup().getSeedReveal();
        seedRevealedWithGroup = reveal == SeedReveal.SEED_REVEAL_WITH_GROUP;
    }

    private void checkSeed(MatchEnded ended) throws BrokenSeedCommitment {
        boolean isWithheld = ended.getSeed().isEmpty() && ended.getSeedSalt().isEmpty();
        if (seedCommitment.isEmpty() || (seedRevealedWithGroup && isWithheld)) {
            return;
        }
        if (!seedCommitment.equals(seedCommitment(ended.getSeed(), ended.getSeedSalt()))) {
            throw new BrokenSeedCommitment(seedCommitment, ended);
        }
    }

    /** Computes the commitment to a seed; null if the salt is not valid hex. */
    static String seedCommitment(String seed, String seedSalt) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(HexFormat.of().parseHex(seedSalt));
            digest.update(seed.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest.digest());
        } catch (IllegalArgumentException invalidHex) {
            return null;
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java runtime has SHA-256", impossible);
        }
    }

    private void requested(DecisionRequest message) {
        if (open != null
                && Integer.compareUnsigned(message.getRequestId(), openRequestId()) <= 0) {
            requestRepeated(message);
            return;
        }
        cancel();
        int number = Objects.requireNonNull(seat, "a request follows the Welcome").number();
        open = new OpenRequest(new Request(message, number, System.nanoTime()));
        reactions.decide(open.request);
    }

    /**
     * Processes a repeated request. Decide is not called again, because the first call may still be
     * running.
     */
    private void requestRepeated(DecisionRequest message) {
        if (open != null && message.getRequestId() == openRequestId()) {
            sendUnsentAnswer();
        }
    }

    private void rejected(DecisionRejected rejected) throws NoLegalDecision {
        reactions.log(
                "request %d: refused: %s"
                        .formatted(rejected.getRequestId(), Refusals.rejectionText(rejected)));
        if (open == null
                || rejected.getRequestId() != openRequestId()
                || rejected.getOpenRequestId() != openRequestId()) {
            return;
        }
        open.answer = null;
        open.sentOnCurrentStream = false;
        open.refusedAnswers += 1;
        if (open.refusedAnswers >= MAX_REFUSED_ANSWERS) {
            throw new NoLegalDecision(open.refusedAnswers, rejected);
        }
        reactions.decide(open.request);
    }

    private int openRequestId() {
        return open.request.message().getRequestId();
    }
}
