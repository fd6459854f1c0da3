package bridgemaster.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import bridgemaster.v1.LobbyServiceGrpc;
import bridgemaster.v1.LobbyServiceOuterClass.AttendRequest;
import bridgemaster.v1.LobbyServiceOuterClass.AttendResponse;
import bridgemaster.v1.LobbyServiceOuterClass.DeclineOfferRequest;
import bridgemaster.v1.LobbyServiceOuterClass.DeclineOfferResponse;
import bridgemaster.v1.LobbyServiceOuterClass.UpdateAttendanceRequest;
import bridgemaster.v1.LobbyServiceOuterClass.UpdateAttendanceResponse;
import bridgemaster.v1.Match.MatchResult;
import bridgemaster.v1.Play.Decision;
import bridgemaster.v1.Play.DecisionRejected;
import bridgemaster.v1.Play.DecisionRequest;
import bridgemaster.v1.Play.Hello;
import bridgemaster.v1.Play.MatchEnded;
import bridgemaster.v1.Play.MatchStarted;
import bridgemaster.v1.Play.Ping;
import bridgemaster.v1.Play.PlayRequest;
import bridgemaster.v1.Play.PlayResponse;
import bridgemaster.v1.Play.Welcome;
import bridgemaster.v1.PlayServiceGrpc;
import bridgemaster.v1.Refusal.RefusalReason;
import com.google.protobuf.Any;
import com.google.rpc.ErrorInfo;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A server on the loopback interface whose messages are controlled by the test. */
final class ScriptedServer implements AutoCloseable {
    static final String HISTORY_ID = "00112233445566778899aabbccddeeff";
    static final String SEED = "london-1209";
    static final String SALT = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    /** The commitment to SEED with SALT: the book's example match. */
    static final String COMMITMENT =
            "fb68e9b2871847c68a016f69b6f578dccf4bcc570460ba524a4063228775796f";
    /** Time limit of every wait of a test; far more than needed. */
    static final int TIMEOUT_S = 30;

    private static final PlayRequest HALF_CLOSED = PlayRequest.getDefaultInstance();

    final BlockingQueue<PlayStream> streams = new LinkedBlockingQueue<>();
    final BlockingQueue<Attending> attendances = new LinkedBlockingQueue<>();
    /** The metadata of each call. */
    final BlockingQueue<Metadata> metadata = new LinkedBlockingQueue<>();

    /** The numbers of busy slots that an attending bot has reported. */
    final BlockingQueue<Integer> busySlots = new LinkedBlockingQueue<>();
    /** The offers that it has declined. */
    final BlockingQueue<String> declined = new LinkedBlockingQueue<>();

    private final Server server;

    ScriptedServer() throws IOException {
        server =
                NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                        .addService(new Play())
                        .addService(new Lobby())
                        .intercept(new MetadataRecorder())
                        .build()
                        .start();
    }

    String address() {
        return "http://" + target();
    }

    /** Returns the address as HOST:PORT. */
    String target() {
        return "127.0.0.1:" + server.getPort();
    }

    @Override
    public void close() {
        server.shutdownNow();
    }

    /** Returns the next stream after sending its Welcome; the stream has the Hello of the bot. */
    PlayStream welcomedStream(boolean resumed) throws InterruptedException {
        PlayStream stream = await(streams);
        PlayRequest first = stream.receive();
        assertTrue(first.hasHello(), "the first message is not a Hello");
        stream.hello = first.getHello();
        var welcome =
                Welcome.newBuilder()
                        .setProtocolRevision(1)
                        .setMatchId("match-7")
                        .setSeat(1)
                        .setPingIntervalMs(60_000)
                        .setHistoryId(HISTORY_ID)
                        .setResumed(resumed && stream.hello.hasLastSequence());
        stream.send(PlayResponse.newBuilder().setWelcome(welcome));
        return stream;
    }

    static <T> T await(BlockingQueue<T> queue) throws InterruptedException {
        T item = queue.poll(TIMEOUT_S, TimeUnit.SECONDS);
        assertNotNull(item, "timed out");
        return item;
    }

    static PlayResponse.Builder decisionRequest(int sequence, int requestId) {
        var request = DecisionRequest.newBuilder().setRequestId(requestId).setLegalCount(9);
        return PlayResponse.newBuilder().setSequence(sequence).setDecisionRequest(request);
    }

    static PlayResponse.Builder matchStarted(int sequence, String commitment) {
        var started = MatchStarted.newBuilder().setSeedCommitment(commitment);
        return PlayResponse.newBuilder().setSequence(sequence).setMatchStarted(started);
    }

