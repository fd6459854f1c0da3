//! The sections of a contest's report, which all formats except JSON render.

use bridgemaster_runner::{
    BotReport, FaultCounting, MatchRow, RatingErrors, Report, RequirementReport, SeatRow,
    VerdictReport,
};

use crate::{
    contest::{
        figures::{self, or_dash, ranks, signed, verdict_so_far},
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
        (Column::figure("Elo", 0), |bot| {
            or_dash(bot.rating.map(|rating| signed(rating.elo))).into()
        }),
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
        detail: if reasons.is_empty() { String::new() } else { format!(": {reasons}") },
        ..Item::default()
    }])
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
        line.push_str(&format!(", probability of being better {:.1} %", superiority * 100.0));
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
    let mut figures =
        estimate.map_or_else(|| "no value".to_owned(), |estimate| format!("value {estimate:.4}"));
    if let Some(end) = required.interval_end {
        figures.push_str(&format!(", interval ends at {end:.4}"));
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
