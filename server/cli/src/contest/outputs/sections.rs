//! The content of a contest's report: its sections and charts, which all formats except JSON render.

use bridgemaster_runner::{
    BotReport, FaultCounting, GroupPoint, IntervalReport, MatchRow, RatingErrors, Report,
    RequirementReport, SeatRow, VerdictReport, WorstMatchReason,
};

use crate::{
    contest::figures::{self, or_dash, ranks, share, signed, verdict_so_far},
    contest::outputs::model::{Block, Cell, Chart, Column, Item, Section, Table},
    quantities::{count, duration_of, memory, time_us},
};

/// Maximum number of bot processes whose standard error is quoted.
const MAX_QUOTES: usize = 3;
/// Maximum number of the worst matches of all bots together.
const MAX_WORST: usize = 5;
/// Maximum number of points per line of a chart. More points would overlap.
const MAX_POINTS: usize = 600;

/// Returns the sections on the whole contest, without empty ones.
pub(crate) fn overview(report: &Report) -> Vec<Section> {
    let sections = [
        Section::new("Bots", standings(report)),
        Section::new("Verdict", lines(verdict(report))),
        Section::new("Matches", lines(counts(report))),
        Section::new("Requirements", lines(requirements(report))),
    ];
    let sections = sections.into_iter();
    sections
        .filter(|section| !section.blocks.is_empty())
        .collect()
}

fn lines(lines: Vec<String>) -> Vec<Block> {
    if lines.is_empty() {
        Vec::new()
    } else {
        vec![Block::Lines(lines)]
    }
}

/// Returns the bots' standings, once a bot has played.
pub(crate) fn standings_table(report: &Report) -> Table {
    let row = |bot: &BotReport| {
        vec![
            or_dash(ranks(bot)).into(),
            bot.name.clone().into(),
            or_dash(bot.rating.map(|rating| signed(rating.elo))).into(),
            Cell::share(bot.score),
            Cell::share(bot.win_rate),
            or_dash(bot.margin.map(signed)).into(),
            bot.played.to_string().into(),
            bot.forfeits.to_string().into(),
            faults(bot),
            time_us(bot.longest_us).into(),
            or_dash(
                bot.mean_cpu_time_ms
                    .map(|ms| time_us(ms.saturating_mul(1000))),
            )
            .into(),
            or_dash(bot.peak_memory_bytes.map(memory)).into(),
        ]
    };
    Table {
        columns: vec![
            Column::figure("rank", 0),
            Column::text("bot"),
            Column::figure("Elo", 0),
            Column::figure("score", 2),
            Column::figure("won", 4),
            Column::figure("margin", 9),
            Column::figure("seats", 3),
            Column::figure("forfeits", 8),
            Column::figure("faults", 1),
            Column::figure("longest", 5),
            Column::figure("CPU", 6),
            Column::figure("memory", 7),
        ],
        rows: report.bots.iter().map(row).collect(),
    }
}

fn standings(report: &Report) -> Vec<Block> {
    if report.bots.iter().all(|bot| bot.played == 0) {
        return Vec::new();
    }
    let mut blocks = vec![Block::Table(standings_table(report))];
    if report.rating_errors == Some(RatingErrors::Model) {
        blocks.push(Block::Lines(vec![
            "the intervals of ranks and Elo are model estimates and might be too narrow: there are \
             few groups, or bots that win or lose every match"
                .to_owned(),
        ]));
    }
    blocks
}

/// Returns the number of faults, with the reasons as the detail.
fn faults(bot: &BotReport) -> Cell {
    let reasons = reasons(bot);
    Cell(vec![Item {
        text: bot.faults.to_string(),
        detail: if reasons.is_empty() {
            String::new()
        } else {
            format!(": {reasons}")
        },
        ..Item::default()
    }])
}

