package bridgemaster.client;

import bridgemaster.client.PlayException.InvalidOptions;
import io.grpc.Metadata;

/** The credentials of a call: ticket and API key. */
final class Credentials {
    private static final Metadata.Key<String> AUTHORIZATION = entry("authorization");
    private static final Metadata.Key<String> API_KEY = entry("x-bridgemaster-key");

    private Credentials() {}

    /** Returns the metadata of a call; key and ticket are empty if there is none. */
    static Metadata metadata(String key, String ticket) throws InvalidOptions {
        var metadata = new Metadata();
        if (!ticket.isBlank()) {
            metadata.put(AUTHORIZATION, "Bearer " + validate("ticket", ticket));
        }
        if (!key.isBlank()) {
            metadata.put(API_KEY, validate("API key", key));
        }
        return metadata;
    }

    private static String validate(String what, String text) throws InvalidOptions {
        String stripped = text.strip();
        if (!stripped.chars().allMatch(c -> c >= '!' && c <= '~')) {
            throw new InvalidOptions(
                    "the " + what + " is not valid: it must be printable ASCII without spaces");
        }
        return stripped;
    }

    private static Metadata.Key<String> entry(String name) {
        return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
    }
}
