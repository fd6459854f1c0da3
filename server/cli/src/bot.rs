//! `bridgemaster bot`: plays a seat with a built-in bot, or by hand in the terminal.

use std::{
    io::{BufRead as _, stdin},
    panic::resume_unwind,
};

use bridgemaster_bots::{MissingTicket, NAMES, SeatArgs, UnsupportedEffort, log_filter};
use bridgemaster_proto::{
    escape::Escaped,
    v1::{DecisionRejected, GameConfig, MatchResult, MatchStarted},
};
use bridgemaster_sdk::{Bot, Choice, Options, Request, play_blocking};
use clap::{Args, builder::PossibleValuesParser};
use console::colors_enabled_stderr;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::{
    Layer as _, filter::Targets, fmt, layer::SubscriberExt as _, registry,
    util::SubscriberInitExt as _,
};

use crate::{failure::misuse, output, process::PriorityFlag, table, view::RequestText};

/// The name of the player at this terminal.
const HUMAN: &str = "human";

#[derive(Args)]
#[command(
    after_help = "With `human` you play in the terminal: choose a legal decision by its number or its \
        notation. Your clock runs, so create the match with enough time, such as `match create \
        --time-control 3600/600 --reconnect-ms 600000`.\n\n\
        The join ticket is a secret. Pass it in the environment, which other users cannot \
        read:\n\n  BRIDGEMASTER_TICKET=... bridgemaster bot greedy"
)]
pub(super) struct BotCommand {
    /// Built-in bot, or `human` to play yourself
    #[arg(value_name = "NAME", value_parser = PossibleValuesParser::new(NAMES.iter().chain([&HUMAN])))]
    name: String,
    #[command(flatten)]
    seat: SeatArgs,
    #[command(flatten)]
    priority: PriorityFlag,
}

impl BotCommand {
    pub(super) fn run(self) -> anyhow::Result<()> {
        self.priority.apply()?;
        let filter = log_filter(Targets::new().with_default(LevelFilter::WARN));
        let log = fmt::layer().with_ansi(colors_enabled_stderr()).with_writer(output::text_log);
        registry().with(log.with_filter(filter)).init();
        let played = match self.name.as_str() {
            HUMAN => play(self.seat).map(Some),
            name => self.seat.play(name),
        };
        let is_misuse =
            |error: &anyhow::Error| error.is::<MissingTicket>() || error.is::<UnsupportedEffort>();
        let result = played
            .map_err(|error| if is_misuse(&error) { misuse(error.to_string()) } else { error })?;
        if let Some(result) = result {
            output::print(&table::standings(&result))?;
        }
        Ok(())
    }
}

/// Plays a seat by hand in the terminal.
fn play(seat: SeatArgs) -> anyhow::Result<MatchResult> {
    seat.effort.check(HUMAN)?;
    if seat.seed.is_some() {
        return Err(misuse("--seed does not work with human; omit it"));
    }
    let ticket = seat.ticket.ok_or(MissingTicket)?;
    let options = Options {
        bot_version: env!("CARGO_PKG_VERSION").to_owned(),
        key: seat.key,
        tls: seat.tls.into(),
        ..Options::new(seat.server, ticket, HUMAN)
    };
    Ok(play_blocking(Human::default(), options)?)
}

/// Maximum number of decisions in a printed list. They fit on a large screen. Users can filter the
/// list by typing part of a decision.
const MAX_LISTED: usize = 60;

const HELP: &str = "type the number or the full notation of a decision to choose it, a part of a \
                    notation to list matching decisions, an empty line to list all, or `resign`";

/// A bot whose decisions the user types in this terminal.
#[derive(Default)]
pub(super) struct Human {
    config: Option<GameConfig>,
}

#[derive(Debug, PartialEq)]
enum Line {
    /// Chooses a decision by its index, from 0.
    Index(usize),
    /// A number that is outside the numbered list.
    OutOfRange,
    /// Lists the decisions that contain this text, or all decisions if the text is empty.
    List(String),
    Resign,
    Help,
}

impl Line {
    fn parse(line: &str, legal: &[String]) -> Self {
        let line = line.trim();
        if let Some(index) = legal.iter().position(|notation| notation == line) {
            return Self::Index(index);
        }
        match (line.parse::<usize>(), line) {
            (Ok(number), _) if (1..=legal.len()).contains(&number) => Self::Index(number - 1),
            (Ok(_), _) => Self::OutOfRange,
            (_, "resign") => Self::Resign,
            (_, "help" | "?") => Self::Help,
            (_, text) => Self::List(text.to_owned()),
        }
    }
}

