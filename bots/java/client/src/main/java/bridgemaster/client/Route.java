package bridgemaster.client;

import bridgemaster.client.PlayException.InvalidOptions;
import java.time.Duration;
import java.util.List;

/** The current server, among the configured ones or after a redirect. */
final class Route {
    private final List<Server> servers;
    /** Index of the configured server that was tried last. */
    private int index;

    private Server server;
    /** Set if the previous server redirected and the current one has not answered. */
    private boolean wasRedirected;

    /** Starts at the first server. */
    Route(List<Server> servers) {
        this.servers = servers;
        server = servers.get(0);
    }

    Server server() {
        return server;
    }

    /**
     * Returns the time to wait for the first answer of a server, at most {@code max}. Several
     * servers share {@code total} equally.
     */
    Duration answerTimeout(Duration max, Duration total) {
        Duration share = total.dividedBy(servers.size());
        return servers.size() == 1 || share.compareTo(max) > 0 ? max : share;
    }

    /** Records that the server answered instead of redirecting. */
    void markAnswered() {
        wasRedirected = false;
    }

    /**
     * Moves to {@code movedTo} (HOST:PORT), or to the next configured server if it is null.
     *
     * @return whether to retry at once. Only the first of consecutive redirects is followed at
     *     once, so that two servers cannot redirect a caller back and forth without a pause.
     */
    boolean advance(String movedTo) {
        if (movedTo != null) {
            try {
                server = server.redirect(movedTo);
                boolean retryAtOnce = !wasRedirected;
                wasRedirected = true;
                return retryAtOnce;
            } catch (InvalidOptions invalidAddress) {
                // Fall back to the next configured server.
            }
        }
        wasRedirected = false;
        index = (index + 1) % servers.size();
        server = servers.get(index);
        return false;
    }
}
