//! A seat that is played by hand, in the terminal: the table, what happened, and the legal decisions
//! with their numbers; a line chooses one.

use std::{
    io::{BufRead as _, stdin},
    panic::resume_unwind,
};

use bridgemaster_proto::{
    outside::Outside,
    v1::{DecisionRejected, GameConfig, MatchStarted},
};
use bridgemaster_sdk::{Bot, Choice, Request};

use super::asked::Asked;
use crate::output;

/// Most decisions that are listed at once: what fits on a large screen. A part of their text, typed
/// in, lists those that have it.
const MOST_LISTED: usize = 60;

const HELP: &str = "a number chooses that decision; a notation, written in full, too; any other text \
                    lists the decisions that have it; an empty line lists all; `resign` gives the \
                    match up";

/// The person at this terminal.
#[derive(Default)]
pub(super) struct Human {
    config: Option<GameConfig>,
}

/// What a line of the person means.
#[derive(Debug, PartialEq)]
enum Line {
    /// A decision of the list, from 0.
    Index(usize),
    /// A number that is none of the list's.
    NoSuchNumber,
    /// Shows the decisions that have this text; all if it is empty.
    List(String),
    /// Gives the match up.
    Resign,
    Help,
}

impl Line {
    fn read(line: &str, legal: &[String]) -> Self {
        let line = line.trim();
        if let Some(index) = legal.iter().position(|notation| notation == line) {
            return Self::Index(index);
        }
        match (line.parse::<usize>(), line) {
            (Ok(number), _) if (1..=legal.len()).contains(&number) => Self::Index(number - 1),
            (Ok(_), _) => Self::NoSuchNumber,
            (_, "resign") => Self::Resign,
            (_, "help" | "?") => Self::Help,
            (_, text) => Self::List(text.to_owned()),
        }
    }
}

/// The decisions that have a text, with their numbers.
fn listed(legal: &[String], text: &str) -> String {
    let having = legal.iter().enumerate();
    let having: Vec<_> = having.filter(|(_, one)| one.contains(text)).collect();
    let width = legal.len().to_string().len();
    let mut list = String::new();
    for (index, notation) in having.iter().take(MOST_LISTED) {
        list.push_str(&format!("{:>width$}  {notation}\n", index + 1));
    }
    let more = having.len().saturating_sub(MOST_LISTED);
    if more > 0 {
        list.push_str(&format!(
            "and {more} more: type a part of a decision to list those that have it\n"
        ));
    }
    if having.is_empty() {
        list.push_str(&format!("no decision has {text:?}; `help` tells more\n"));
    }
    list
}

fn print(text: &str) {
    // A terminal that is gone gives no answer either, which ends the match for the person.
    let _ = output::print(text);
}

/// The next line that the person types.
fn typed() -> String {
    let mut line = String::new();
    match stdin().lock().read_line(&mut line) {
        Ok(1..) => line,
        // A bot that ends in the middle of a match leaves its seat, and may come back to it. To
        // resign would be for ever.
        Ok(0) => resume_unwind(Box::new(
            "standard input is at its end; the same command with the same ticket comes back to the \
             seat"
                .to_owned(),
        )),
        Err(error) => resume_unwind(Box::new(format!("standard input cannot be read: {error}"))),
    }
}

impl Bot for Human {
    fn match_started(&mut self, started: &MatchStarted) {
        self.config = started
            .config
            .as_ref()
            .and_then(|config| config.game.clone());
        let seats = started.seats.iter();
        let names = seats.map(|seat| Outside(&seat.bot_name).to_string());
        let names: Vec<String> = names.collect();
        print(&format!(
            "match {} begins; you are seat {}, and at the table are: {}\n{HELP}\n",
            Outside(&started.match_id),
            started.seat,
            names.join(", ")
        ));
    }

    fn decide(&mut self, request: &Request) -> Choice {
        let game = self.config.as_ref().zip(request.game.as_ref());
        let asked = game.map(|(config, game)| Asked::read(config, game));
        let asked = match asked {
            Some(Ok(asked)) => asked,
            Some(Err(error)) => resume_unwind(Box::new(format!("{error:#}"))),
            None => resume_unwind(Box::new("the server asks without a game".to_owned())),
        };
        let clock = request.clock();
        let mut shown = String::from("\n");
        for event in &asked.events {
            shown.push_str(&format!("  {event}\n"));
        }
        shown.push_str(&format!("\n{}\n{}", asked.table, listed(&asked.legal, "")));
        shown.push_str(&format!(
            "{} s for this decision, {} s in the bank\n",
            clock.decision_left().as_secs(),
            clock.bank_left().as_secs()
        ));
        print(&shown);
        loop {
            print("> ");
            let line = typed();
            match Line::read(&line, &asked.legal) {
                Line::Index(index) => return Choice::Index(index),
                Line::Resign => {
                    print("resign? `yes` gives the match up for good: ");
                    if typed().trim() == "yes" {
                        return Choice::Resign;
                    }
                }
                Line::Help => print(&format!("{HELP}\n")),
                Line::NoSuchNumber => {
                    print(&format!("the numbers are 1 to {}\n", asked.legal.len()));
                }
                // A list that was cut has not all that is legal.
                Line::List(text) => match asked.parse(&text) {
                    Some(decision) if request.legal_decisions_cut => {
                        return Choice::Decision(decision);
                    }
                    _ => print(&listed(&asked.legal, &text)),
                },
            }
        }
    }

    fn decision_rejected(&mut self, rejected: &DecisionRejected) {
        print(&format!("refused: {}\n", Outside(&rejected.detail)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn legal() -> Vec<String> {
        ["take 1", "take 12", "end"].map(str::to_owned).to_vec()
    }

    #[test]
    fn a_line_chooses_by_number_or_notation_or_lists_what_has_its_text() {
        let read = |line| Line::read(line, &legal());
        assert_eq!(read(" 3\n"), Line::Index(2));
        assert_eq!(read("take 12\n"), Line::Index(1));
        assert_eq!(read("end"), Line::Index(2));
        for none in ["0", "4", "99999"] {
            assert_eq!(read(none), Line::NoSuchNumber);
        }
        assert_eq!(read("take\n"), Line::List("take".to_owned()));
        assert_eq!(read("\n"), Line::List(String::new()));
        assert_eq!(read("-1"), Line::List("-1".to_owned()));
        assert_eq!((read("resign"), read("?")), (Line::Resign, Line::Help));
    }

    #[test]
    fn a_list_keeps_the_numbers_and_says_what_it_leaves_out() {
        assert_eq!(listed(&legal(), "1"), "1  take 1\n2  take 12\n");
        assert_eq!(listed(&legal(), "d"), "3  end\n");
        assert!(listed(&legal(), "x").starts_with("no decision has \"x\""));
        let many: Vec<String> = (0..100).map(|number| format!("lay {number}")).collect();
        let list = listed(&many, "");
        assert!(
            list.starts_with("  1  lay 0\n") && list.contains("and 40 more"),
            "{list}"
        );
    }
}
