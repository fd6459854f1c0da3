package bridgemaster

import (
	"bufio"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
)

// rows returns the rows of a table that all SDKs share.
func rows(t *testing.T, name string) [][]string {
	t.Helper()
	file, err := os.Open("../../sdk/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var rows [][]string
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if !strings.HasPrefix(lines.Text(), "#") {
			rows = append(rows, strings.Split(lines.Text(), "\t"))
		}
	}
	return rows
}

func TestAddressesAreParsedAsSpecified(t *testing.T) {
	for _, row := range rows(t, "addresses.tsv") {
		scheme, target, err := parseAddress(row[0])
		got := scheme + " " + target
		var invalid *OptionsError
		if errors.As(err, &invalid) {
			got = "error " + invalid.Message[strings.LastIndex(invalid.Message, ": ")+2:]
		}
		if got != row[1] {
			t.Errorf("%q: got %q, want %q", row[0], got, row[1])
		}
	}
}

func TestEveryStatusIsHandledAsTheTableSays(t *testing.T) {
	advices := map[string]Advice{"retry": Retry, "fix": Fix, "stop": Stop}
	for _, row := range rows(t, "statuses.tsv") {
		code, err := strconv.Atoi(row[0])
		if err != nil {
			t.Fatal(err)
		}
		reason := strings.TrimPrefix(row[1], "-")
		failure := errorFromRPC(refusal(t, codes.Code(code), reason))
		got := Retry
		var refused *RefusedError
		if errors.As(failure, &refused) {
			got = refused.Advice
		} else if _, ok := failure.(*streamLost); !ok {
			t.Errorf("%v: %v", row, failure)
		}
		if got != advices[row[2]] {
			t.Errorf("%v: got %s", row, got)
		}
	}
}
