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

/** Plays every game: computes a value for each legal decision and answers with the best. */
public final class SampleBot implements Bot {
    /** The round in which pillars are placed. Earlier pillars would only stop runs from growing. */
    private static final int LAST_ROUND = 3;
    /** Number of meeples reserved for cities and monasteries. */
    private static final int RESERVE = 2;

    public static void main(String[] arguments) throws InterruptedException {
        Bridgemaster.runEach(SampleBot::new, new Options("java-sample").version("1"));
    }

    @Override
    public Choice decide(Request request) {
        var game = request.game();
        return switch (game.getGameCase()) {
            case OLD_LONDON_BRIDGE -> {
                var message = game.getOldLondonBridge();
                yield best(message.getLegalDecisionsList(), SampleBot::valueInOldLondonBridge);
            }
            case ALHAMBRA -> {
                var message = game.getAlhambra();
                var yard = message.getObservation().getYard();
                yield best(message.getLegalDecisionsList(), each -> valueInAlhambra(each, yard));
            }
            case BRIDGES_TO_NOWHERE -> {
                var message = game.getBridgesToNowhere();
                int round = message.getObservation().getRound();
                yield best(message.getLegalDecisionsList(), each -> valueInBridges(each, round));
            }
            case CARCASSONNE -> {
                var message = game.getCarcassonne();
                var view = message.getObservation();
                yield best(message.getLegalDecisionsList(), each -> valueInCarcassonne(each, view));
            }
            // The game is unknown to this program. An index is a valid answer in every game.
            default -> Choice.index(ThreadLocalRandom.current().nextInt(request.legalCount()));
        };
    }

    /** Chooses a decision with the highest value; ties are broken at random. */
    private static <D extends Message> Choice best(List<D> legal, ToIntFunction<D> value) {
        var equals = new ArrayList<D>();
        int highest = Integer.MIN_VALUE;
        for (D decision : legal) {
            int current = value.applyAsInt(decision);
            if (current > highest) {
                highest = current;
                equals.clear();
            }
            if (current == highest) {
                equals.add(decision);
            }
        }
        return Choice.decision(equals.get(ThreadLocalRandom.current().nextInt(equals.size())));
    }

    /** Prefers placements in the centre, and uses tiles before it ends the turn. */
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

    /** Prefers exact purchases by price, and otherwise takes the most money. */
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
        int excess = sum(buy.getPaymentList()) - building.getPrice();
        return building.getPrice() + (excess == 0 ? 10 : -2 * excess);
    }

    /** Prefers high numbers, and builds them on high levels. */
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

    /** Prefers cells with many neighbours, and segments that score for a meeple. */
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
        int minValue = view.getSeats(view.getViewerSeat()).getSupply() > RESERVE ? 1 : 2;
        int value = valueOf(decision.getMeeple().getSegment());
        return value >= minValue ? value : -1;
    }

    /**
     * Returns the value of a segment for a meeple. Fields are worth least, because a meeple on a
     * field stays to the end of the match.
     */
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
