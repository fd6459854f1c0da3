//! The sections of a contest's report, which all formats except JSON render.

use bridgemaster_runner::{
    BotReport, Bounds, FaultCounting, MatchRow, PairReport, Report, RequirementReport, SeatRow,
    TestSpec, VerdictReport,
};

use crate::{
    contest::{
        figures::{self, or_dash, ranks, rounded, signed},
        outputs::{
            bot_sections::reasons,
            model::{Block, Cell, Column, Item, Section, Table},
        },
    },
    quantities::{count, duration_of, memory, time_us},
};

/// Returns the sections on the whole contest, without empty ones.
pub(crate) fn overview(report: &Report) -> Vec<Section> {
    let sections = [
        Section::new("Bots", standings(report)),
        Section::new("Pairs", cross_table(report)),
        Section::new("Seats", seat_table(report)),
        Section::new("Verdict", lines(verdict(report))),
        Section::new("Matches", lines(counts(report))),
        Section::new("Requirements", lines(requirements(report))),
    ];
    let sections = sections.into_iter();
    sections.filter(|section| !section.blocks.is_empty()).collect()
}

fn lines(lines: Vec<String>) -> Vec<Block> {
    if lines.is_empty() { Vec::new() } else { vec![Block::Lines(lines)] }
}

/// Returns a bot's cell in a column of the standings.
type BotCell = fn(&BotReport) -> Cell;

/// Returns the bots' standings, once a bot has played.
pub(crate) fn standings_table(report: &Report) -> Table {
    let columns: [(Column, BotCell); 12] = [
        (Column::figure("rank", 0), |bot| or_dash(ranks(bot)).into()),
        (Column::text("bot"), |bot| bot.name.clone().into()),
        (Column::figure("Elo", 0), |bot| or_dash(bot.elo.map(figures::elo)).into()),
        (Column::figure("score", 2), |bot| Cell::share(bot.score)),
        (Column::figure("won", 4), |bot| Cell::share(bot.win_rate)),
        (Column::figure("margin", 9), |bot| or_dash(bot.margin.map(signed)).into()),
        (Column::figure("seats", 3), |bot| bot.played.to_string().into()),
        (Column::figure("forfeits", 8), |bot| bot.forfeits.to_string().into()),
        (Column::figure("faults", 1), faults),
        (Column::figure("longest", 5), |bot| time_us(bot.longest_us).into()),
        (Column::figure("CPU", 6), |bot| {
            let us = bot.mean_cpu_time_ms.map(|ms| ms.saturating_mul(1000));
            or_dash(us.map(time_us)).into()
        }),
        (Column::figure("memory", 7), |bot| or_dash(bot.peak_memory_bytes.map(memory)).into()),
    ];
    let row = |bot: &BotReport| columns.iter().map(|(_, cell)| cell(bot)).collect();
    Table {
        rows: report.bots.iter().map(row).collect(),
        columns: columns.map(|(column, _)| column).into(),
    }
}

fn standings(report: &Report) -> Vec<Block> {
    if report.bots.iter().all(|bot| bot.played == 0) {
        return Vec::new();
    }
    let level = report.spec.level * 100.0;
    let note = format!("Elo and score are against the bot's opponents; intervals of {level:.0} %");
    vec![Block::Table(standings_table(report)), Block::Lines(vec![note])]
}

/// Maximum number of bots in a cross table, which has a column for each bot.
const MAX_CROSS_TABLE_BOTS: usize = 16;

/// Returns wins, ties and losses between each two bots. Two bots need no such table.
fn cross_table(report: &Report) -> Vec<Block> {
    let bots = &report.bots;
    if bots.len() < 3 || report.pairs.is_empty() {
        return Vec::new();
    }
    if bots.len() > MAX_CROSS_TABLE_BOTS {
        return lines(vec![format!("{} bots: --json has the results of each pair", bots.len())]);
    }
    let mut columns = vec![Column::text("wins-ties-losses")];
    columns.extend((1..=bots.len()).map(|number| Column::numbered("", number)));
    let row = |(number, bot): (usize, &BotReport)| {
        let mut row = vec![Cell::from(format!("{number} {}", bot.name))];
        row.extend(bots.iter().map(|other| Cell::from(pair(report, bot.bot, other.bot))));
        row
    };
    vec![Block::Table(Table { columns, rows: (1..).zip(bots).map(row).collect() })]
}

/// Formats the results of one bot against another: `12-1-3`.
fn pair(report: &Report, one: usize, other: usize) -> String {
    let is_of =
        |pair: &&PairReport| [(one, other), (other, one)].contains(&(pair.bot, pair.opponent));
    match report.pairs.iter().find(is_of) {
        None => String::new(),
        Some(pair) if pair.bot == one => format!("{}-{}-{}", pair.wins, pair.ties, pair.losses),
        Some(pair) => format!("{}-{}-{}", pair.losses, pair.ties, pair.wins),
    }
}

