//! `bridgemaster contest` in every game.

use bridgemaster_games::GAME_IDS;

use crate::program::run;

#[test]
fn greedy_is_accepted_over_random_within_ten_groups_in_every_game() {
    let folder = tempfile::tempdir().unwrap();
    for game in GAME_IDS {
        let path = folder.path().join(game);
        let report = folder.path().join(format!("{game}.json"));
        let ran = run([
            "contest",
            "--quiet",
            "--game",
            game,
            "--bot",
            "greedy",
            "--against",
            "random",
            "--seed",
            "four",
            "--max-groups",
            "10",
            // A busy machine spoils no match by its lag.
            "--referee-lag-limit-ms",
            "10000",
            "--folder",
            path.to_str().unwrap(),
            "--json",
            report.to_str().unwrap(),
        ]);
        assert_eq!(ran.code, Some(0), "{game}: {}{}", ran.out, ran.err);
        let report = std::fs::read_to_string(report).unwrap();
        let report = crate::report_files::json(&report);
        assert_eq!(report["exit"]["reason"], "accepted", "{game}");
    }
}
