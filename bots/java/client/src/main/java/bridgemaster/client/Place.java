package bridgemaster.client;

import bridgemaster.client.PlayException.InvalidOptions;
import io.grpc.ChannelCredentials;
import io.grpc.ConnectivityState;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.TlsChannelCredentials;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A server, and how it is reached.
 *
 * @param uri its address
 * @param credentials TLS, or none
 */
record Place(URI uri, ChannelCredentials credentials) {
    /** Between the addresses of several servers. */
    private static final String BETWEEN = ",";
    /**
     * Time for one attempt to reach a server: another one may be there. Twice that of other languages,
     * since a Java that has just begun loads gRPC in it, which takes seconds on a busy machine.
     */
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    /**
     * Silence after which the transport checks that the server is still there, and the time that it
     * has to show so.
     */
    private static final int KEEP_ALIVE_S = 10;

    /** PEM files for https; each is empty when it is not given. */
    record TlsFiles(String ca, String clientCert, String clientKey) {}

    /** The servers of an address, or of several with commas between them, in their order. */
    static List<Place> of(String servers, TlsFiles files) throws InvalidOptions {
        var places = new ArrayList<Place>();
        for (String server : servers.split(BETWEEN, -1)) {
            URI uri = address(server.strip());
            boolean isEncrypted = uri.getScheme().equals("https");
            var credentials = isEncrypted ? tls(files) : InsecureChannelCredentials.create();
            places.add(new Place(uri, credentials));
        }
        return List.copyOf(places);
    }

    /** The server at HOST:PORT, reached in the same way: such an address says nothing of TLS. */
    Place at(String hostAndPort) throws InvalidOptions {
        return new Place(address(uri.getScheme() + "://" + hostAndPort), credentials);
    }

    /** The server as gRPC dials it: host and port. */
    String target() {
        return uri.getHost() + ":" + uri.getPort();
    }

    /** A connection for one stream, which is opened when that is asked for. */
    ManagedChannel connection() {
        return connection(CONNECT_TIMEOUT);
    }

    /** The same with another time for the attempt. */
    ManagedChannel connection(Duration connectTimeout) {
        ManagedChannel channel =
                NettyChannelBuilder.forTarget(target(), credentials)
                        // A server on the own machine or network is not reached through the proxy
                        // of the browser.
                        .proxyDetector(address -> null)
                        .keepAliveTime(KEEP_ALIVE_S, TimeUnit.SECONDS)
                        .keepAliveTimeout(KEEP_ALIVE_S, TimeUnit.SECONDS)
                        .build();
        var late =
                CompletableFuture.delayedExecutor(connectTimeout.toNanos(), TimeUnit.NANOSECONDS);
        // From the attempt on: Java loads most of gRPC between the two.
        channel.notifyWhenStateChanged(
                ConnectivityState.IDLE, () -> late.execute(() -> giveUp(channel)));
        return channel;
    }

    private static void giveUp(ManagedChannel channel) {
        if (channel.getState(false) != ConnectivityState.READY) {
            channel.shutdownNow();
        }
    }

    /** Reads an address; without a scheme it is of http. */
    private static URI address(String server) throws InvalidOptions {
        try {
            URI uri = URI.create(server.contains("://") ? server : "http://" + server);
            boolean isRoot = uri.getPath().isEmpty() || uri.getPath().equals("/");
            boolean isHttp = List.of("http", "https").contains(uri.getScheme());
            if (isHttp && uri.getHost() != null && uri.getPort() > 0 && isRoot) {
                return uri;
            }
        } catch (IllegalArgumentException noAddress) {
            // Told below.
        }
        throw new InvalidOptions(
                "server \"%s\" is not an address such as %s"
                        .formatted(server, Options.DEFAULT_SERVER));
    }

    private static ChannelCredentials tls(TlsFiles files) throws InvalidOptions {
        if (files.clientCert.isEmpty() != files.clientKey.isEmpty()) {
            throw new InvalidOptions("a client certificate and its private key are given together");
        }
        var tls = TlsChannelCredentials.newBuilder();
        try {
            if (!files.ca.isEmpty()) {
                tls.trustManager(new File(files.ca));
            }
            if (!files.clientCert.isEmpty()) {
                tls.keyManager(new File(files.clientCert), new File(files.clientKey));
            }
        } catch (IOException error) {
            throw new InvalidOptions(error.getMessage());
        }
        return tls.build();
    }
}
