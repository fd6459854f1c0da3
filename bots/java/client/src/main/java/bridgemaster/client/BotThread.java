package bridgemaster.client;

import bridgemaster.v1.Match.MatchResult;
import bridgemaster.v1.Play.PlayResponse;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;

/**
 * Calls the methods of a bot one after the other. Its thread is a daemon: a bot that thinks on
 * after the end keeps no program from ending.
 */
final class BotThread {
    /** What the bot chose. */
    record Answered(Request request, Choice choice) {}

    /** The bot has done all that it was given, or what it threw. */
    record Done(Throwable thrown) {}

    private final Bot bot;
    private final Consumer<Object> happened;
    private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
    private volatile boolean stopped;

    BotThread(Bot bot, Consumer<Object> happened) {
        this.bot = bot;
        this.happened = happened;
        var thread = new Thread(this::run, "bridgemaster-bot");
        thread.setDaemon(true);
        thread.start();
    }

    void ask(Request request) {
        tasks.add(() -> happened.accept(new Answered(request, bot.decide(request))));
    }

    void tell(PlayResponse response) {
        tasks.add(
                () -> {
                    switch (response.getMessageCase()) {
                        case MATCH_STARTED -> bot.matchStarted(response.getMatchStarted());
                        case DECISION_REJECTED ->
                                bot.decisionRejected(response.getDecisionRejected());
                        default -> bot.seatChanged(response.getSeatStatus());
                    }
                });
    }

    /** Tells the result; {@link Done} comes after all that the bot was given. */
    void finish(MatchResult result) {
        tasks.add(() -> bot.matchEnded(result));
        stopAfterTasks();
    }

    /** Gives the bot nothing more; it may still be thinking. */
    void stop() {
        stopped = true;
        stopAfterTasks();
    }

    private void stopAfterTasks() {
        tasks.add(() -> stopped = true);
    }

    private void run() {
        Throwable thrown = null;
        try {
            while (!stopped) {
                tasks.take().run();
            }
        } catch (InterruptedException | RuntimeException | Error error) {
            thrown = error;
        }
        happened.accept(new Done(thrown));
    }
}