pub(super) fn reasons(bot: &BotReport) -> String {
    let reasons = bot.faults_by_reason.iter();
    let reasons: Vec<String> = reasons
        .map(|(reason, count)| format!("{reason} {count}"))
        .collect();
    reasons.join(", ")
}

/// Describes the verdict and the Elo difference between the candidate and its opponents.
pub(super) fn verdict(report: &Report) -> Vec<String> {
    let Some(verdict) = report.verdict.as_ref().filter(|verdict| verdict.groups > 0) else {
        return Vec::new();
    };
    let mut lines = vec![format!(
        "{}: {}, {} of {} matches",
        figures::candidate_name(report, verdict),
        figures::verdict(verdict),
        count(verdict.groups, "group", "groups"),
        report.spec.matches_per_group()
    )];
    lines.extend(elo(report, verdict));
    if verdict.test.is_some() {
        lines.push(format!("  {}", verdict_so_far(report)));
    }
    lines
}

fn elo(report: &Report, verdict: &VerdictReport) -> Option<String> {
    let mut line = format!("  Elo against its opponents {}", signed(verdict.elo?));
    if let Some(superiority) = verdict.superiority {
        line.push_str(&format!(
            ", probability of being better {:.1} %",
            superiority * 100.0
        ));
    }
    let level = report.spec.level * 100.0;
    line.push_str(&format!("; intervals of {level:.0} %"));
    if verdict.rests_on_few_groups {
        line.push_str("; rough estimates, from fewer than 30 groups");
    }
    Some(line)
}

/// Describes the numbers of matches and groups, and everything that was unusual in them.
fn counts(report: &Report) -> Vec<String> {
    let counts = &report.counts;
    let rules = &report.spec.rules;
    let version = report.rules_version;
    let version = version.map_or(String::new(), |version| format!(" (rules {version})"));
    let mut lines = vec![format!(
        "{} in {}, {}; {}{version} at {} seats, {}",
        count(counts.matches, "match", "matches"),
        count(counts.groups, "group", "groups"),
        duration_of(report.elapsed_ms as f64 / 1e3),
        rules.game,
        rules.seats,
        count(counts.decisions, "decision", "decisions"),
    )];
    for (number, what) in [
        (
            counts.annulled_for_referee_lag,
            "annulled because of referee lag, and repeated",
        ),
        (
            counts.annulled_for_server_crash,
            "annulled after a server crash, and repeated",
        ),
        (
            counts.annulled_for_bot_fault,
            "excluded, with their groups, because a bot had a fault",
        ),
        (
            counts.annulled_for_decline,
            "declined by an attending bot, and repeated",
        ),
        (
            counts.surplus_matches,
            "finished but not counted: after the verdict, or in incomplete groups",
        ),
        (counts.forfeited_matches, "forfeited by a bot"),
    ] {
        if number > 0 {
            lines.push(format!("  {} {what}", count(number, "match", "matches")));
        }
    }
    lines.extend(notes_on_bots(report));
    if counts.repeated_groups > 0 {
        lines.push(format!(
            "  {} skipped because of a repeated seed",
            count(counts.repeated_groups, "group", "groups")
        ));
    }
    let isolation = report.isolation;
    lines.extend(isolation.map(|isolation| format!("bots ran in {isolation}")));
    lines
}

/// Describes the seeds, and the bots' restarts, refused calls, file changes and clocks.
fn notes_on_bots(report: &Report) -> Vec<String> {
    let spec = &report.spec;
    let mut notes = Vec::new();
    if spec.faults == FaultCounting::Fail {
        let restarts = figures::restarts(spec);
        notes.push(format!(
            "a fault of a bot stops the contest; a bot that dies in a match {restarts}"
        ));
    }
    for bot in report.bots.iter().filter(|bot| bot.restarts > 0) {
        let times = count(bot.restarts, "time", "times");
        notes.push(format!(
            "{} died in a match and was restarted {times}",
            bot.name
        ));
    }
    for calls in &report.refused_calls {
        notes.push(figures::refused_calls(
            spec,
            calls.bot,
            &calls.method,
            calls.count,
        ));
    }
    if spec.has_bots_with_own_seeds() {
        let which = figures::bots_with_memory(spec);
        notes.push(format!(
            "{which} might remember earlier matches, so each match had its own seed"
        ));
    }
    notes.extend(figures::chance(spec).map(str::to_owned));
    notes.extend(figures::changes(report));
    for bot in spec.bots.iter().filter(|bot| !bot.clock.is_even()) {
        notes.push(format!("time odds: {} has {}", bot.name, bot.clock));
    }
    notes.iter().map(|note| format!("  {note}")).collect()
}

