package bridgemaster.client;

import bridgemaster.client.PlayException.InvalidOptions;
import java.time.Duration;
import java.util.List;

/** Goes from one server to the next, and where a server says that something is. */
final class Route {
    private final List<Place> places;
    /** Which of them was tried last. */
    private int tried;

    private Place place;
    /** The server before has sent us here, and nothing came of it yet. */
    private boolean wasSent;

    /** Begins at the server that was named first. */
    Route(List<Place> places) {
        this.places = places;
        place = places.get(0);
    }

    /** Where it is. */
    Place place() {
        return place;
    }

    /**
     * How long a server may keep one waiting for its first answer, at most {@code most}: where several
     * were named, each has its share of the span of time in which one must be found.
     */
    Duration patience(Duration most, Duration span) {
        Duration share = span.dividedBy(places.size());
        return places.size() == 1 || share.compareTo(most) > 0 ? most : share;
    }

    /** The server has answered for itself. */
    void arrived() {
        wasSent = false;
    }

    /**
     * Goes to where the server says that what was asked for is, HOST:PORT; with null to the next
     * server that was named.
     *
     * @return whether that may be tried at once: two servers that send a caller back and forth must
     *     not do so without a pause
     */
    boolean goOn(String movedTo) {
        if (movedTo != null) {
            try {
                place = place.at(movedTo);
                boolean atOnce = !wasSent;
                wasSent = true;
                return atOnce;
            } catch (InvalidOptions noAddress) {
                // The next one, then.
            }
        }
        wasSent = false;
        tried = (tried + 1) % places.size();
        place = places.get(tried);
        return false;
    }
}
