package bridgemaster.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import bridgemaster.v1.Refusal.RefusalReason;
import io.grpc.Status;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Compares the library with the table of refusals. */
final class ProtocolPageTest {
    @Test
    void theAdviceForEveryReasonIsTheOneOfTheTable() throws Exception {
        String page = Files.readString(Path.of("../../../docs/reference/refusals.md"));
        var row = Pattern.compile("(?m)^\\| `([A-Z_]+)` \\|.*\\| (retry|fix|stop)[^|]*\\|$");
        var rows = row.matcher(page).results().toList();
        // UNSPECIFIED and UNRECOGNIZED, which Java adds, have no row.
        assertEquals(RefusalReason.values().length - 2, rows.size());
        for (var each : rows) {
            String advice = Refusals.advice(each.group(1), Status.Code.UNAVAILABLE).name();
            assertEquals(each.group(2).toUpperCase(), advice, each.group(1));
        }
    }
}