fn requirements(report: &Report) -> Vec<String> {
    let required = report.requirements.iter();
    required.map(requirement).collect()
}

/// Describes a requirement in one line.
pub(super) fn requirement(required: &RequirementReport) -> String {
    let is_met = if required.is_met { "met" } else { "NOT MET" };
    let estimate = required.estimate;
    let mut figures = estimate.map_or_else(
        || "no value".to_owned(),
        |estimate| format!("value {estimate:.4}"),
    );
    if let Some(end) = required.interval_end {
        figures.push_str(&format!(", interval ends at {end:.4}"));
    }
    format!("requirement {}: {is_met} ({figures})", required.text)
}

/// Returns the charts of the test and of the margin, by group.
pub(super) fn charts(report: &Report) -> Vec<Chart> {
    let points = figures::downsampled(&report.series, MAX_POINTS);
    let Some(last) = points.last() else {
        return Vec::new();
    };
    let chart = |title, marks, line, dots| Chart {
        title,
        marks,
        line,
        dots,
        last_group: last.group.0,
    };
    let test = report.verdict.as_ref().and_then(|verdict| verdict.test);
    let llrs: Vec<f64> = points.iter().filter_map(|point| point.llr).collect();
    let of_test = match test {
        Some(test) if llrs.len() == points.len() => chart(
            "Log-likelihood ratio: rejected at the lower bound, accepted at the upper bound",
            vec![test.llr_lower, 0.0, test.llr_upper],
            llrs,
            Vec::new(),
        ),
        _ => chart(
            "Mean score",
            vec![0.0, 0.5, 1.0],
            points.iter().map(|point| point.mean_score).collect(),
            Vec::new(),
        ),
    };
    let mut sum = 0.0;
    let mean = |(point, count): (&GroupPoint, u32)| {
        sum += point.margin;
        sum / f64::from(count)
    };
    let means: Vec<f64> = report.series.iter().zip(1..).map(mean).collect();
    let of_margin = chart(
        "Margin over the best opponent: each group, and the mean",
        vec![0.0],
        figures::downsampled(&means, MAX_POINTS),
        points.iter().map(|point| point.margin).collect(),
    );
    vec![of_test, of_margin]
}

/// Returns the candidate's worst matches, and those of other bots that forfeited.
pub(super) fn worst(report: &Report) -> Option<Section> {
    let candidate = figures::candidate(report).map(|bot| bot.bot);
    let bots = report
        .bots
        .iter()
        .filter(|bot| candidate == Some(bot.bot) || bot.forfeits > 0);
    let rows = bots.flat_map(|bot| {
        bot.worst.iter().map(|worst| {
            let place = match worst.why {
                WorstMatchReason::Lost => figures::with_memory(
                    format!("place {}, margin {:+}", worst.place, worst.margin),
                    worst,
                ),
                WorstMatchReason::Forfeited { .. } => figures::why(worst),
            };
            [
                worst.of.to_string(),
                bot.name.clone(),
                place,
                worst.seed.clone(),
                or_dash(worst.replay.clone()),
            ]
            .map(Cell::from)
            .into()
        })
    });
    let rows: Vec<Vec<Cell>> = rows.take(MAX_WORST).collect();
    let columns = ["match", "bot", "reason", "seed", "replay"].map(Column::text);
    let table = Table {
        columns: columns.into(),
        rows,
    };
    (!table.rows.is_empty()).then(|| Section::new("Worst matches", vec![Block::Table(table)]))
}

