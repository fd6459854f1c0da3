package bridgemaster.client;

import bridgemaster.client.PlayException.InvalidOptions;
import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.Metadata;
import io.grpc.TlsChannelCredentials;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.util.List;

/** Where a server is, and how it is spoken to. */
record ServerAddress(URI uri, TlsFiles files) {
    private static final Metadata.Key<String> AUTHORIZATION = entry("authorization");
    private static final Metadata.Key<String> API_KEY = entry("x-bridgemaster-key");

    /** PEM files for https; each is empty when it is not given. */
    record TlsFiles(String ca, String clientCert, String clientKey) {}

    /** Reads an address; without a scheme it is of http. */
    static ServerAddress of(String server, TlsFiles files) throws InvalidOptions {
        try {
            URI uri = URI.create(server.contains("://") ? server : "http://" + server);
            boolean isRoot = uri.getPath().isEmpty() || uri.getPath().equals("/");
            boolean isHttp = List.of("http", "https").contains(uri.getScheme());
            if (isHttp && uri.getHost() != null && uri.getPort() > 0 && isRoot) {
                return new ServerAddress(uri, files);
            }
        } catch (IllegalArgumentException noAddress) {
            // Told below.
        }
        throw new InvalidOptions(
                "server \"%s\" is not an address such as %s"
                        .formatted(server, Options.DEFAULT_SERVER));
    }

    /** Another server, given as HOST:PORT, that is spoken to in the same way. */
    ServerAddress at(String hostAndPort) throws InvalidOptions {
        return of(uri.getScheme() + "://" + hostAndPort, files);
    }

    /** What a call to it needs; key and ticket are empty when there is none. */
    Dialled dialled(String key, String ticket) throws InvalidOptions {
        var metadata = new Metadata();
        if (!ticket.isBlank()) {
            metadata.put(AUTHORIZATION, "Bearer " + secret("ticket", ticket));
        }
        if (!key.isBlank()) {
            metadata.put(API_KEY, secret("API key", key));
        }
        boolean isEncrypted = uri.getScheme().equals("https");
        return new Dialled(
                uri.toString(),
                uri.getHost() + ":" + uri.getPort(),
                isEncrypted ? tls() : InsecureChannelCredentials.create(),
                metadata);
    }

    private ChannelCredentials tls() throws InvalidOptions {
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

    private static String secret(String what, String text) throws InvalidOptions {
        String stripped = text.strip();
        if (!stripped.chars().allMatch(c -> c >= '!' && c <= '~')) {
            throw new InvalidOptions(
                    "the " + what + " has characters that none has: copy it again");
        }
        return stripped;
    }

    private static Metadata.Key<String> entry(String name) {
        return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
    }
}
