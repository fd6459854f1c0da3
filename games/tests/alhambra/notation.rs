//! The notation of decisions: any other spelling is refused.

use bridgemaster_games::alhambra::Decision;

#[test]
fn a_decision_has_one_text() {
    for text in [
        "take b2 g3",
        "buy orange 5 3 1",
        "buy orange 5 3 1 give",
        "pass",
    ] {
        assert_eq!(text.parse::<Decision>().unwrap().to_string(), text);
    }
    for text in [
        "take",
        "take g3 b2",
        "take  b2",
        "take b02",
        "take b0",
        "take b1 b1 b1 b1 b1",
        "buy orange",
        "buy orange give",
        "buy orange 1 3",
        "buy orange  3",
        "buy orange 3 give 1",
        "buy orange 3 give give",
        "buy orange 3 3 3 3",
        "buy orange 10",
        "pass 1",
    ] {
        let error = text.parse::<Decision>().unwrap_err().to_string();
        let start = format!("{text:?} is not a decision; expected ");
        assert!(error.starts_with(&start), "{error}");
    }
}
