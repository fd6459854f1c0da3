package bridgemaster.client;

import bridgemaster.client.PlayException.InvalidOptions;
import io.grpc.Metadata;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * How a bot reaches its seat, and what it says about itself. What is not set is taken from the
 * environment.
 *
 * <pre>{@code
 * new Options("my-bot").version("1.2").games("alhambra")
 * }</pre>
 */
public final class Options {
    /** The address of a server on one's own machine. */
    public static final String DEFAULT_SERVER = "http://127.0.0.1:50051";

    /**
     * A bot may be started a little before its server, and Java loads most of gRPC meanwhile: on a
     * busy machine that alone takes more than 10 s.
     */
    private static final Duration CONNECT_FOR = Duration.ofSeconds(60);
    /** Three times the default reconnect time of a match. */
    private static final Duration RECONNECT_FOR = Duration.ofSeconds(30);
    /**
     * For a bot that attends a queue, and for each seat that was offered there: a server that is
     * restarted, moved or repaired is often away for minutes. A bot that gives up before it is back
     * forfeits its match, and whether it is too late is for the match's own reconnect time to say.
     */
    private static final Duration ATTENDING_RECONNECT_FOR = Duration.ofMinutes(10);
    /** Longest name and version of a bot that a server takes. */
    private static final int MAX_NAME_CHARS = 64;
    /** Most matches that a bot plays at once. */
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
    private String queue = "";
    private int slots;
    private Duration connectFor = CONNECT_FOR;
    private Duration reconnectFor;

    /**
     * The options of a bot.
     *
     * @param name 1 to 64 printable characters. On a server that asks for API keys, the name of the
     *     key counts instead.
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

    /** Sets the identifiers of the games that the bot plays, such as {@code alhambra}; else all. */
    public Options games(String... games) {
        this.games = List.of(games);
        return this;
    }

    /**
     * Sets the address of the server, such as {@code http://127.0.0.1:50051} or {@code
     * https://host:50051}, or those of a cluster with commas between them; else
     * BRIDGEMASTER_SERVER, or {@link #DEFAULT_SERVER}.
     */
    public Options server(String server) {
        this.server = server;
        return this;
    }

    /** Sets the join ticket of the seat; else BRIDGEMASTER_TICKET. */
    public Options ticket(String ticket) {
        this.ticket = ticket;
        return this;
    }

    /** Sets the API key, for servers that ask for one; else BRIDGEMASTER_KEY. */
    public Options key(String key) {
        this.key = key;
        return this;
    }

    /**
     * Sets the PEM file of the certificates to trust for https, instead of those of Java; else
     * BRIDGEMASTER_CA.
     */
    public Options ca(String pemFile) {
        this.ca = pemFile;
        return this;
    }

    /**
     * Sets PEM files, for servers that ask for a client certificate; else BRIDGEMASTER_CLIENT_CERT
     * and BRIDGEMASTER_CLIENT_KEY.
     */
    public Options clientCertificate(String certPemFile, String keyPemFile) {
        this.clientCert = certPemFile;
        this.clientKey = keyPemFile;
        return this;
    }

    /**
     * Sets the queue to attend instead of a ticket: the name of a contest or a ladder; else
     * BRIDGEMASTER_QUEUE.
     */
    public Options queue(String queue) {
        this.queue = queue;
        return this;
    }

    /**
     * Sets how many matches a bot that attends a queue plays at once, 1 to 64; else
     * BRIDGEMASTER_SLOTS, or 1.
     */
    public Options slots(int slots) {
        this.slots = slots;
        return this;
    }

    /** Sets how long the first connection is tried for: 60 s if not set. */
    public Options connectFor(Duration connectFor) {
        this.connectFor = connectFor;
        return this;
    }

    /**
     * Sets how long a lost server is looked for, each time: if not set 30 s, or with a queue 10
     * minutes, for the attendance and for each seat that was offered there.
     */
    public Options reconnectFor(Duration reconnectFor) {
        this.reconnectFor = reconnectFor;
        return this;
    }

    String name() {
        return name;
    }

    /** Whether a bot is to attend a queue: one is named, and no ticket. */
    boolean attends() {
        return ticket().isBlank() && !queue().isBlank();
    }

