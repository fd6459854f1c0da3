package bridgemaster.client;

import bridgemaster.v1.Play.PlayRequest;
import bridgemaster.v1.Play.PlayResponse;
import bridgemaster.v1.PlayServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.util.function.Consumer;

/** One stream of a seat, and the connection below it. */
final class Stream {
    /** What came: one of the two is set, or none at the end of the stream. */
    record Came(Stream stream, PlayResponse response, Throwable failure) {}

    private final ManagedChannel channel;
    private final StreamObserver<PlayRequest> outbound;

    /** Opens the stream, with the Hello as its first message; what comes goes to the consumer. */
    Stream(Place place, Metadata metadata, PlayRequest hello, Consumer<Object> happened) {
        channel = place.connection();
        var headers = MetadataUtils.newAttachHeadersInterceptor(metadata);
        outbound =
                PlayServiceGrpc.newStub(channel)
                        .withInterceptors(headers)
                        .play(new Inbound(happened));
        send(hello);
    }

    /** Reads at once whatever comes, also while the bot thinks. */
    private final class Inbound implements StreamObserver<PlayResponse> {
        private final Consumer<Object> happened;

        Inbound(Consumer<Object> happened) {
            this.happened = happened;
        }

        @Override
        public void onNext(PlayResponse response) {
            happened.accept(new Came(Stream.this, response, null));
        }

        @Override
        public void onError(Throwable failure) {
            happened.accept(new Came(Stream.this, null, failure));
        }

        @Override
        public void onCompleted() {
            happened.accept(new Came(Stream.this, null, null));
        }
    }

    /** Sends a message. Why a stream takes no more is what comes on it. */
    void send(PlayRequest message) {
        try {
            outbound.onNext(message);
        } catch (IllegalStateException over) {
            // The stream is over; its end is on the way.
        }
    }

    /** Closes our half. */
    void end() {
        try {
            outbound.onCompleted();
        } catch (IllegalStateException over) {
            // The stream is over; its end is on the way.
        }
    }

    /** Closes the connection. */
    void close() {
        channel.shutdownNow();
    }
}
