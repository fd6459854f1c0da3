//! `bridgemaster ladder results`, and reading what it writes.

use std::{collections::BTreeMap, path::PathBuf};

use anyhow::{Context as _, bail, ensure};
use bridgemaster_ladder::{BotVersion, Results, SeatEnd};
use clap::Args;

use super::client;
use crate::{match_client::ServerFlag, output_file::OutputFile, runtime::block_on};

#[derive(Args)]
pub(super) struct ResultsArgs {
    #[command(flatten)]
    server: ServerFlag,
    /// Name of the ladder
    ladder: String,
    /// File to write; - for standard output
    #[arg(
        long,
        value_name = "FILE",
        default_value = "-",
        hide_default_value = true
    )]
    output: PathBuf,
}

impl ResultsArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let output = OutputFile::open("--output", &self.output)?;
        block_on(async {
            let mut client = client::connect(&self.server).await?;
            let results = client.results(&self.ladder).await?;
            // Written as it came, so it has to be what it says it is.
            check(&results)?;
            output.write(&String::from_utf8(results)?)
        })
    }
}

/// Checks that these are results, and that no field of them takes over a terminal.
fn check(csv: &[u8]) -> anyhow::Result<()> {
    counted(csv)?;
    for (line, row) in (2..).zip(csv::Reader::from_reader(csv).records()) {
        let is_text = row?.iter().all(|field| !field.contains(char::is_control));
        ensure!(is_text, "line {line} of the results has control characters");
    }
    Ok(())
}

/// The results that count, from a CSV file of all of them.
pub(super) fn counted(csv: &[u8]) -> anyhow::Result<Results> {
    let mut reader = csv::Reader::from_reader(csv);
    let head = reader.headers()?.clone();
    let column = |name: &str| {
        let place = head.iter().position(|column| column == name);
        place.with_context(|| format!("the results have no column {name:?}"))
    };
    let [
        number,
        purpose,
        outcome,
        bot_name,
        bot_version,
        place,
        score,
        forfeited,
    ] = [
        "number",
        "purpose",
        "outcome",
        "bot_name",
        "bot_version",
        "place",
        "score",
        "forfeited",
    ]
    .map(column);
    let (number, purpose, outcome) = (number?, purpose?, outcome?);
    let (bot_name, bot_version) = (bot_name?, bot_version?);
    let (place, score, forfeited) = (place?, score?, forfeited?);
    let mut matches: BTreeMap<u64, Vec<(BotVersion, SeatEnd)>> = BTreeMap::new();
    for (line, row) in (2..).zip(reader.records()) {
        let row = row?;
        if &row[purpose] != "rated" || &row[outcome] != "played" {
            continue;
        }
        let wrong = |name: &str| format!("line {line} of the results: {name} is no number");
        let end = SeatEnd {
            place: row[place].parse().with_context(|| wrong("place"))?,
            score: row[score].parse().with_context(|| wrong("score"))?,
            forfeited: match &row[forfeited] {
                "true" => true,
                "false" => false,
                _ => bail!("line {line} of the results: forfeited is neither true nor false"),
            },
        };
        let number = row[number].parse().with_context(|| wrong("number"))?;
        let seats = matches.entry(number).or_default();
        seats.push((BotVersion::new(&row[bot_name], &row[bot_version]), end));
    }
    let mut results = Results::new();
    for (number, seats) in matches {
        ensure!(
            seats.len() > 1,
            "match {number} of the results has one seat"
        );
        results.add(number, &seats);
    }
    Ok(results)
}
