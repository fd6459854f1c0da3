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
 * A server and how to connect to it.
 *
 * @param uri the address
 * @param credentials TLS, or none
 */
record Server(URI uri, ChannelCredentials credentials) {
    /** Separates the addresses of a cluster. */
    private static final String SEPARATOR = ",";
    /**
     * Time limit of one connection attempt. Twice that of other languages, since it includes
     * loading gRPC, which takes seconds on a busy machine.
     */
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    /** Interval of keepalive pings, and the time to wait for their answer. */
    private static final int KEEP_ALIVE_S = 10;

    /** PEM files for https; each is empty if it is not given. */
    record TlsFiles(String ca, String clientCert, String clientKey) {}

    /** Parses an address, or several separated by commas. */
    static List<Server> parse(String addresses, TlsFiles files) throws InvalidOptions {
        var servers = new ArrayList<Server>();
        for (String address : addresses.split(SEPARATOR, -1)) {
            URI uri = parseAddress(address.strip());
            boolean isEncrypted = uri.getScheme().equals("https");
            var credentials = isEncrypted ? tls(files) : InsecureChannelCredentials.create();
            servers.add(new Server(uri, credentials));
        }
        return List.copyOf(servers);
    }

    /** Returns the address as gRPC dials it: HOST:PORT. */
    String target() {
        return uri.getHost() + ":" + uri.getPort();
    }

    /** Creates a channel for one stream; it connects with its first call. */
    ManagedChannel newChannel() {
        return newChannel(CONNECT_TIMEOUT);
    }

    /** Creates a channel with another time limit of the connection attempt. */
    ManagedChannel newChannel(Duration connectTimeout) {
        ManagedChannel channel =
                NettyChannelBuilder.forTarget(target(), credentials)
                        // Bot servers usually run on the same machine or network, which a proxy
                        // cannot reach.
                        .proxyDetector(address -> null)
                        .keepAliveTime(KEEP_ALIVE_S, TimeUnit.SECONDS)
                        .keepAliveTimeout(KEEP_ALIVE_S, TimeUnit.SECONDS)
                        .build();
        var afterTimeout =
                CompletableFuture.delayedExecutor(connectTimeout.toNanos(), TimeUnit.NANOSECONDS);
        // The time starts with the attempt, since Java loads most of gRPC before it.
        channel.notifyWhenStateChanged(
                ConnectivityState.IDLE,
                () -> afterTimeout.execute(() -> shutdownUnlessReady(channel)));
        return channel;
    }

    private static void shutdownUnlessReady(ManagedChannel channel) {
        if (channel.getState(false) != ConnectivityState.READY) {
            channel.shutdownNow();
        }
    }

    /** Parses an address; the default scheme is http. */
    private static URI parseAddress(String address) throws InvalidOptions {
        try {
            URI uri = URI.create(address.contains("://") ? address : "http://" + address);
            boolean isRoot = uri.getPath().isEmpty() || uri.getPath().equals("/");
            boolean isHttp = List.of("http", "https").contains(uri.getScheme());
            if (isHttp && uri.getHost() != null && uri.getPort() > 0 && isRoot) {
                return uri;
            }
        } catch (IllegalArgumentException invalidAddress) {
            // Reported below.
        }
        throw new InvalidOptions(
                "server: \"%s\" is not an address such as %s"
                        .formatted(address, Options.DEFAULT_SERVER));
    }

    private static ChannelCredentials tls(TlsFiles files) throws InvalidOptions {
        if (files.clientCert.isEmpty() != files.clientKey.isEmpty()) {
            throw new InvalidOptions(
                    "a client certificate requires its private key, and a private key its"
                            + " certificate");
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
