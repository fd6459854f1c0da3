import bridgemaster.client.Bot;
import bridgemaster.client.Bridgemaster;
import bridgemaster.client.Choice;
import bridgemaster.client.Options;
import bridgemaster.client.Request;

/** A bot that plays every game: it takes the legal decision in the middle of the list. */
public final class MyBot implements Bot {
    /**
     * Answers a request: with a position in the list of legal decisions, or with a decision in
     * full.
     *
     * <p>The request has all that there is to know. {@code request.game()} has what this seat sees
     * and may do, in the entry of the game: {@code getAlhambra().getObservation()}. {@code
     * decisionLeft} and {@code bankLeft} tell the time that is left.
     */
    @Override
    public Choice decide(Request request) {
        return Choice.index(request.legalCount() / 2);
    }

    public static void main(String[] arguments) throws InterruptedException {
        // Each match gets a bot of its own.
        Bridgemaster.runEach(MyBot::new, new Options("my-bot").version("0.1"));
    }
}
