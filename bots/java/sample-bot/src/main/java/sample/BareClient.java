package sample;

import bridgemaster.v1.Play.Decision;
import bridgemaster.v1.Play.Hello;
import bridgemaster.v1.Play.PlayRequest;
import bridgemaster.v1.Play.PlayResponse;
import bridgemaster.v1.PlayServiceGrpc;
import io.grpc.ManagedChannelBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.util.concurrent.CountDownLatch;

/**
 * A minimal bot on grpc-java alone, for the example {@code instant_server} of the Rust SDK. The
 * benchmark in {@code .ci/languages} compares the library with it.
 */
public final class BareClient implements ClientResponseObserver<PlayRequest, PlayResponse> {
    private final CountDownLatch over = new CountDownLatch(1);
    private ClientCallStreamObserver<PlayRequest> requests;

    public static void main(String[] arguments) throws InterruptedException {
        var server = System.getenv("BRIDGEMASTER_SERVER").replaceFirst("^http://", "");
        var channel = ManagedChannelBuilder.forTarget(server).usePlaintext().build();
        var client = new BareClient();
        PlayServiceGrpc.newStub(channel)
                .play(client)
                .onNext(PlayRequest.newBuilder().setHello(Hello.getDefaultInstance()).build());
        client.over.await();
        channel.shutdownNow();
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<PlayRequest> stream) {
        requests = stream;
    }

    @Override
    public void onNext(PlayResponse response) {
        if (response.hasDecisionRequest()) {
            var request = response.getDecisionRequest();
            var decision =
                    Decision.newBuilder()
                            .setRequestId(request.getRequestId())
                            .setIndex(request.getLegalCount() / 2);
            requests.onNext(PlayRequest.newBuilder().setDecision(decision).build());
        } else if (response.hasMatchEnded()) {
            requests.onCompleted();
        }
    }

    @Override
    public void onError(Throwable failure) {
        System.err.println(failure);
        over.countDown();
    }

    @Override
    public void onCompleted() {
        over.countDown();
    }
}
