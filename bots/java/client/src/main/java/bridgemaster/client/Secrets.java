package bridgemaster.client;

import bridgemaster.client.PlayException.InvalidOptions;
import io.grpc.Metadata;

/** What a call shows to a server: ticket and key. */
final class Secrets {
    private static final Metadata.Key<String> AUTHORIZATION = entry("authorization");
    private static final Metadata.Key<String> API_KEY = entry("x-bridgemaster-key");

    private Secrets() {}

    /** The metadata of a call; key and ticket are empty when there is none. */
    static Metadata metadata(String key, String ticket) throws InvalidOptions {
        var metadata = new Metadata();
        if (!ticket.isBlank()) {
            metadata.put(AUTHORIZATION, "Bearer " + secret("ticket", ticket));
        }
        if (!key.isBlank()) {
            metadata.put(API_KEY, secret("API key", key));
        }
        return metadata;
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
