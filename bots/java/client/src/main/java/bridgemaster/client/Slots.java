package bridgemaster.client;

import bridgemaster.v1.LobbyServiceOuterClass.Offer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.OptionalInt;

/**
 * The slots of one attendance, and the offers that wait for a free slot. A slot stays in use until
 * nothing computes for its match any more, which can be later than the end of the match.
 */
final class Slots {
    /**
     * Interval of the checks for busy slots. A slot is reported as busy only after a whole interval,
     * since a bot needs some time after every match.
     */
    static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);
    /**
     * Maximum time that an offer waits for a free slot. Then it is declined, because the other bots
     * of the match wait, too.
     */
    private static final Duration MAX_OFFER_WAIT = Duration.ofSeconds(5);

    private record Waiting(Offer offer, long untilNanos) {}

    /** The number of busy slots if it must be reported, and the offers to decline. */
    record Check(OptionalInt busy, List<Offer> overdue) {}

    private final int total;
    private int inUse;
    /** The server's count of matches in play and open offers; empty without a stream. */
    private OptionalInt usedAtServer = OptionalInt.empty();

    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    /** The minimum number of busy slots since the last check. */
    private int leastBusy;
    /** The server's count of busy slots. */
    private int reported;

    Slots(int total) {
        this.total = total;
    }

    /** Records the server's counts. */
    synchronized void setUsedAtServer(int used, int reported) {
        usedAtServer = OptionalInt.of(used);
        this.reported = reported;
    }

    /** Forgets the server's counts: the stream is lost, and the server forgets busy slots. */
    synchronized void streamLost() {
        usedAtServer = OptionalInt.empty();
        reported = 0;
    }

    /** Takes a slot for an offer. If none is free, the offer waits, and false is returned. */
    synchronized boolean take(Offer offer) {
        if (inUse < total) {
            inUse++;
            return true;
        }
        var openFor = Duration.ofMillis(Integer.toUnsignedLong(offer.getTimeLeftMs()));
        var wait = openFor.dividedBy(2);
        wait = wait.compareTo(MAX_OFFER_WAIT) < 0 ? wait : MAX_OFFER_WAIT;
        waiting.add(new Waiting(offer, System.nanoTime() + wait.toNanos()));
        return false;
    }

    /** Passes a slot on to the offer that waits longest, which is returned, or frees it (null). */
    synchronized Offer release() {
        leastBusy = Math.min(leastBusy, busy());
        if (waiting.isEmpty()) {
            inUse--;
            return null;
        }
        return waiting.remove().offer();
    }

    /** Forgets an offer that waits, and returns whether it waited. */
    synchronized boolean withdraw(String offerId) {
        return waiting.removeIf(one -> one.offer().getOfferId().equals(offerId));
    }

    /**
     * Called once per interval. The number of busy slots is returned until the server's count shows
     * it, since a report can fail. The overdue offers wait until they are withdrawn.
     */
    synchronized Check check() {
        long now = System.nanoTime();
        List<Offer> overdue =
                waiting.stream()
                        .filter(one -> one.untilNanos() - now <= 0)
                        .map(Waiting::offer)
                        .toList();
        int stuck = Math.min(leastBusy, busy());
        leastBusy = busy();
        if (stuck == reported || usedAtServer.isEmpty()) {
            return new Check(OptionalInt.empty(), overdue);
        }
        return new Check(OptionalInt.of(stuck), overdue);
    }

    /** Returns the number of slots in use whose matches have ended, by the server's count. */
    private int busy() {
        int used = usedAtServer.orElse(Integer.MAX_VALUE);
        return Math.max(0, inUse + waiting.size() - used);
    }
}
