//! Reports and rows for testing the outputs.

use bridgemaster_runner::{
    BotChange, BotFile, BotFileName, BotReport, BotSpec, ConfidenceReport, ContestSpec, Counts,
    EloReport, Exit, ExitReason, Format, GroupNumber, GroupPoint, Identity, IntervalReport,
    Machine, MatchNumber, MatchRow, MatchRules, Origin, PairReport, REPORT_VERSION, RanksReport,
    RefusedCallsReport, Report, RequirementReport, SeatReport, StoppedBy, TestReport, TestSpec,
    VerdictKind, VerdictReport, WorstMatch, WorstMatchReason,
};

/// A text with markup, a formula, Markdown, control characters, and a change of text direction.
pub(super) const HOSTILE: &str = "=cmd|' /C calc'!A1<img src=x onerror=alert(1)>]]>&\"'`|**b**\
    [x](javascript:y)@everyone\n# FORGED\r\n\u{202e}\u{200b}\u{1b}[2J\u{9b}\u{7f}\u{fffe}";

fn interval(estimate: f64, reach: f64) -> IntervalReport {
    IntervalReport { estimate, low: estimate - reach, high: estimate + reach }
}

fn spec() -> ContestSpec {
    let rules = MatchRules { game: "carcassonne".to_owned(), seats: 2, ..MatchRules::default() };
    let bots = vec![BotSpec::from_command("mine", "python3 bot.py"), BotSpec::built_in("greedy")];
    let format =
        Format::Candidate { candidate: "mine".to_owned(), against: vec!["greedy".to_owned()] };
    ContestSpec {
        test: Some(TestSpec::default()),
        restarts: Some(1),
        require: vec!["elo>=0@95%".parse().unwrap()],
        concurrency: Some(2),
        queue: Some("cup".to_owned()),
        seeds_per_match: true,
        trust_remote: true,
        bot_memory_bytes: Some(1 << 28),
        affinity: true,
        ..ContestSpec::new(rules, bots, format)
    }
}

fn bot(number: usize, name: &str, score: f64) -> BotReport {
    BotReport {
        bot: number,
        name: name.to_owned(),
        command: name.to_owned(),
        played: 24,
        groups: 12,
        score: Some(interval(score, 0.125)),
        elo: Some(match number {
            0 => interval(101.5, 60.0).into(),
            _ => EloReport { estimate: None, low: None, high: Some(-41.5) },
        }),
        ranks: Some(RanksReport { best: 1, worst: 2 }),
        by_seat: vec![SeatReport { played: 24, score: Some(score) }, SeatReport::default()],
        wins: 20,
        shared_wins: 1,
        win_rate: Some(interval(0.75, 0.125)),
        place: Some(interval(1.25, 0.125)),
        margin: Some(interval(12.5, 4.0)),
        forfeits: number as u64,
        faults: number as u64,
        faults_by_reason: vec![("DISCONNECTED".to_owned(), 1)],
        restarts: number as u64,
        answered: 700,
        mean_us: 1_500,
        longest_us: 90_000,
        least_bank_left_ms: Some(12_000),
        peak_memory_bytes: Some(1 << 25),
        mean_cpu_time_ms: Some(120),
        out_of_memory: number as u64,
        worst: vec![WorstMatch {
            of: match_number(3, 1),
            seat: 1,
            seed: "7-3".to_owned(),
            why: match number {
                0 => WorstMatchReason::Lost,
                _ => WorstMatchReason::Forfeited { reason: "DISCONNECTED".to_owned() },
            },
            ran_out_of_memory: number == 1,
            place: 2,
            score: 41,
            margin: -20,
            replay: Some("replays/lost/3.1.bmreplay".to_owned()),
            stderr: Some("stderr/3.1.mine.txt".to_owned()),
        }],
    }
}

fn match_number(group: u64, number: u32) -> MatchNumber {
    MatchNumber { group: GroupNumber(group), number }
}

