package bridgemaster.client;

import bridgemaster.v1.Match.MatchResult;
import bridgemaster.v1.Play.PlayResponse;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;

/**
 * Calls the methods of a bot in sequence. Its thread is a daemon: a bot that still computes after
 * the match does not keep the program running.
 */
final class BotThread {
    /** An event: the bot's choice for a request. */
    record Answered(Request request, Choice choice) {}

    /** An event: the bot has finished all calls, or a call threw an exception (otherwise null). */
    record Done(Throwable thrown) {}

    private final Bot bot;
    private final Consumer<Object> events;
    private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
    private final Thread thread;
    private volatile boolean stopped;
    /** The request on which the bot decides; null during other calls. */
    private Request deciding;

    BotThread(Bot bot, Consumer<Object> events) {
        this.bot = bot;
        this.events = events;
        thread = new Thread(this::run, "bridgemaster-bot");
        thread.setDaemon(true);
        thread.start();
    }

    void decide(Request request) {
        tasks.add(() -> callDecide(request));
    }

    private void callDecide(Request request) {
        setDeciding(request);
        Choice choice;
        try {
            if (request.isCancelled()) {
                return;
            }
            choice = bot.decide(request);
        } catch (RuntimeException error) {
            if (request.isCancelled()) {
                return;
            }
            throw error;
        } finally {
            setDeciding(null);
        }
        if (choice == null && !request.isCancelled()) {
            throw new IllegalStateException(
                    "decide returned null; expected Choice.index, Choice.decision or"
                            + " Choice.resign");
        }
        events.accept(new Answered(request, choice));
    }

    private synchronized void setDeciding(Request request) {
        deciding = request;
        // An interrupt is for one request only.
        Thread.interrupted();
    }

    /** Cancels a request: its answer is no longer needed. */
    synchronized void cancel(Request request) {
        request.cancel();
        if (deciding == request) {
            thread.interrupt();
        }
    }

    /** Waits until the current call has returned, after {@link #stop} or {@link Done}. */
    void join() throws InterruptedException {
        thread.join();
    }

    void notifyBot(PlayResponse response) {
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

    /** Passes the result to the bot; {@link Done} follows once it has finished all calls. */
    void finish(MatchResult result) {
        tasks.add(() -> bot.matchEnded(result));
        stopAfterTasks();
    }

    /** Skips the remaining calls; the current one might still be running. */
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
        events.accept(new Done(thrown));
    }
}
