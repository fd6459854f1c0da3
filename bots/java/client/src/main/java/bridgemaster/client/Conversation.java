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

/** What is known of a match, over all streams of its seat. Knows no network. */
final class Conversation {
    /** Revision of the protocol that this library speaks. */
    static final int PROTOCOL_REVISION = 1;

    /**
     * Refused answers to one request after which the bot is given up: it finds no legal one, and
     * going on would end as a flood.
     */
    static final int MAX_REFUSED_ANSWERS = 3;

    /** Does what a message calls for. */
    interface Reactions {
        void send(PlayRequest message);

        void ask(Request request);

        /** Tells the bot of a MatchStarted, a DecisionRejected or a SeatStatus. */
        void tell(PlayResponse response);

        void log(String line);
    }

    /** The newest request, until another replaces it. */
    private static final class Open {
        final Request request;
        PlayRequest answer;
        /** A lost stream may have swallowed what was sent on it. */
        boolean sentOnThisStream;

        int refusedAnswers;

        Open(Request request) {
            this.request = request;
        }
    }

    private record Seat(String matchId, int number) {}

    private final Options.Seating seating;
    private final Reactions reactions;
    private int lastSequence;
    /** From the first Welcome on. */
    private Seat seat;

    private String historyId = "";
    /** Empty until the start, and with a server that commits to nothing. */
    private String seedCommitment = "";
    /** Until the group of the match is over. */
    private boolean seedStaysSecret;

    private Open open;
    private boolean progressed;

    Conversation(Options.Seating seating, Reactions reactions) {
        this.seating = seating;
        this.reactions = reactions;
    }

    /** Whether a server ever welcomed this bot. */
    boolean wasWelcomed() {
        return seat != null;
    }

    /** Whether the stream in use has brought a message that counts. */
    boolean progressed() {
        return progressed;
    }

    /** Begins a stream; gives the Hello that it starts with. */
    PlayRequest hello() {
        progressed = false;
        if (open != null) {
            open.sentOnThisStream = false;
        }
        var hello =
                Hello.newBuilder()
                        .setProtocolRevision(PROTOCOL_REVISION)
                        .setBotName(seating.name())
                        .setBotVersion(seating.version())
                        .addAllGames(seating.games());
        if (lastSequence > 0) {
            hello.setLastSequence(lastSequence).setHistoryId(historyId);
        }
        return PlayRequest.newBuilder().setHello(hello).build();
    }

    /**
     * Takes the Welcome of a stream. The answer that the stream before may have lost is sent again:
     * the server ignores it if it had arrived. A server that does not go on where the bot left off
     * has lost the end of what was played, and with it goes all that is known of the course of the
     * match.
     */
    void welcome(Welcome welcome) throws BrokenProtocol {
        var told = new Seat(welcome.getMatchId(), welcome.getSeat());
        if (seat != null && !seat.equals(told)) {
            throw new BrokenProtocol("the ticket leads to another seat than before");
        }
        seat = told;
        historyId = welcome.getHistoryId();
        if (!welcome.getResumed()) {
            if (lastSequence > 0) {
                reactions.log("the server has lost what was played last: beginning anew");
            }
            lastSequence = 0;
            open = null;
        }
        sendAnswer();
    }

    /** Takes a message that came after the Welcome; gives the end of the match when that is it. */
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
                // Counted, below.
            }
        }
        if (Integer.compareUnsigned(response.getSequence(), lastSequence) <= 0) {
            // Sent again after a lost stream, or not counted. Only an open request matters twice.
            if (response.hasDecisionRequest()) {
                askedAgain(response.getDecisionRequest());
            }
            return null;
        }
        lastSequence = response.getSequence();
        progressed = true;
        switch (response.getMessageCase()) {
            case MATCH_STARTED -> {
                keepCommitment(response.getMatchStarted());
                reactions.tell(response);
            }
            case DECISION_REQUEST -> asked(response.getDecisionRequest());
            case DECISION_REJECTED -> {
                reactions.tell(response);
                rejected(response.getDecisionRejected());
            }
            case SEAT_STATUS -> reactions.tell(response);
            case MATCH_ENDED -> {
                checkSeed(response.getMatchEnded());
                return response.getMatchEnded();
            }
            default -> {
                // A kind of a newer server.
            }
        }
        return null;
    }

    /** Takes what the bot chose, and sends it if it is still wanted. */
    void answer(Request request, Choice choice) {
        if (open == null || open.request != request) {
            reactions.log(
                    "request " + request.message().getRequestId() + ": the answer came too late");
            return;
        }
        open.answer = choice.message(request.message().getRequestId());
        sendAnswer();
    }

    /** Sends the answer, if there is one that the stream in use has not carried. */
    private void sendAnswer() {
        if (open != null && open.answer != null && !open.sentOnThisStream) {
            open.sentOnThisStream = true;
            reactions.send(open.answer);
        }
    }

    private void keepCommitment(MatchStarted started) throws BrokenProtocol {
        if (!seedCommitment.isEmpty() && !seedCommitment.equals(started.getSeedCommitment())) {
            throw new BrokenProtocol(
                    "the server broke the protocol: the seed commitment changed");
        }
        seedCommitment = started.getSeedCommitment();
        var reveal = started.getConfig().getGroup().getSeedReveal();
        seedStaysSecret = reveal == SeedReveal.SEED_REVEAL_WITH_GROUP;
    }

    private void checkSeed(MatchEnded ended) throws BrokenSeedCommitment {
        boolean isSecret = ended.getSeed().isEmpty() && ended.getSeedSalt().isEmpty();
        if (seedCommitment.isEmpty() || (seedStaysSecret && isSecret)) {
            return;
        }
        if (!seedCommitment.equals(seedCommitment(ended.getSeed(), ended.getSeedSalt()))) {
            throw new BrokenSeedCommitment(seedCommitment, ended);
        }
    }

    /** Computes the commitment to a seed, given its salt in hex; null when that is no hex. */
    static String seedCommitment(String seed, String seedSalt) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(HexFormat.of().parseHex(seedSalt));
            digest.update(seed.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest.digest());
        } catch (IllegalArgumentException noHex) {
            return null;
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java has SHA-256", impossible);
        }
    }

    private void asked(DecisionRequest message) {
        if (open != null
                && Integer.compareUnsigned(message.getRequestId(), openRequestId()) <= 0) {
            askedAgain(message);
            return;
        }
        int number = Objects.requireNonNull(seat, "asked after the Welcome").number();
        open = new Open(new Request(message, number, System.nanoTime()));
        reactions.ask(open.request);
    }

    /** Takes a request that is known. The bot is not asked twice: it may still be thinking. */
    private void askedAgain(DecisionRequest message) {
        if (open != null && message.getRequestId() == openRequestId()) {
            sendAnswer();
        }
    }

    private void rejected(DecisionRejected rejected) throws NoLegalDecision {
        reactions.log(
                "request %d: refused: %s"
                        .formatted(rejected.getRequestId(), Refusals.explanation(rejected)));
        if (open == null
                || rejected.getRequestId() != openRequestId()
                || rejected.getOpenRequestId() != openRequestId()) {
            return;
        }
        open.answer = null;
        open.sentOnThisStream = false;
        open.refusedAnswers += 1;
        if (open.refusedAnswers >= MAX_REFUSED_ANSWERS) {
            throw new NoLegalDecision(open.refusedAnswers, rejected);
        }
        reactions.ask(open.request);
    }

    private int openRequestId() {
        return open.request.message().getRequestId();
    }
}