fn verdict() -> VerdictReport {
    VerdictReport {
        candidate: 0,
        verdict: VerdictKind::Accepted,
        decided_by: Some(StoppedBy::Betting),
        groups: 12,
        matches: 24,
        test: Some(TestReport {
            llr: 2.5,
            llr_lower: -3.66,
            llr_upper: 3.66,
            wealth_for: Some(41.0),
            wealth_against: Some(0.25),
            wealth_to_accept: Some(40.0),
            wealth_to_reject: Some(40.0),
            expected_groups_at_lower: 120.5,
            expected_groups_at_upper: 118.25,
        }),
        elo: Some(interval(101.5, 60.0).into()),
        normalized_elo: Some(90.25),
        superiority: Some(0.9921875),
        confidence: ConfidenceReport {
            level: 0.95,
            score_low: 0.53125,
            score_high: 0.875,
            elo_low: Some(21.75),
            elo_high: None,
        },
        rests_on_few_groups: true,
        half_points: Some([0, 1, 2, 3, 6]),
    }
}

fn identity() -> Identity {
    let name = BotFileName { bot: Some("mine".to_owned()), file: "bot.py".to_owned() };
    Identity {
        runs: vec![Origin {
            bridgemaster_version: "0.1.0".to_owned(),
            machine: Machine {
                os: "linux 6.1.0".to_owned(),
                arch: "x86_64".to_owned(),
                cpu: Some("a processor".to_owned()),
                cores: 2,
                memory_bytes: Some(1 << 30),
            },
            git_commit: Some("a".repeat(40)),
        }],
        files: vec![BotFile { name: name.clone(), path: "bot.py".into(), sha256: "b".repeat(64) }],
        changes: vec![BotChange {
            name,
            before: Some("c".repeat(64)),
            after: Some("b".repeat(64)),
            before_match: Some(MatchNumber { group: GroupNumber(3), number: 1 }),
        }],
    }
}

/// Returns a report with all optional parts.
pub(super) fn report() -> Report {
    Report {
        report_version: REPORT_VERSION,
        spec: spec(),
        folder: "contest".into(),
        rules_version: Some(1),
        exit: Exit {
            reason: ExitReason::Accepted,
            code: 0,
            sentence: "mine is better than greedy".to_owned(),
            bot: None,
        },
        verdict: Some(verdict()),
        bots: vec![bot(0, "mine", 0.75), bot(1, "greedy", 0.25)],
        pairs: vec![PairReport { bot: 0, opponent: 1, wins: 20, ties: 1, losses: 3 }],
        series: (0..12)
            .map(|number| GroupPoint {
                group: GroupNumber(number),
                score: 0.75,
                mean_score: 0.75,
                margin: 8.0 + number as f64,
                llr: Some(number as f64 * 0.3 - 0.5),
                confidence_low: 0.4,
                confidence_high: 0.9,
                wealth_for: Some(1.0 + number as f64),
                wealth_against: Some(0.0),
            })
            .collect(),
        counts: Counts {
            groups: 12,
            planned_groups: Some(1000),
            matches: 24,
            surplus_matches: 3,
            annulled_for_referee_lag: 1,
            annulled_for_server_crash: 2,
            annulled_for_bot_fault: 4,
            annulled_for_decline: 6,
            repeated_groups: 5,
            forfeited_matches: 1,
            faults: 1,
            decisions: 1_700,
        },
        requirements: vec![RequirementReport {
            text: "elo>=0@95%".to_owned(),
            bot: 0,
            is_met: true,
            estimate: Some(101.5),
            interval_end: Some(41.5),
        }],
        refused_calls: vec![RefusedCallsReport {
            bot: Some(0),
            method: "MatchService/CancelMatch".to_owned(),
            count: 2,
        }],
        elapsed_ms: 61_500,
        isolation: None,
        identity: identity(),
    }
}

/// Returns the report on a contest that ended before its first match.
pub(super) fn empty_report() -> Report {
    let mut report = report();
    report.rules_version = None;
    report.exit = Exit {
        reason: ExitReason::BotFault,
        code: ExitReason::BotFault.code(),
        sentence: "mine cannot be started".to_owned(),
        bot: None,
    };
    report.verdict = None;
    report.series.clear();
    report.pairs.clear();
    report.counts = Counts::default();
    report.requirements[0] = RequirementReport {
        is_met: false,
        estimate: None,
        interval_end: None,
        ..report.requirements[0].clone()
    };
    for bot in &mut report.bots {
        *bot = BotReport {
            played: 0,
            groups: 0,
            score: None,
            elo: None,
            ranks: None,
            by_seat: Vec::new(),
            wins: 0,
            shared_wins: 0,
            win_rate: None,
            place: None,
            margin: None,
            faults_by_reason: Vec::new(),
            restarts: 0,
            least_bank_left_ms: None,
            peak_memory_bytes: None,
            mean_cpu_time_ms: None,
            out_of_memory: 0,
            worst: Vec::new(),
            ..bot.clone()
        };
    }
    report
}

