package bridgemaster.client;

import bridgemaster.v1.Match.MatchResult;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Plays matches. A complete bot:
 *
 * <pre>{@code
 * public static void main(String[] arguments) throws InterruptedException {
 *     Bridgemaster.run(request -> Choice.index(request.legalCount() / 2), new Options("middle"));
 * }
 * }</pre>
 *
 * The environment says what to play: BRIDGEMASTER_TICKET has the join ticket of the seat,
 * BRIDGEMASTER_SERVER the address of the server, and BRIDGEMASTER_KEY the API key if the server
 * asks for one.
 */
public final class Bridgemaster {
    private Bridgemaster() {}

    /**
     * Plays one match to its end and gives the result. May be called by several threads at once.
     *
     * @throws PlayException when the match could not be played to its end; what the bot throws is
     *     thrown here as it is
     */
    public static MatchResult play(Bot bot, Options options)
            throws PlayException, InterruptedException {
        return new Seat(bot, options.seating()).play();
    }

    /**
     * Attends a queue, and plays each match that is offered there, until the queue is left or
     * closed. Each match gets a bot of its own, and a thread. A match that is not played to its end
     * is logged, and the others go on; all are played to their end before this ends.
     *
     * @throws PlayException when the queue cannot be attended, or its server is lost
     */
    public static void attend(Supplier<? extends Bot> newBot, Options options)
            throws PlayException, InterruptedException {
        new Attendance(newBot, options).attend();
    }

    /**
     * Is the body of a program: plays a match, and says in one line how it ended. One that could
     * not be played to its end ends the program with exit code 1 and one line on standard error.
     */
    public static void run(Bot bot, Options options) throws InterruptedException {
        try {
            MatchResult result = play(bot, options);
            tell(options, "match %s is over; %s".formatted(result.getMatchId(), places(result)));
        } catch (PlayException error) {
            fail(options, error);
        }
    }

    /**
     * Is the body of a program that can attend: plays the match of BRIDGEMASTER_TICKET, or attends
     * the queue of BRIDGEMASTER_QUEUE and plays what it is offered there. Each match gets a bot of
     * its own. Ends as {@link #run} does.
     */
    public static void runEach(Supplier<? extends Bot> newBot, Options options)
            throws InterruptedException {
        if (!options.attends()) {
            run(newBot.get(), options);
            return;
        }
        try {
            attend(newBot, options);
            tell(options, "the queue is left");
        } catch (PlayException error) {
            fail(options, error);
        }
    }

    private static String places(MatchResult result) {
        return result.getSeatsList().stream()
                .map(
                        seat ->
                                "seat %d: place %d with %d"
                                        .formatted(
                                                seat.getSeat(), seat.getPlace(), seat.getScore()))
                .collect(Collectors.joining(", "));
    }

    private static void tell(Options options, String line) {
        System.out.println(Refusals.shown(options.name() + ": " + line));
    }

    private static void fail(Options options, PlayException error) {
        System.err.println(Refusals.shown(options.name() + ": error: " + error.getMessage()));
        System.exit(1);
    }
}