/// Returns the last lines that failed or restarted bots wrote to standard error.
pub(super) fn stderr_tails(rows: &[MatchRow]) -> Vec<Section> {
    let seats = rows
        .iter()
        .flat_map(|row| row.seats.iter().map(move |seat| (row, seat)));
    let has_failed = |seat: &SeatRow| !seat.end.is_regular() || seat.restarts > 0;
    let tails = seats.filter(|(_, seat)| has_failed(seat) && !seat.stderr_tail.is_empty());
    let tails = tails.take(MAX_QUOTES).map(|(row, seat)| {
        let title = format!("Standard error of match {}", row.of);
        Section::new(title, vec![Block::Quote(seat.stderr_tail.clone())])
    });
    tails.collect()
}

/// Returns a section on a bot's time use, processes, faults and worst matches.
pub(crate) fn details(report: &Report, bot: &BotReport) -> Section {
    let mut lines = bot_lines(report, bot);
    let mut blocks = Vec::new();
    if bot.worst.is_empty() {
        lines.push("  won every match".to_owned());
        blocks.push(Block::Lines(lines));
    } else {
        lines.push("  worst matches:".to_owned());
        blocks.push(Block::Lines(lines));
        blocks.push(Block::Table(worst_of(bot)));
        blocks.push(Block::Paths(worst_files(report, bot)));
    }
    Section::new(format!("{} ({})", bot.name, bot.command), blocks)
}

/// Describes a bot's results, time use, processes and faults.
pub(super) fn bot_lines(report: &Report, bot: &BotReport) -> Vec<String> {
    let mut lines = vec![played(bot), time_use(bot)];
    for (name, figure) in [("score", bot.score), ("matches won", bot.win_rate)] {
        lines.extend(figure.map(|figure| format!("{name}: {}", share(figure))));
    }
    for (name, figure) in [("mean place", bot.place), ("mean margin", bot.margin)] {
        let text =
            |IntervalReport {
                 estimate,
                 low,
                 high,
             }| { format!("{name}: {estimate:.2} ({low:.2} to {high:.2})") };
        lines.extend(figure.map(text));
    }
    if bot.forfeits > 0 {
        lines.push(format!("forfeited: {}", bot.forfeits));
    }
    lines.extend(processes(report, bot));
    // Only the first faults of a seat have their reasons stored, so the reasons can add up to less.
    lines.push(match (bot.faults, reasons(bot).as_str()) {
        (0, _) => "no faults".to_owned(),
        (faults, "") => format!("faults: {faults}"),
        (faults, reasons) => format!("faults: {faults} ({reasons})"),
    });
    lines.iter().map(|line| format!("  {line}")).collect()
}

fn played(bot: &BotReport) -> String {
    let mut line = format!(
        "{} played, {} won",
        count(bot.played, "seat", "seats"),
        bot.wins
    );
    if bot.shared_wins > 0 {
        line.push_str(&format!(", {} tied for first place", bot.shared_wins));
    }
    line
}

fn time_use(bot: &BotReport) -> String {
    let mut line = format!(
        "{}, {} on average, {} at most",
        count(bot.answered, "decision", "decisions"),
        time_us(bot.mean_us),
        time_us(bot.longest_us)
    );
    if let Some(left) = bot.least_bank_left_ms {
        line.push_str(&format!(
            "; lowest time bank at the end of any match: {:.1} s",
            f64::from(left) / 1e3
        ));
    }
    line
}

