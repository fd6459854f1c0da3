//! The notation of decisions: any other spelling is refused.

use bridgemaster_games::carcassonne::Decision;

#[test]
fn a_decision_has_one_text() {
    for text in [
        "place -2 3 1",
        "meeple none",
        "meeple monastery",
        "meeple field wr",
        "drawbridge home",
        "drawbridge -1 0 n",
    ] {
        assert_eq!(text.parse::<Decision>().unwrap().to_string(), text);
    }
    for text in [
        "place +1 0 0",
        "place 1 00 0",
        "place -0 0 0",
        "place 1 0 01",
        "place 1 0 4",
        "place 128 0 0",
        "drawbridge +1 0 n",
        "drawbridge 1 -0 n",
        "meeple monastery n",
        "meeple field n",
        "pass",
    ] {
        let error = text.parse::<Decision>().unwrap_err().to_string();
        let start = format!("{text:?} is not a decision; expected ");
        assert!(error.starts_with(&start), "{error}");
    }
}
