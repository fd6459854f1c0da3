import bridgemaster.client.Bot;
import bridgemaster.client.Bridgemaster;
import bridgemaster.client.Choice;
import bridgemaster.client.Options;
import bridgemaster.client.Request;

/** A bot that plays every game: it chooses the legal decision in the middle of the list. */
public final class MyBot implements Bot {
    /**
     * Returns the index of a legal decision, or a complete decision.
     *
     * <p>{@code request.game()} has the observation and the legal decisions of this seat in the
     * field of the game, such as {@code getAlhambra().getObservation()}. {@code decisionLeft} and
     * {@code bankLeft} return the remaining time.
     */
    @Override
    public Choice decide(Request request) {
        return Choice.index(request.legalCount() / 2);
    }

    public static void main(String[] arguments) throws InterruptedException {
        // Each match has its own instance of the bot.
        Bridgemaster.runEach(MyBot::new, new Options("my-bot").version("0.1"));
    }
}
