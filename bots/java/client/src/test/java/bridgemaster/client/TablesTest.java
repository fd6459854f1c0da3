package bridgemaster.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import bridgemaster.client.PlayException.Advice;
import bridgemaster.client.PlayException.InvalidOptions;
import bridgemaster.client.Refusals.StreamLost;
import io.grpc.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** The tables that all SDKs share. */
final class TablesTest {
    private static List<String[]> rows(String name) throws IOException {
        return Files.readAllLines(Path.of("../../../sdk", name)).stream()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.split("\t"))
                .toList();
    }

    private static String parse(String address) {
        try {
            var parsed = Server.parseAddress(address);
            return "%s %s:%d".formatted(parsed.scheme(), parsed.host(), parsed.port());
        } catch (InvalidOptions error) {
            String message = error.getMessage();
            return "error " + message.substring(message.lastIndexOf(": ") + 2);
        }
    }

    @Test
    void addressesAreParsedAsSpecified() throws Exception {
        for (String[] row : rows("addresses.tsv")) {
            assertEquals(row[1], parse(row[0]), row[0]);
        }
    }

    private static Advice advice(Throwable failure) {
        try {
            Refusals.throwFor(failure);
        } catch (StreamLost lost) {
            return Advice.RETRY;
        } catch (PlayException error) {
            return error.advice();
        }
        throw new AssertionError("throwFor must throw");
    }

    @Test
    void everyStatusIsHandledAsTheTableSays() throws Exception {
        for (String[] row : rows("statuses.tsv")) {
            var code = Status.fromCodeValue(Integer.parseInt(row[0])).getCode();
            var failure = ScriptedServer.refusal(code, row[1].equals("-") ? "" : row[1]);
            var expected = Advice.valueOf(row[2].toUpperCase(Locale.ROOT));
            assertEquals(expected, advice(failure), String.join(" ", row));
        }
    }
}
