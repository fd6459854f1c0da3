package bridgemaster.client;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;

/** An exponential backoff with a total time limit. */
final class Backoff {
    /** Short, because a server that only dropped the stream is available at once. */
    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    /** Upper limit of a pause, and of the time that a bot loses after its server has restarted. */
    private static final Duration MAX_PAUSE = Duration.ofSeconds(2);

    private Duration pause = FIRST_PAUSE;
    private long deadlineNanos;

    /** Starts the time limit now. */
    Backoff(Duration limit) {
        deadlineNanos = System.nanoTime() + limit.toNanos();
    }

    /**
     * Starts a new time limit now. The pauses start over only if the last stream progressed, so
     * that a server that accepts a bot and then drops it is not flooded.
     */
    void restart(Duration limit, boolean progressed) {
        deadlineNanos = System.nanoTime() + limit.toNanos();
        if (progressed) {
            pause = FIRST_PAUSE;
        }
    }

    /**
     * Returns the next pause in ns, or empty after the time limit. Pauses are randomized (50 to
     * 100 %), so that the bots of a lost server do not reconnect all at once.
     */
    OptionalLong nextPauseNanos() {
        long left = deadlineNanos - System.nanoTime();
        if (left <= 0) {
            return OptionalLong.empty();
        }
        long whole = pause.toNanos();
        Duration doubled = pause.multipliedBy(2);
        pause = doubled.compareTo(MAX_PAUSE) < 0 ? doubled : MAX_PAUSE;
        return OptionalLong.of(
                Math.min(left, ThreadLocalRandom.current().nextLong(whole / 2, whole)));
    }
}