    /** What a seat needs, once all options were found good. */
    Seating seating() throws InvalidOptions {
        return seating(places(), ticket());
    }

    /** The same for a seat that was offered at one of these servers. */
    Seating seating(List<Place> places, String ticket) throws InvalidOptions {
        if (ticket.isBlank()) {
            throw new InvalidOptions(
                    "no ticket: set BRIDGEMASTER_TICKET, or give Options.ticket; creating a match"
                            + " returns one for each seat");
        }
        return new Seating(
                places,
                Secrets.metadata(key(), ticket),
                checkedName("name", name, 1),
                checkedName("version", version, 0),
                games,
                seatConnectFor(),
                reconnectFor());
    }

    /** The server that offered a seat was there a moment ago: one that is not reached is lost. */
    private Duration seatConnectFor() {
        boolean isLonger = connectFor.compareTo(reconnectFor()) >= 0;
        return queue().isBlank() || isLonger ? connectFor : reconnectFor();
    }

    private Duration reconnectFor() {
        if (reconnectFor != null) {
            return reconnectFor;
        }
        return queue().isBlank() ? RECONNECT_FOR : ATTENDING_RECONNECT_FOR;
    }

    /** What an attendance needs, once all options were found good. */
    Queueing queueing() throws InvalidOptions {
        if (queue().isBlank()) {
            throw new InvalidOptions("no queue: set BRIDGEMASTER_QUEUE, or give Options.queue");
        }
        return new Queueing(
                places(),
                Secrets.metadata(key(), ""),
                queue(),
                checkedSlots(),
                checkedName("name", name, 1),
                checkedName("version", version, 0),
                connectFor,
                reconnectFor());
    }

    private List<Place> places() throws InvalidOptions {
        String given = set(server, "BRIDGEMASTER_SERVER");
        return Place.of(
                given.isEmpty() ? DEFAULT_SERVER : given,
                new Place.TlsFiles(
                        set(ca, "BRIDGEMASTER_CA"),
                        set(clientCert, "BRIDGEMASTER_CLIENT_CERT"),
                        set(clientKey, "BRIDGEMASTER_CLIENT_KEY")));
    }

    private String ticket() {
        return set(ticket, "BRIDGEMASTER_TICKET");
    }

    private String key() {
        return set(key, "BRIDGEMASTER_KEY");
    }

    private String queue() {
        return set(queue, "BRIDGEMASTER_QUEUE");
    }

    private int checkedSlots() throws InvalidOptions {
        String given = slots == 0 ? set("", "BRIDGEMASTER_SLOTS") : Integer.toString(slots);
        try {
            int number = given.isEmpty() ? 1 : Integer.parseInt(given);
            if (1 <= number && number <= MAX_SLOTS) {
                return number;
            }
        } catch (NumberFormatException noNumber) {
            // Told below.
        }
        throw new InvalidOptions(
                "a bot plays 1 to %d matches at once, not %s".formatted(MAX_SLOTS, given));
    }

    private String set(String option, String variable) {
        return option.isEmpty() ? environment.getOrDefault(variable, "") : option;
    }

    private static String checkedName(String what, String text, int least) throws InvalidOptions {
        int length = text.codePointCount(0, text.length());
        if (length < least || length > MAX_NAME_CHARS || !Refusals.shown(text).equals(text)) {
            throw new InvalidOptions(
                    "the bot's %s \"%s\" must have %d to %d printable characters"
                            .formatted(what, text, least, MAX_NAME_CHARS));
        }
        return text;
    }

    /**
     * Options of a seat that were checked, with all that was taken from elsewhere.
     *
     * @param places the servers, in the order in which they were named
     * @param metadata what a call shows
     */
    record Seating(
            List<Place> places,
            Metadata metadata,
            String name,
            String version,
            List<String> games,
            Duration connectFor,
            Duration reconnectFor) {}

    /**
     * Options of an attendance that were checked, with all that was taken from elsewhere.
     *
     * @param places the servers, in the order in which they were named
     * @param metadata what a call shows
     */
    record Queueing(
            List<Place> places,
            Metadata metadata,
            String queue,
            int slots,
            String name,
            String version,
            Duration connectFor,
            Duration reconnectFor) {}
}