    static PlayResponse.Builder decisionRejected(int sequence, int requestId) {
        var rejected =
                DecisionRejected.newBuilder()
                        .setRequestId(requestId)
                        .setOpenRequestId(requestId)
                        .setField("index")
                        .setDetail("0 to 8")
                        .setReason(RefusalReason.REFUSAL_REASON_INDEX_OUT_OF_RANGE);
        return PlayResponse.newBuilder().setSequence(sequence).setDecisionRejected(rejected);
    }

    static PlayResponse.Builder matchEnded(int sequence, String seed, String salt) {
        var result = MatchResult.newBuilder().setMatchId("match-7").setDecisions(99);
        var ended = MatchEnded.newBuilder().setResult(result).setSeed(seed).setSeedSalt(salt);
        return PlayResponse.newBuilder().setSequence(sequence).setMatchEnded(ended);
    }

    static PlayResponse.Builder ping(long nonce) {
        return PlayResponse.newBuilder().setPing(Ping.newBuilder().setNonce(nonce));
    }

    /** Returns an error status; without a reason if {@code reason} is empty. */
    static Throwable refusal(Status.Code code, String reason) {
        return refusal(code, reason, "hint", "x");
    }

    private static Throwable refusal(
            Status.Code code, String reason, String entry, String value) {
        var status =
                com.google.rpc.Status.newBuilder().setCode(code.value()).setMessage("why\u001b[2J");
        if (!reason.isEmpty()) {
            var info =
                    ErrorInfo.newBuilder()
                            .setReason(reason)
                            .setDomain("bridgemaster")
                            .putMetadata(entry, value);
            status.addDetails(Any.pack(info.build()));
        }
        return StatusProto.toStatusRuntimeException(status.build());
    }

    private final class MetadataRecorder implements ServerInterceptor {
        @Override
        public <Q, R> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
            metadata.add(headers);
            return next.startCall(call, headers);
        }
    }

    private final class Play extends PlayServiceGrpc.PlayServiceImplBase {
        @Override
        public StreamObserver<PlayRequest> play(StreamObserver<PlayResponse> outbound) {
            var stream = new PlayStream(outbound);
            streams.add(stream);
            return stream;
        }
    }

    private final class Lobby extends LobbyServiceGrpc.LobbyServiceImplBase {
        @Override
        public void attend(AttendRequest request, StreamObserver<AttendResponse> outbound) {
            attendances.add(new Attending(request, outbound));
        }

        @Override
        public void updateAttendance(
                UpdateAttendanceRequest request,
                StreamObserver<UpdateAttendanceResponse> outbound) {
            busySlots.add(request.getBusySlots());
            outbound.onError(Status.UNAVAILABLE.asRuntimeException());
        }

        @Override
        public void declineOffer(
                DeclineOfferRequest request, StreamObserver<DeclineOfferResponse> outbound) {
            declined.add(request.getOfferId());
            // The offer has expired.
            outbound.onError(Status.NOT_FOUND.asRuntimeException());
        }
    }

    /** The server side of a bot's attendance. */
    record Attending(AttendRequest request, StreamObserver<AttendResponse> outbound) {}

    /** The server side of a bot's stream. */
    static final class PlayStream implements StreamObserver<PlayRequest> {
        Hello hello;
        private final BlockingQueue<PlayRequest> received = new LinkedBlockingQueue<>();
        private final StreamObserver<PlayResponse> outbound;

        PlayStream(StreamObserver<PlayResponse> outbound) {
            this.outbound = outbound;
        }

        @Override
        public void onNext(PlayRequest request) {
            received.add(request);
        }

        @Override
        public void onError(Throwable gone) {
            received.add(HALF_CLOSED);
        }

        @Override
        public void onCompleted() {
            received.add(HALF_CLOSED);
        }

        void send(PlayResponse.Builder response) {
            outbound.onNext(response.build());
        }

        PlayRequest receive() throws InterruptedException {
            return await(received);
        }

        /** Checks that the next message answers this request with this index. */
        void expectDecision(int requestId, int index) throws InterruptedException {
            var expected = Decision.newBuilder().setRequestId(requestId).setIndex(index).build();
            assertEquals(expected, receive().getDecision());
        }

        void fail(Status.Code code, String reason) {
            outbound.onError(refusal(code, reason));
        }

        void end() {
            outbound.onCompleted();
        }

        /** Ends the match; the bot must close the stream in order. */
        void finish(int sequence) throws InterruptedException {
            send(matchEnded(sequence, "", ""));
            assertEquals(HALF_CLOSED, receive());
            end();
        }
    }
}