/// Returns each bot's mean score in each seat.
fn seat_table(report: &Report) -> Vec<Block> {
    let seats = report.bots.iter().map(|bot| bot.by_seat.len()).max().unwrap_or(0);
    if seats == 0 {
        return Vec::new();
    }
    let mut columns = vec![Column::text("score by seat")];
    columns.extend((0..seats).map(|seat| Column::numbered("seat ", seat)));
    let row = |bot: &BotReport| {
        let score = |seat: usize| bot.by_seat.get(seat)?.score;
        let percent = |score: f64| format!("{:.1} %", score * 100.0);
        let cell = |seat| Cell::from(or_dash(score(seat).map(percent)));
        let mut row = vec![Cell::from(bot.name.clone())];
        row.extend((0..seats).map(cell));
        row
    };
    vec![Block::Table(Table { columns, rows: report.bots.iter().map(row).collect() })]
}

/// Returns the number of faults, with the reasons as the detail.
fn faults(bot: &BotReport) -> Cell {
    let reasons = reasons(bot);
    Cell(vec![Item {
        text: bot.faults.to_string(),
        detail: if reasons.is_empty() { String::new() } else { format!(": {reasons}") },
        ..Item::default()
    }])
}

/// Summarizes the candidate's results in the lines and notation of fishtest.
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
    lines.extend(llr(report, verdict));
    lines.extend(figures::candidate(report).map(|bot| {
        let losses = bot.played - bot.wins - bot.shared_wins;
        format!("  Total: {} W: {} L: {losses} D: {}", bot.played, bot.wins, bot.shared_wins)
    }));
    lines.extend(verdict.half_points.map(|counts| {
        format!("  Ptnml(0-2): {}", counts.map(|count| count.to_string()).join(", "))
    }));
    lines
}

fn elo(report: &Report, verdict: &VerdictReport) -> Option<String> {
    let mut line =
        format!("  Elo: {} ({:.0} %)", figures::elo(verdict.elo?), report.spec.level * 100.0);
    if let Some(normalized) = verdict.normalized_elo {
        line.push_str(&format!(", nElo: {:+.1}", rounded(normalized, 1)));
    }
    if let Some(superiority) = verdict.superiority {
        line.push_str(&format!(", LOS: {:.1} %", superiority * 100.0));
    }
    Some(line)
}

/// Describes the figures that decide a test, with the values at which it rejects and accepts.
fn llr(report: &Report, verdict: &VerdictReport) -> Option<String> {
    let test = verdict.test?;
    let (TestSpec::Sequential(spec) | TestSpec::Pentanomial(spec)) = report.spec.test()? else {
        return None;
    };
    let (unit, [lower, upper]) = match spec.bounds {
        Bounds::Elo(bounds) => ("", bounds),
        Bounds::NormalizedElo(bounds) => (" nElo", bounds),
    };
    let mut line = format!(
        "  LLR: {:.2} ({:.2}, {:.2}) <{lower:.2}, {upper:.2}>{unit}",
        rounded(test.llr, 2),
        test.llr_lower,
        test.llr_upper
    );
    if let (Some(accepting), Some(rejecting)) = (test.wealth_for, test.wealth_against) {
        let enough = [test.wealth_to_accept, test.wealth_to_reject].map(Option::unwrap_or_default);
        line.push_str(&format!(
            ", betting wealth: {accepting:.2} of {:.0} to accept, {rejecting:.2} of {:.0} to reject",
            enough[0], enough[1]
        ));
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
        (counts.annulled_for_referee_lag, "annulled because of referee lag, and repeated"),
        (counts.annulled_for_server_crash, "annulled after a server crash, and repeated"),
        (counts.annulled_for_bot_fault, "excluded, with their groups, because a bot had a fault"),
        (counts.annulled_for_decline, "declined by an attending bot, and repeated"),
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
        notes.push(format!("{} died in a match and was restarted {times}", bot.name));
    }
    for calls in &report.refused_calls {
        notes.push(figures::refused_calls(spec, calls.bot, &calls.method, calls.count));
    }
    if spec.has_bots_with_own_seeds() {
        let which = figures::bots_with_memory(spec);
        notes.push(format!(
            "{which} might remember earlier matches, so each match had its own seed"
        ));
    }
    notes.extend(figures::chance(spec).map(str::to_owned));
    notes.extend(figures::changes(report));
    for bot in &spec.bots {
        if let Some(time_control) = bot.time_control {
            notes.push(format!("time odds: {} has {time_control} s", bot.name));
        }
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
    let end = required.interval_end;
    let mut figures = match (estimate, end) {
        (Some(estimate), _) => format!("value {:.4}", rounded(estimate, 4)),
        (None, Some(_)) => "unbounded".to_owned(),
        (None, None) => "no value or bound yet".to_owned(),
    };
    if let Some(end) = end {
        figures.push_str(&format!(", interval ends at {:.4}", rounded(end, 4)));
    }
    format!("requirement {}: {is_met} ({figures})", required.text)
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