fn seat(number: usize) -> serde_json::Value {
    let is_success = number == 0;
    serde_json::json!({
        "bot": number,
        "place": number + 1,
        "place_by_score": number + 1,
        "score": if is_success { 40 } else { -3 },
        "forfeit": (!is_success).then_some("DISCONNECTED"),
        "fault_count": number,
        "faults": if is_success { vec![] } else {
            vec![serde_json::json!({
                "reason": "DISCONNECTED",
                "action": "FORFEIT",
                "detail": "the stream ended",
                "at_ms": 900,
            })]
        },
        "answered": 30,
        "charged_us": 45_000,
        "longest_us": 9_000,
        "bank_left_ms": 12_000,
        "house_decisions": 3,
        "end": if is_success {
            serde_json::json!({ "how": "done" })
        } else {
            serde_json::json!({ "how": "exited", "code": 3 })
        },
        "stderr": (!is_success).then_some("stderr/0.0.greedy.txt"),
        "stderr_tail": if is_success { "" } else { "Traceback\n  out of ideas" },
        "peak_memory_bytes": 1 << 25,
        "cpu_time_ms": null,
    })
}

fn row(number: u32, annulled: Option<&str>) -> MatchRow {
    serde_json::from_value(serde_json::json!({
        "group": 0,
        "number": number,
        "attempt": 0,
        "match_id": "m-1",
        "seed": "7-0",
        "seats": [seat(0), seat(1)],
        "decisions": 71,
        "duration_ms": 1_234,
        "longest_referee_lag_us": 200,
        "replay": "replays/0.0.bmreplay",
        "annulled": annulled.map(|because| {
            serde_json::json!({ "because": because, "detail": "300 ms" })
        }),
        "rules_version": 1,
        "elapsed_ms": 2_500,
    }))
    .unwrap()
}

/// Returns two matches, of which only the first counts.
pub(super) fn rows() -> Vec<MatchRow> {
    vec![row(0, None), row(1, Some("referee_lag"))]
}

/// Returns a report with [`HOSTILE`] in every untrusted text.
pub(super) fn hostile_report() -> Report {
    let hostile = || HOSTILE.to_owned();
    let mut report = report();
    report.exit.reason = ExitReason::BotFault;
    report.exit.code = report.exit.reason.code();
    report.exit.sentence = hostile();
    report.folder = HOSTILE.replace('\0', "").into();
    report.spec.rules.game = hostile();
    for bot in &mut report.spec.bots {
        bot.name = hostile();
        bot.command = Some(hostile());
    }
    for bot in &mut report.bots {
        bot.name = hostile();
        bot.command = hostile();
        bot.faults_by_reason = vec![(hostile(), 1)];
        for worst in &mut bot.worst {
            worst.seed = hostile();
            worst.why = WorstMatchReason::Forfeited { reason: hostile() };
            worst.replay = Some(hostile());
            worst.stderr = Some(hostile());
        }
    }
    for requirement in &mut report.requirements {
        requirement.text = hostile();
        requirement.is_met = false;
    }
    report
}

/// Returns rows with [`HOSTILE`] in every untrusted text.
pub(super) fn hostile_rows() -> Vec<MatchRow> {
    let hostile = || HOSTILE.to_owned();
    let mut rows = rows();
    for row in &mut rows {
        row.match_id = hostile();
        row.seed = hostile();
        row.replay = Some(hostile());
        for seat in &mut row.seats {
            seat.forfeit = Some(hostile());
            seat.stderr = Some(hostile());
            seat.stderr_tail = format!("```\n</pre>{HOSTILE}");
            for fault in &mut seat.faults {
                fault.reason = hostile();
                fault.detail = hostile();
            }
        }
    }
    rows
}
