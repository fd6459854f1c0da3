package bridgemaster.client;

import java.time.Duration;
import java.util.List;

/** The current server, among the configured ones. */
final class Route {
    private final List<Server> servers;
    private int index;
    private Server server;
    /** True once the server was asked whether it requires TLS. */
    private boolean probed;

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

    /**
     * Throws the exception for a TLS mistake that made the current server fail. With several
     * servers, the next one is tried instead.
     */
    void checkTls(Refusals.StreamLost lost, boolean hadStream) throws PlayException {
        if (servers.size() == 1 && lost.reason == null) {
            boolean probe = !hadStream && !probed && server.proxy() == null;
            probed = true;
            Tls.check(server, lost, probe);
        }
    }

    /** Continues with the next configured server, after a failure of the current one. */
    void advance() {
        index = (index + 1) % servers.size();
        server = servers.get(index);
    }
}
