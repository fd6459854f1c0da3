package bridgemaster.client;

import io.grpc.ChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.util.concurrent.TimeUnit;

/**
 * What a call needs.
 *
 * @param server the address as it was given, for people
 * @param target the server as gRPC dials it: host and port
 * @param credentials TLS, or none
 * @param metadata ticket and key
 */
record Dialled(String server, String target, ChannelCredentials credentials, Metadata metadata) {
    /**
     * Silence after which the transport checks that the server is still there, and the time that it
     * has to show so.
     */
    private static final int KEEP_ALIVE_S = 10;

    /** Opens a connection. */
    ManagedChannel connection() {
        return NettyChannelBuilder.forTarget(target, credentials)
                // A server on the own machine or network is not reached through the proxy of the
                // browser.
                .proxyDetector(address -> null)
                .keepAliveTime(KEEP_ALIVE_S, TimeUnit.SECONDS)
                .keepAliveTimeout(KEEP_ALIVE_S, TimeUnit.SECONDS)
                .build();
    }
}
