//! The notation of decisions: any other spelling is refused.

use bridgemaster_games::bridges_to_nowhere::Decision;

#[test]
fn a_decision_has_one_text() {
    for text in [
        "take truss 4 fish boat",
        "take cable toll bird bird",
        "take monument",
        "place pillar at 2 -3",
        "end",
    ] {
        assert_eq!(text.parse::<Decision>().unwrap().to_string(), text);
    }
    for text in [
        "take truss 04 fish boat",
        "take truss +4 fish boat",
        "take truss 4 fish boat boat",
        "take pillar",
        "place pillar at +2 -3",
        "place pillar at 2 -0",
        "place pillar at 2 -03",
        "place pillar at 2 128",
        "end 1",
    ] {
        let error = text.parse::<Decision>().unwrap_err().to_string();
        let start = format!("{text:?} is not a decision; expected ");
        assert!(error.starts_with(&start), "{error}");
    }
}
