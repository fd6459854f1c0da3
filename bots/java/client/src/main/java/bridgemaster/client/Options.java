package bridgemaster.client;

import bridgemaster.client.PlayException.InvalidOptions;
import io.grpc.Metadata;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The server and seat or queue to play, and how the bot introduces itself. Options that are not set
 * are taken from the environment.
 *
 * <pre>{@code
 * new Options("my-bot").version("1.2").games("alhambra") }</pre>
 */
public final class Options {
    /** The default address of the server, on the loopback interface. */
    public static final String DEFAULT_SERVER = "http://127.0.0.1:50051";

    /**
     * Default time to retry the first connection: a bot might start slightly before its server. The
     * time starts after the first attempt, which includes loading gRPC: more than 10 s on a busy
     * machine.
     */
    private static final Duration CONNECT_FOR = Duration.ofSeconds(10);
    /** Default time to resume a lost stream: three times the default reconnect time of a match. */
    private static final Duration RECONNECT_FOR = Duration.ofSeconds(30);
    /**
     * Default time to resume a lost stream while a bot attends a queue, and for each offered seat.
     * A server that is restarted, moved or repaired is often unavailable for minutes. A bot that
     * stops retrying forfeits its match, so the library leaves the decision to the reconnect time
     * of the match.
     */
    private static final Duration ATTEND_RECONNECT_FOR = Duration.ofMinutes(10);
    /** Maximum length of a bot's name and of its version; the server refuses longer ones. */
    private static final int MAX_NAME_CHARS = 64;
    /** Maximum number of matches that a bot plays at once. */
    private static final int MAX_SLOTS = 64;

    private final Map<String, String> environment;
    private final String name;
    private String version = "";
    private List<String> games = List.of();
    private String server = "";
    private String ticket = "";
    private String key = "";
    private String ca = "";
    private String clientCert = "";
    private String clientKey = "";
    private String proxy = "";
    private String queue = "";
    private int slots;
    private Duration connectFor = CONNECT_FOR;
    private Duration reconnectFor;

    /**
     * Creates the options of a bot.
     *
     * @param name 1 to 64 printable characters. A server that requires API keys uses the name of
     *     the key instead.
     */
    public Options(String name) {
        this(name, System.getenv());
    }

    Options(String name, Map<String, String> environment) {
        this.name = name;
        this.environment = environment;
    }

    /** Sets the version of the bot: at most 64 printable characters. */
    public Options version(String version) {
        this.version = version;
        return this;
    }

    /**
     * Sets the identifiers of the games that the bot plays, such as {@code alhambra}. Default: all.
     */
    public Options games(String... games) {
        this.games = List.of(games);
        return this;
    }

    /**
     * Sets the address of the server, such as {@code http://127.0.0.1:50051} or {@code
     * https://host:50051}; the addresses of a cluster are separated by commas. Default:
     * BRIDGEMASTER_SERVER, or {@link #DEFAULT_SERVER}.
     */
    public Options server(String server) {
        this.server = server;
        return this;
    }

    /** Sets the join ticket of the seat. Default: BRIDGEMASTER_TICKET. */
    public Options ticket(String ticket) {
        this.ticket = ticket;
        return this;
    }

    /** Sets the API key, for servers that require one. Default: BRIDGEMASTER_KEY. */
    public Options key(String key) {
        this.key = key;
        return this;
    }

    /**
     * Sets the PEM file of the certificates to trust for https instead of those of Java. Default:
     * BRIDGEMASTER_CA.
     */
    public Options ca(String pemFile) {
        this.ca = pemFile;
        return this;
    }

    /**
     * Sets PEM files, for servers that require a client certificate. Default:
     * BRIDGEMASTER_CLIENT_CERT and BRIDGEMASTER_CLIENT_KEY.
     */
    public Options clientCertificate(String certPemFile, String keyPemFile) {
        this.clientCert = certPemFile;
        this.clientKey = keyPemFile;
        return this;
    }

    /**
     * Sets the address of an HTTP proxy, such as {@code http://127.0.0.1:3128}, which connects by
     * CONNECT. Default: BRIDGEMASTER_PROXY, or no proxy. Other variables and properties, such as
     * https.proxyHost, are ignored.
     */
    public Options proxy(String proxy) {
        this.proxy = proxy;
        return this;
    }

    /**
     * Sets the queue to attend instead of a ticket: the name of a contest or a ladder. Default:
     * BRIDGEMASTER_QUEUE.
     */
    public Options queue(String queue) {
        this.queue = queue;
        return this;
    }

    /**
     * Sets the number of matches that an attending bot plays at once, 1 to 64. Default:
     * BRIDGEMASTER_SLOTS, or 1.
     */
    public Options slots(int slots) {
        this.slots = slots;
        return this;
    }

    /** Sets the time to keep trying the first connection. Default: 10 s. */
    public Options connectFor(Duration connectFor) {
        this.connectFor = connectFor;
        return this;
    }