/// Describes the restarts, memory and CPU time of a bot's processes.
fn processes(report: &Report, bot: &BotReport) -> Vec<String> {
    let mut lines = Vec::new();
    if bot.restarts > 0 {
        lines.push(format!(
            "died in a match and was restarted: {}",
            bot.restarts
        ));
    }
    let peak = bot.peak_memory_bytes;
    lines.extend(peak.map(|bytes| format!("peak memory: {}", memory(bytes))));
    let cpu = bot.mean_cpu_time_ms;
    lines.extend(cpu.map(|ms| format!("CPU time: {ms} ms per match")));
    if bot.out_of_memory > 0 {
        let limit = report.spec.bot_memory_bytes.map(memory);
        let limit = limit.map_or_else(String::new, |limit| format!(", of {limit}"));
        lines.push(format!("OUT_OF_MEMORY: {}{limit}", bot.out_of_memory));
    }
    lines
}

fn worst_of(bot: &BotReport) -> Table {
    let rows = bot.worst.iter().map(|worst| {
        [
            worst.of.to_string(),
            worst.seat.to_string(),
            figures::why(worst),
            worst.place.to_string(),
            worst.score.to_string(),
            format!("{:+}", worst.margin),
        ]
        .map(Cell::from)
        .into()
    });
    Table {
        columns: ["match", "seat", "why", "place", "score", "margin"]
            .map(Column::text)
            .into(),
        rows: rows.collect(),
    }
}

/// Lists the files of a bot's worst matches, since a path that wraps in a table cannot be copied.
fn worst_files(report: &Report, bot: &BotReport) -> Vec<String> {
    let files = bot.worst.iter().flat_map(|worst| {
        let files = [("replay", &worst.replay), ("stderr", &worst.stderr)];
        files.into_iter().filter_map(|(kind, name)| {
            let path = report.folder.join(name.as_ref()?);
            Some(format!("  {} {kind}: {}", worst.of, path.display()))
        })
    });
    files.collect()
}

/// Returns the latest `max` matches, latest first. Matches with a replay link to `page_of`.
pub(super) fn matches(
    report: &Report,
    rows: &[MatchRow],
    max: usize,
    page_of: fn(&MatchRow) -> String,
) -> Section {
    const TITLE: &str = "Latest matches";
    if rows.is_empty() {
        return Section::new(TITLE, lines(vec!["No match has ended.".to_owned()]));
    }
    let row = |row: &MatchRow| {
        let annulled = row.annulled.as_ref();
        let number = Item {
            text: row.of.to_string(),
            link: row.replay.as_ref().map(|_| page_of(row)),
            warning: annulled.map(|annulled| ("annulled".to_owned(), annulled.detail.clone())),
            ..Item::default()
        };
        vec![
            Cell(vec![number]),
            seats(report, row),
            row.decisions.to_string().into(),
            time_us(row.duration_ms.saturating_mul(1_000)).into(),
        ]
    };
    let table = Table {
        columns: vec![
            Column::text("match"),
            Column::text("seats, by place"),
            Column::figure("decisions", 0),
            Column::figure("time", 0),
        ],
        rows: rows.iter().rev().take(max).map(row).collect(),
    };
    let mut blocks = vec![Block::Table(table)];
    if rows.len() > max {
        blocks.push(Block::Lines(vec![format!(
            "The latest {max} of {}; `contest show --csv` has all.",
            rows.len()
        )]));
    }
    Section::new(TITLE, blocks)
}

fn seats(report: &Report, row: &MatchRow) -> Cell {
    let mut seats: Vec<(usize, &SeatRow)> = row.seats.iter().enumerate().collect();
    seats.sort_by_key(|(_, seat)| seat.place);
    let seats = seats.into_iter().map(|(number, seat)| {
        let bot = report.spec.bots.get(seat.bot);
        let forfeit = seat.forfeit.as_ref();
        Item {
            text: bot.map_or("?", |bot| bot.name.as_str()).to_owned(),
            detail: format!(" (seat {number}): place {}, {}", seat.place, seat.score),
            warning: forfeit.map(|fault| ("forfeited".to_owned(), fault.clone())),
            link: None,
        }
    });
    Cell(seats.collect())
}
