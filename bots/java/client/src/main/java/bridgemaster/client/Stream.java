package bridgemaster.client;

import bridgemaster.v1.Play.PlayRequest;
import bridgemaster.v1.Play.PlayResponse;
import bridgemaster.v1.PlayServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.util.function.Consumer;

/** One stream of a seat, with its own connection. */
final class Stream {
    /** An event: a message, the failure of the stream, or neither for its regular end. */
    record Event(Stream stream, PlayResponse response, Throwable failure) {}

    private final ManagedChannel channel;
    private final StreamObserver<PlayRequest> outbound;

    /** Opens the stream and sends the Hello. */
    Stream(Server server, Metadata metadata, PlayRequest hello, Consumer<Object> events) {
        channel = server.newChannel();
        var headers = MetadataUtils.newAttachHeadersInterceptor(metadata);
        outbound =
                PlayServiceGrpc.newStub(channel)
                        .withInterceptors(headers)
                        .play(new Inbound(events));
        send(hello);
    }

    /** Reads messages at once, also while the bot thinks. */
    private final class Inbound implements StreamObserver<PlayResponse> {
        private final Consumer<Object> events;

        Inbound(Consumer<Object> events) {
            this.events = events;
        }

        @Override
        public void onNext(PlayResponse response) {
            events.accept(new Event(Stream.this, response, null));
        }

        @Override
        public void onError(Throwable failure) {
            events.accept(new Event(Stream.this, null, failure));
        }

        @Override
        public void onCompleted() {
            events.accept(new Event(Stream.this, null, null));
        }
    }

    /** Sends a message. A failure to send is also an event of the stream. */
    void send(PlayRequest message) {
        try {
            outbound.onNext(message);
        } catch (IllegalStateException over) {
            // The stream has ended; the event follows.
        }
    }

    /** Closes the client's half of the stream. */
    void halfClose() {
        try {
            outbound.onCompleted();
        } catch (IllegalStateException over) {
            // The stream has ended; the event follows.
        }
    }

    /** Closes the connection. */
    void close() {
        channel.shutdownNow();
    }
}
