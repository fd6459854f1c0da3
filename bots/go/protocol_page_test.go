package bridgemaster

import (
	"os"
	"regexp"
	"testing"

	"google.golang.org/grpc/codes"

	v1 "github.com/bridgemaster-games/bridgemaster/bots/go/gen/bridgemaster/v1"
)

func TestTheAdviceForEveryReasonIsTheOneOfTheTable(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/refusals.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| `([A-Z_]+)` \\|.*\\| (retry|fix|stop)[^|]*\\|$")
	rows := row.FindAllStringSubmatch(string(page), -1)
	if len(rows) != len(v1.RefusalReason_name)-1 {
		t.Fatalf("%d rows; want one for each reason except UNSPECIFIED", len(rows))
	}
	advices := map[string]Advice{"retry": Retry, "fix": Fix, "stop": Stop}
	for _, row := range rows {
		if got := adviceFor(row[1], codes.Unavailable); got != advices[row[2]] {
			t.Errorf("%s: %s", row[1], got)
		}
	}
}
