package sample;

import bridgemaster.client.Bot;
import bridgemaster.client.Bridgemaster;
import bridgemaster.client.Choice;
import bridgemaster.client.Options;
import bridgemaster.client.Request;
import bridgemaster.games.alhambra.v1.Components.Building;
import bridgemaster.games.alhambra.v1.Components.MoneyCard;
import bridgemaster.games.alhambra.v1.ObservationOuterClass.Yard;
import bridgemaster.games.carcassonne.v1.Components.Segment;
import com.google.protobuf.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.ToIntFunction;

/** Plays every game: gives each legal decision a value and answers the best in full. */
public final class SampleBot implements Bot {
    /** In the last of three rounds the pillars are placed: earlier they stop runs from growing. */
    private static final int LAST_ROUND = 3;
    /** Meeples that are kept for cities and monasteries. */
    private static final int RESERVE = 2;

    public static void main(String[] arguments) throws InterruptedException {
        Bridgemaster.runEach(SampleBot::new, new Options("java-sample").version("1"));
    }

    @Override
    public Choice decide(Request request) {
        var game = request.game();
        return switch (game.getGameCase()) {
            case OLD_LONDON_BRIDGE -> {
                var asked = game.getOldLondonBridge();
                yield best(asked.getLegalDecisionsList(), SampleBot::valueInOldLondonBridge);
            }
            case ALHAMBRA -> {
                var asked = game.getAlhambra();
                var yard = asked.getObservation().getYard();
                yield best(asked.getLegalDecisionsList(), each -> valueInAlhambra(each, yard));
            }
            case BRIDGES_TO_NOWHERE -> {
                var asked = game.getBridgesToNowhere();
                int round = asked.getObservation().getRound();
                yield best(asked.getLegalDecisionsList(), each -> valueInBridges(each, round));
            }
            case CARCASSONNE -> {
                var asked = game.getCarcassonne();
                var view = asked.getObservation();
                yield best(asked.getLegalDecisionsList(), each -> valueInCarcassonne(each, view));
            }
            // A game of a newer server: an index works without knowing it.
            default -> Choice.index(ThreadLocalRandom.current().nextInt(request.legalCount()));
        };
    }

    /** Chooses a decision of the highest value, by chance among equals. */
    private static <D extends Message> Choice best(List<D> legal, ToIntFunction<D> value) {
        var equals = new ArrayList<D>();
        int highest = Integer.MIN_VALUE;
        for (D decision : legal) {
            int worth = value.applyAsInt(decision);
            if (worth > highest) {
                highest = worth;
                equals.clear();
            }
            if (worth == highest) {
                equals.add(decision);
            }
        }
        return Choice.full(equals.get(ThreadLocalRandom.current().nextInt(equals.size())));
    }

    /** Uses what it has before it ends its turn, and likes the centre. */
    private static int valueInOldLondonBridge(
            bridgemaster.games.old_london_bridge.v1.DecisionOuterClass.Decision decision) {
        return switch (decision.getDecisionCase()) {
            case END -> -1;
            case TAKE_CARDS -> sum(decision.getTakeCards().getCardsList());
            case PLACE ->
                    decision.getPlace().getSpotValue() + (decision.getPlace().getShare() ? 1 : 0);
            default -> 0;
        };
    }

    /** Buys at exact prices, the dearest first; else takes the most money. */
    private static int valueInAlhambra(
            bridgemaster.games.alhambra.v1.DecisionOuterClass.Decision decision, Yard yard) {
        if (decision.hasTake()) {
            return decision.getTake().getCardsList().stream().mapToInt(MoneyCard::getValue).sum();
        }
        var buy = decision.getBuy();
        if (!decision.hasBuy() || buy.getGive()) {
            return 0;
        }
        Building building =
                switch (buy.getSlot()) {
                    case CURRENCY_BLUE -> yard.getBlue();
                    case CURRENCY_GREEN -> yard.getGreen();
                    case CURRENCY_ORANGE -> yard.getOrange();
                    default -> yard.getYellow();
                };
        int tooMuch = sum(buy.getPaymentList()) - building.getPrice();
        return building.getPrice() + (tooMuch == 0 ? 10 : -2 * tooMuch);
    }

    /** Drafts high numbers and builds them high up. */
    private static int valueInBridges(
            bridgemaster.games.bridges_to_nowhere.v1.DecisionOuterClass.Decision decision,
            int round) {
        if (decision.hasTake()) {
            return decision.getTake().getBridgeCard().getNumber();
        }
        var place = decision.getPlace();
        return switch (place.getPieceCase()) {
            case BRIDGE_CARD -> place.getLevel() * place.getBridgeCard().getNumber();
            case PILLAR -> round == LAST_ROUND ? 1 : -1;
            case MONUMENT -> 1;
            default -> 0;
        };
    }

    /** Lays tiles where many lie around, and places meeples where they pay. */
    private static int valueInCarcassonne(
            bridgemaster.games.carcassonne.v1.DecisionOuterClass.Decision decision,
            bridgemaster.games.carcassonne.v1.ObservationOuterClass.Observation view) {
        if (decision.hasPlace()) {
            int x = decision.getPlace().getX();
            int y = decision.getPlace().getY();
            return (int)
                    view.getTilesList().stream()
                            .filter(tile -> Math.abs(tile.getX() - x) <= 1)
                            .filter(tile -> Math.abs(tile.getY() - y) <= 1)
                            .count();
        }
        if (!decision.getMeeple().hasSegment()) {
            return 0;
        }
        int wanted = view.getSeats(view.getViewerSeat()).getSupply() > RESERVE ? 1 : 2;
        int value = valueOf(decision.getMeeple().getSegment());
        return value >= wanted ? value : -1;
    }

    /** How good a segment is for a meeple. On a field it would stay to the end. */
    private static int valueOf(Segment segment) {
        return switch (segment) {
            case SEGMENT_MONASTERY -> 3;
            case SEGMENT_CITY_NORTH, SEGMENT_CITY_EAST, SEGMENT_CITY_SOUTH, SEGMENT_CITY_WEST -> 2;
            case SEGMENT_ROAD_NORTH, SEGMENT_ROAD_EAST, SEGMENT_ROAD_SOUTH, SEGMENT_ROAD_WEST -> 1;
            default -> 0;
        };
    }

    private static int sum(List<Integer> numbers) {
        return numbers.stream().mapToInt(Integer::intValue).sum();
    }
}