/// Lists the decisions that contain a text, with their numbers.
fn listed(legal: &[String], text: &str) -> String {
    let matching = legal.iter().enumerate();
    let matching: Vec<_> = matching.filter(|(_, one)| one.contains(text)).collect();
    let width = legal.len().to_string().len();
    let mut list = String::new();
    for (index, notation) in matching.iter().take(MAX_LISTED) {
        list.push_str(&format!("{:>width$}  {notation}\n", index + 1));
    }
    let more = matching.len().saturating_sub(MAX_LISTED);
    if more > 0 {
        list.push_str(&format!("and {more} more; type a part of a decision to filter the list\n"));
    }
    if matching.is_empty() {
        list.push_str(&format!("no decision contains {text:?}; type `help` for help\n"));
    }
    list
}

fn print(text: &str) {
    // Print errors are ignored: if the terminal is closed, the next read fails.
    let _ = output::print(text);
}

/// Reads the next input line.
fn read_line() -> String {
    let mut line = String::new();
    match stdin().lock().read_line(&mut line) {
        Ok(1..) => line,
        // Ends the process without resigning, so that the user can reconnect to the seat.
        Ok(0) => resume_unwind(Box::new(
            "standard input is closed; to continue the match, run the command again with the same \
             ticket"
                .to_owned(),
        )),
        Err(error) => resume_unwind(Box::new(format!("cannot read standard input: {error}"))),
    }
}

impl Bot for Human {
    fn match_started(&mut self, started: &MatchStarted) {
        self.config = started.config.as_ref().and_then(|config| config.game.clone());
        let seats = started.seats.iter();
        let names = seats.map(|seat| Escaped(&seat.bot_name).to_string());
        let names: Vec<String> = names.collect();
        print(&format!(
            "match {} started; you are seat {}; players: {}\n{HELP}\n",
            Escaped(&started.match_id),
            started.seat,
            names.join(", ")
        ));
    }

    fn decide(&mut self, request: &Request) -> Choice {
        let game = self.config.as_ref().zip(request.game.as_ref());
        let text = game.map(|(config, game)| RequestText::new(config, game));
        let text = match text {
            Some(Ok(text)) => text,
            Some(Err(error)) => resume_unwind(Box::new(format!("{error:#}"))),
            None => resume_unwind(Box::new("the server's request contains no game".to_owned())),
        };
        let clock = request.clock();
        let mut screen = String::from("\n");
        for event in &text.events {
            screen.push_str(&format!("  {event}\n"));
        }
        screen.push_str(&format!("\n{}\n{}", text.table, listed(&text.legal, "")));
        screen.push_str(&format!(
            "{} s for this decision, {} s in the bank\n",
            clock.decision_left().as_secs(),
            clock.bank_left().as_secs()
        ));
        print(&screen);
        loop {
            print("> ");
            let line = read_line();
            match Line::parse(&line, &text.legal) {
                Line::Index(index) => return Choice::Index(index),
                Line::Resign => {
                    print("resign the match? type `yes` to confirm: ");
                    if read_line().trim() == "yes" {
                        return Choice::Resign;
                    }
                }
                Line::Help => print(&format!("{HELP}\n")),
                Line::OutOfRange => {
                    print(&format!("the number is out of range (1..={})\n", text.legal.len()));
                }
                // The printed list may be truncated, so the text is compared with all legal
                // decisions.
                Line::List(part) => match text.parse(&part) {
                    Some(decision) if request.legal_decisions_cut => {
                        return Choice::Decision(decision);
                    }
                    _ => print(&listed(&text.legal, &part)),
                },
            }
        }
    }

    fn decision_rejected(&mut self, rejected: &DecisionRejected) {
        print(&format!("rejected: {}\n", Escaped(&rejected.detail)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn legal() -> Vec<String> {
        ["take 1", "take 12", "end"].map(str::to_owned).to_vec()
    }

    #[test]
    fn a_line_chooses_a_decision_or_filters_the_list() {
        let parse = |line| Line::parse(line, &legal());
        assert_eq!(parse(" 3\n"), Line::Index(2));
        assert_eq!(parse("take 12\n"), Line::Index(1));
        assert_eq!(parse("end"), Line::Index(2));
        for none in ["0", "4", "99999"] {
            assert_eq!(parse(none), Line::OutOfRange);
        }
        assert_eq!(parse("take\n"), Line::List("take".to_owned()));
        assert_eq!(parse("\n"), Line::List(String::new()));
        assert_eq!(parse("-1"), Line::List("-1".to_owned()));
        assert_eq!((parse("resign"), parse("?")), (Line::Resign, Line::Help));
    }

    #[test]
    fn a_filtered_list_keeps_the_numbers() {
        assert_eq!(listed(&legal(), "1"), "1  take 1\n2  take 12\n");
        assert_eq!(listed(&legal(), "d"), "3  end\n");
        assert!(listed(&legal(), "x").starts_with("no decision contains \"x\""));
        let many: Vec<String> = (0..100).map(|number| format!("lay {number}")).collect();
        let list = listed(&many, "");
        assert!(list.starts_with("  1  lay 0\n") && list.contains("and 40 more"), "{list}");
    }
}
