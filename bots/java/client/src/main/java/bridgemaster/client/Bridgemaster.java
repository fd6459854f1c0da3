package bridgemaster.client;

import bridgemaster.v1.Match.MatchResult;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Plays matches of a Bridgemaster server. A complete bot:
 *
 * <pre>{@code
 * public static void main(String[] arguments) throws InterruptedException {
 *     Bridgemaster.run(request -> Choice.index(request.legalCount() / 2), new Options("middle"));
 * } }</pre>
 *
 * Environment variables select the match: BRIDGEMASTER_TICKET is the join ticket of the seat,
 * BRIDGEMASTER_SERVER the address of the server, and BRIDGEMASTER_KEY the API key if the server
 * requires one.
 */
public final class Bridgemaster {
    private Bridgemaster() {}

    /**
     * Plays one match to its end and returns its result. Several threads may call it at once.
     *
     * @throws PlayException if the match could not be played to its end; exceptions of the bot
     *     propagate unchanged
     */
    public static MatchResult play(Bot bot, Options options)
            throws PlayException, InterruptedException {
        try {
            return new Seat(bot, options.resolve()).play();
        } catch (NoClassDefFoundError error) {
            throw Refusals.missingClass(error);
        }
    }

    /**
     * Attends a queue and plays every match offered there, until the queue is closed or left. Each
     * match gets its own bot and thread. A failed match is logged, and does not affect other
     * matches. Matches in progress are finished first. A slot is free once all methods of its bot
     * have returned; a busy slot of a match that has ended is logged and reported.
     *
     * @throws PlayException if the queue cannot be attended, or its server is lost
     */
    public static void attend(Supplier<? extends Bot> newBot, Options options)
            throws PlayException, InterruptedException {
        try {
            new Attendance(newBot, options).attend();
        } catch (NoClassDefFoundError error) {
            throw Refusals.missingClass(error);
        }
    }

    /**
     * Runs a bot program: plays a match and prints its outcome on one line. If the match cannot be
     * played to its end, prints one line to standard error and exits with code 1.
     */
    public static void run(Bot bot, Options options) throws InterruptedException {
        try {
            MatchResult result = play(bot, options);
            print(options, "match %s is over; %s".formatted(result.getMatchId(), places(result)));
        } catch (PlayException error) {
            fail(options, error);
        }
    }

    /**
     * Runs a bot program that can attend: plays the match of BRIDGEMASTER_TICKET, or attends the
     * queue of BRIDGEMASTER_QUEUE and plays every match offered there. Each match gets its own bot.
     * Failures are handled as in {@link #run}.
     */
    public static void runEach(Supplier<? extends Bot> newBot, Options options)
            throws InterruptedException {
        if (!options.shouldAttend()) {
            run(newBot.get(), options);
            return;
        }
        try {
            attend(newBot, options);
            print(options, "left the queue");
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

    private static void print(Options options, String line) {
        System.out.println(Refusals.escape(options.name() + ": " + line));
    }

    private static void fail(Options options, PlayException error) {
        System.err.println(Refusals.escape(options.name() + ": error: " + error.getMessage()));
        System.exit(1);
    }
}
