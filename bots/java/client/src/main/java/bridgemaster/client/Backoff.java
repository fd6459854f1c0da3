package bridgemaster.client;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;

/** Pauses between attempts to connect: they double up to a limit, until a span of time is over. */
final class Backoff {
    /** A server that only dropped the stream is back at once. */
    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    /** What a bot loses of its clock at most when the server comes back. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

    private Duration pause = FIRST_PAUSE;
    private long endsNanos;

    /** Starts a span now. */
    Backoff(Duration span) {
        endsNanos = System.nanoTime() + span.toNanos();
    }

    /**
     * Starts another span now. The pauses begin anew only when the last stream progressed: a server
     * that welcomes a bot and drops it at once is not hammered.
     */
    void restart(Duration span, boolean progressed) {
        endsNanos = System.nanoTime() + span.toNanos();
        if (progressed) {
            pause = FIRST_PAUSE;
        }
    }

    /**
     * The next pause in ns; empty when the span is over. A pause has half to all of its length, so
     * that the bots of a lost server do not return all at once.
     */
    OptionalLong nextPauseNanos() {
        long left = endsNanos - System.nanoTime();
        if (left <= 0) {
            return OptionalLong.empty();
        }
        long whole = pause.toNanos();
        Duration doubled = pause.multipliedBy(2);
        pause = doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
        return OptionalLong.of(
                Math.min(left, ThreadLocalRandom.current().nextLong(whole / 2, whole)));
    }
}
