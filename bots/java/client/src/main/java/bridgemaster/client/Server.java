package bridgemaster.client;

import bridgemaster.client.PlayException.InvalidOptions;
import io.grpc.ChannelCredentials;
import io.grpc.ConnectivityState;
import io.grpc.HttpConnectProxiedSocketAddress;
import io.grpc.InsecureChannelCredentials;
import io.grpc.LoadBalancerRegistry;
import io.grpc.ManagedChannel;
import io.grpc.NameResolverRegistry;
import io.grpc.ProxiedSocketAddress;
import io.grpc.TlsChannelCredentials;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * A server and how to connect to it.
 *
 * @param address the address as given in the options
 * @param host the name or IP address, in brackets for IPv6
 * @param isEncrypted whether it uses TLS
 * @param credentials TLS, or none
 * @param proxy the proxy; null for none
 */
record Server(
        String address,
        String host,
        int port,
        boolean isEncrypted,
        ChannelCredentials credentials,
        Address proxy) {
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

    /** Parses an address, or several separated by commas; without a proxy if it is empty. */
    static List<Server> parse(String addresses, TlsFiles files, String proxyAddress)
            throws InvalidOptions {
        requireGrpcServices();
        Address proxy = proxyAddress.isEmpty() ? null : parseProxy(proxyAddress);
        var servers = new ArrayList<Server>();
        for (String text : addresses.split(SEPARATOR, -1)) {
            Address parsed = parseAddress(text);
            boolean isEncrypted = parsed.scheme().equals("https");
            var credentials = isEncrypted ? tls(files) : InsecureChannelCredentials.create();
            servers.add(
                    new Server(
                            text.strip(),
                            parsed.host(),
                            parsed.port(),
                            isEncrypted,
                            credentials,
                            proxy));
        }
        return List.copyOf(servers);
    }

    /** Throws an exception if the program is a single jar that lacks the services of gRPC. */
    private static void requireGrpcServices() throws InvalidOptions {
        if (NameResolverRegistry.getDefaultRegistry().getProviderForScheme("dns") == null
                || LoadBalancerRegistry.getDefaultRegistry().getProvider("pick_first") == null) {
            throw new InvalidOptions(
                    "the jar of the program lacks META-INF/services of gRPC; merge these files of"
                            + " all dependencies, with ServicesResourceTransformer in"
                            + " maven-shade-plugin or mergeServiceFiles in Gradle's shadow plugin");
        }
    }

    /** Returns the address as gRPC dials it: HOST:PORT. */
    String target() {
        return host + ":" + port;
    }

    /** Creates a channel for one stream; it connects with its first call. */
    ManagedChannel newChannel() {
        return newChannel(CONNECT_TIMEOUT);
    }

    /** Creates a channel with another time limit of the connection attempt. */
    ManagedChannel newChannel(Duration connectTimeout) {
        ManagedChannel channel =
                NettyChannelBuilder.forTarget(target(), credentials)
                        // Bot servers usually run on the same machine or network, which the proxy
                        // of the environment cannot reach.
                        .proxyDetector(this::proxied)
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

    private ProxiedSocketAddress proxied(SocketAddress target) {
        if (proxy == null) {
            return null;
        }
        return HttpConnectProxiedSocketAddress.newBuilder()
                // The name is resolved for each connection, since its address can change.
                .setProxyAddress(new InetSocketAddress(proxy.host(), proxy.port()))
                .setTargetAddress((InetSocketAddress) target)
                .build();
    }

    /** The parts of an address. */
    record Address(String scheme, String host, int port) {}

    /** The last colon outside of brackets separates the port. */
    private static final Pattern HOST_AND_PORT = Pattern.compile("(\\[[^\\]]*\\]|[^:]*)(:(.*))?");
    /** An IPv6 address has at least two colons. */
    private static final Pattern HOST =
            Pattern.compile(
                    "[A-Za-z0-9._-]+|\\[[0-9A-Fa-f.]*:[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*\\]");

    private static final Pattern PORT = Pattern.compile("[1-9][0-9]{0,4}");
    private static final int MAX_PORT = 65535;

    /** Parses an address, as sdk/addresses.tsv specifies for all SDKs. */
    static Address parseAddress(String text) throws InvalidOptions {
        String address = text.strip();
        if (address.startsWith("unix:") || address.startsWith("unix-abstract:")) {
            throw invalid(address, "Unix sockets are not supported");
        }
        int endOfScheme = address.indexOf("://");
        boolean hasScheme = endOfScheme >= 0;
        String scheme =
                hasScheme ? address.substring(0, endOfScheme).toLowerCase(Locale.ROOT) : "http";
        if (!List.of("http", "https").contains(scheme)) {
            throw invalid(address, "the scheme is not http or https");
        }
        String rest = hasScheme ? address.substring(endOfScheme + 3) : address;
        if (rest.endsWith("/")) {
            rest = rest.substring(0, rest.length() - 1);
        }
        if (rest.chars().anyMatch(c -> "/?#".indexOf(c) >= 0)) {
            throw invalid(address, "a path is not allowed");
        }
        if (!rest.startsWith("[") && rest.indexOf(':') != rest.lastIndexOf(':')) {
            throw invalid(address, "an IPv6 address needs brackets");
        }
        var parts = HOST_AND_PORT.matcher(rest);
        if (!parts.matches() || !HOST.matcher(parts.group(1)).matches()) {
            throw invalid(address, "the host is not valid");
        }
        String port = parts.group(3);
        if (port == null && hasScheme) {
            port = scheme.equals("https") ? "443" : "80";
        }
        if (port == null || port.isEmpty()) {
            throw invalid(address, "the port is missing");
        }
        if (!PORT.matcher(port).matches() || Integer.parseInt(port) > MAX_PORT) {
            throw invalid(address, "the port is out of range (1 to " + MAX_PORT + ")");
        }
        return new Address(scheme, parts.group(1), Integer.parseInt(port));
    }

    private static Address parseProxy(String text) throws InvalidOptions {
        Address parsed;
        try {
            parsed = parseAddress(text);
        } catch (InvalidOptions error) {
            throw new InvalidOptions(error.getMessage().replaceFirst("^server:", "proxy:"));
        }
        if (!parsed.scheme().equals("http")) {
            throw new InvalidOptions(
                    "proxy: \"%s\" is not supported: the scheme must be http".formatted(text));
        }
        return parsed;
    }

    private static InvalidOptions invalid(String address, String problem) {
        return new InvalidOptions(
                "server: \"%s\" is not an address such as %s: %s"
                        .formatted(address, Options.DEFAULT_SERVER, problem));
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
