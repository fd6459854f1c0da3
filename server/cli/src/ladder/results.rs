//! `bridgemaster ladder results`: exports results as CSV. Also parses exported files.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use anyhow::{Context as _, bail, ensure};
use bridgemaster_ladder::{BotVersion, Results, SeatEnd};
use clap::Args;

use crate::{files::OutputFile, ladder::client, match_client::ServerFlag};

#[derive(Args)]
pub(super) struct ResultsArgs {
    #[command(flatten)]
    server: ServerFlag,
    /// Name of the ladder
    ladder: String,
    /// File to write [default: standard output]
    #[arg(long, value_name = "FILE", default_value = "-", hide_default_value = true)]
    output: PathBuf,
}

impl ResultsArgs {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        let output = OutputFile::open("--output", &self.output)?;
        let mut client = client::connect(&self.server).await?;
        let results = client::results(&mut client, &self.ladder).await?;
        // The data is written unchanged, so it is validated first.
        check(&results)?;
        output.write(&String::from_utf8(results)?)
    }
}

/// Checks that a file contains results, and that it contains no control characters, which could
/// affect a terminal.
fn check(csv: &[u8]) -> anyhow::Result<()> {
    counted(csv)?;
    for (line, row) in (2..).zip(csv::Reader::from_reader(csv).records()) {
        let is_text = row?.iter().all(|field| !field.contains(char::is_control));
        ensure!(is_text, "line {line} of the results contains control characters");
    }
    Ok(())
}

/// A match that counts.
struct CountedMatch {
    number: u64,
    ended_unix_ms: u64,
    seats: Vec<(BotVersion, SeatEnd)>,
}

/// Parses a CSV file of all results, and returns the results that count.
pub(super) fn counted(csv: &[u8]) -> anyhow::Result<Results> {
    Ok(results_of(counted_matches(csv)?, disqualified(csv)?))
}

/// Parses a CSV file, and returns the earliest results that count, up to a total of `seats` seats.
/// Returns `None` if no set of earliest results has exactly this total.
pub(super) fn counted_first(csv: &[u8], seats: u64) -> anyhow::Result<Option<Results>> {
    let mut matches = counted_matches(csv)?;
    matches.sort_by_key(|counted| (counted.ended_unix_ms, counted.number));
    let mut seats_left = seats;
    let mut first = Vec::new();
    for counted in matches {
        if seats_left == 0 {
            break;
        }
        let Some(left) = seats_left.checked_sub(counted.seats.len() as u64) else {
            return Ok(None);
        };
        seats_left = left;
        first.push(counted);
    }
    first.sort_by_key(|counted| counted.number);
    let disqualified = disqualified(csv)?;
    Ok((seats_left == 0).then(|| results_of(first, disqualified)))
}

fn results_of(matches: Vec<CountedMatch>, disqualified: BTreeSet<String>) -> Results {
    let mut results = Results::new();
    results.disqualify(disqualified);
    for counted in matches {
        results.add(counted.number, &counted.seats);
    }
    results
}

/// Returns the names of the disqualified bots in a CSV file; none in a file of an older server.
fn disqualified(csv: &[u8]) -> anyhow::Result<BTreeSet<String>> {
    let mut reader = csv::Reader::from_reader(csv);
    let head = reader.headers()?.clone();
    let column = |name: &str| head.iter().position(|column| column == name);
    let (Some(flag), Some(name)) = (column("disqualified"), column("bot_name")) else {
        return Ok(BTreeSet::new());
    };
    let mut names = BTreeSet::new();
    for row in reader.records() {
        let row = row?;
        if &row[flag] == "true" {
            names.insert(row[name].to_owned());
        }
    }
    Ok(names)
}

/// Parses a CSV file, and returns the matches that count, in ascending order of their numbers.
fn counted_matches(csv: &[u8]) -> anyhow::Result<Vec<CountedMatch>> {
    let mut reader = csv::Reader::from_reader(csv);
    let head = reader.headers()?.clone();
    let column = |name: &str| {
        let place = head.iter().position(|column| column == name);
        place.with_context(|| format!("the header of the results has no column {name:?}"))
    };
    let (number, ended_unix_ms) = (column("number")?, column("ended_unix_ms")?);
    let (purpose, outcome) = (column("purpose")?, column("outcome")?);
    let (bot_name, bot_version) = (column("bot_name")?, column("bot_version")?);
    let (place, score) = (column("place")?, column("score")?);
    let forfeited = column("forfeited")?;
    let mut matches: BTreeMap<u64, CountedMatch> = BTreeMap::new();
    for (line, row) in (2..).zip(reader.records()) {
        let row = row?;
        if &row[purpose] != "rated" || &row[outcome] != "played" {
            continue;
        }
        let invalid = |name: &str| format!("line {line} of the results: {name} is not a number");
        let end = SeatEnd {
            place: row[place].parse().with_context(|| invalid("place"))?,
            score: row[score].parse().with_context(|| invalid("score"))?,
            forfeited: match &row[forfeited] {
                "true" => true,
                "false" => false,
                _ => bail!("line {line} of the results: forfeited is neither true nor false"),
            },
        };
        let number = row[number].parse().with_context(|| invalid("number"))?;
        let ended = row[ended_unix_ms].parse();
        let ended_unix_ms = ended.with_context(|| invalid("ended_unix_ms"))?;
        let counted = matches.entry(number).or_insert_with(|| CountedMatch {
            number,
            ended_unix_ms,
            seats: Vec::new(),
        });
        let bot = BotVersion::new(&row[bot_name], &row[bot_version]);
        counted.seats.push((bot, end));
    }
    for CountedMatch { number, seats, .. } in matches.values() {
        ensure!(seats.len() > 1, "match {number} of the results has only one seat");
    }
    Ok(matches.into_values().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns results of two-seat matches that ended at these times, in the order of their
    /// numbers.
    fn csv(ended_unix_ms: &[u64]) -> Vec<u8> {
        let mut csv = "number,purpose,outcome,ended_unix_ms,bot_name,bot_version,place,score,\
                       forfeited\n"
            .to_owned();
        for (number, ended) in ended_unix_ms.iter().enumerate() {
            for place in 1..=2 {
                csv += &format!("{number},rated,played,{ended},bot-{place},1,{place},0,false\n");
            }
        }
        csv.into_bytes()
    }

    #[test]
    fn the_first_results_are_those_of_the_matches_that_ended_first() {
        let csv = csv(&[30, 10, 20]);
        let first = |seats| {
            let results = counted_first(&csv, seats).unwrap();
            results.map(|results| results.len())
        };
        assert_eq!(first(2), Some(1));
        assert_eq!(first(4), Some(2));
        assert_eq!(first(6), Some(3));
        assert_eq!(first(3), None, "one and a half matches");
        assert_eq!(first(8), None, "more than there are");
        assert_eq!(first(0), Some(0));
        let mut two = counted_matches(&csv).unwrap();
        two.remove(0);
        let method = bridgemaster_ladder::RatingMethodId::default();
        assert_eq!(
            bridgemaster_ladder::ratings_of(&counted_first(&csv, 4).unwrap().unwrap(), method)
                .unwrap(),
            bridgemaster_ladder::ratings_of(&results_of(two, BTreeSet::new()), method).unwrap()
        );
    }
}