    /**
     * Sets the time to keep trying to resume a lost stream, for each loss. Default: 30 s, or 10
     * minutes with a queue, for the attendance and for each seat offered there.
     */
    public Options reconnectFor(Duration reconnectFor) {
        this.reconnectFor = reconnectFor;
        return this;
    }

    String name() {
        return name;
    }

    /** Returns whether a bot attends a queue: a queue is named, and no ticket is set. */
    boolean shouldAttend() {
        return ticket().isBlank() && !queue().isBlank();
    }

    /** Completes and validates the options of a seat. */
    Resolved resolve() throws InvalidOptions {
        return resolve(servers(), ticket());
    }

    /** Completes and validates the options of a seat that was offered at one of these servers. */
    Resolved resolve(List<Server> servers, String ticket) throws InvalidOptions {
        if (ticket.isBlank()) {
            throw new InvalidOptions(
                    "no ticket: set BRIDGEMASTER_TICKET or Options.ticket; creating a match returns"
                            + " a ticket for each seat");
        }
        return new Resolved(
                servers,
                Credentials.metadata(key(), ticket),
                validateName("name", name, 1),
                validateName("version", version, 0),
                games,
                seatConnectFor(),
                reconnectFor());
    }

    /** The server of an offered seat was reachable a moment ago, so it is retried for longer. */
    private Duration seatConnectFor() {
        boolean isLonger = connectFor.compareTo(reconnectFor()) >= 0;
        return queue().isBlank() || isLonger ? connectFor : reconnectFor();
    }

    private Duration reconnectFor() {
        if (reconnectFor != null) {
            return reconnectFor;
        }
        return queue().isBlank() ? RECONNECT_FOR : ATTEND_RECONNECT_FOR;
    }

    /** Completes and validates the options of an attendance. */
    ResolvedAttend resolveAttend() throws InvalidOptions {
        if (queue().isBlank()) {
            throw new InvalidOptions("no queue: set BRIDGEMASTER_QUEUE or Options.queue");
        }
        return new ResolvedAttend(
                servers(),
                Credentials.metadata(key(), ""),
                queue(),
                validateSlots(),
                validateName("name", name, 1),
                validateName("version", version, 0),
                connectFor,
                reconnectFor());
    }

    private List<Server> servers() throws InvalidOptions {
        String addresses = valueOf(server, "BRIDGEMASTER_SERVER");
        return Server.parse(
                addresses.isEmpty() ? DEFAULT_SERVER : addresses,
                new Server.TlsFiles(
                        valueOf(ca, "BRIDGEMASTER_CA"),
                        valueOf(clientCert, "BRIDGEMASTER_CLIENT_CERT"),
                        valueOf(clientKey, "BRIDGEMASTER_CLIENT_KEY")),
                valueOf(proxy, "BRIDGEMASTER_PROXY"));
    }

    private String ticket() {
        return valueOf(ticket, "BRIDGEMASTER_TICKET");
    }

    private String key() {
        return valueOf(key, "BRIDGEMASTER_KEY");
    }

    private String queue() {
        return valueOf(queue, "BRIDGEMASTER_QUEUE");
    }

    private int validateSlots() throws InvalidOptions {
        String text = slots == 0 ? valueOf("", "BRIDGEMASTER_SLOTS") : Integer.toString(slots);
        try {
            int number = text.isEmpty() ? 1 : Integer.parseInt(text);
            if (1 <= number && number <= MAX_SLOTS) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            // Reported below.
        }
        throw new InvalidOptions("slots: %s is out of range (1 to %d)".formatted(text, MAX_SLOTS));
    }

    private String valueOf(String option, String variable) {
        return option.isEmpty() ? environment.getOrDefault(variable, "") : option;
    }

    private static String validateName(String option, String text, int minChars)
            throws InvalidOptions {
        int length = text.codePointCount(0, text.length());
        if (length < minChars || length > MAX_NAME_CHARS || !Refusals.escape(text).equals(text)) {
            throw new InvalidOptions(
                    "%s: \"%s\" must have %d to %d printable characters"
                            .formatted(option, text, minChars, MAX_NAME_CHARS));
        }
        return text;
    }

    /**
     * Validated options of a seat, with all defaults filled in.
     *
     * @param servers the servers to try, in this order
     * @param metadata the metadata of a call
     */
    record Resolved(
            List<Server> servers,
            Metadata metadata,
            String name,
            String version,
            List<String> games,
            Duration connectFor,
            Duration reconnectFor) {}

    /**
     * Validated options of an attendance, with all defaults filled in.
     *
     * @param servers the servers to try, in this order
     * @param metadata the metadata of a call
     */
    record ResolvedAttend(
            List<Server> servers,
            Metadata metadata,
            String queue,
            int slots,
            String name,
            String version,
            Duration connectFor,
            Duration reconnectFor) {}
}
