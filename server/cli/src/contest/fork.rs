//! `bridgemaster replay fork`: plays on from a position of a replay, with other bots.

use std::{path::PathBuf, process::ExitCode};

use anyhow::{Context as _, ensure};
use bridgemaster_bots::NAMES;
use bridgemaster_proto::{outside::Outside, v1::Replay};
use bridgemaster_replay::{MAX_REPLAY_BYTES, decode};
use bridgemaster_runner::{
    BotSpec, Contest, ContestSpec, ForkPoint, Format, MatchRules, OtherChance, Requirement, Seeds,
};
use clap::Args;

use super::{
    built_in, check, ending, exit_code, flags::bot, outputs::OutputArgs, own_server::ServerChoice,
    play_to_the_end, playing::explained, tell_if_red, write,
};
use crate::{failure::misuse, input_file, output};

#[derive(Args)]
#[command(
    after_help = "Would the new bot have saved the match that the old one lost?\n\n  \
    bridgemaster replay fork lost.replay.binpb --at 30 --seat 0 --bot \"python3 bot.py\" \\\n    \
    --times 5 --require \"win_rate>=0.5\"\n\n\
    Exit codes: 0 played; 2 a mistake in the command line; 3 stopped; 4 a requirement not met; 5 a \
    bot's fault; 51 a bot cannot be started; 52 it ended before its first seat; 53 it never \
    connected; 54 it does not play the game; 55 it ran out of memory; 6 the referee's fault, or the \
    machine's."
)]
pub(crate) struct ForkArgs {
    /// Replay file of a match that has ended
    file: PathBuf,
    /// Play on after this many decisions, from 0
    #[arg(long, value_name = "N")]
    at: u32,
    /// A seat, from 0, for the --bot that has the same place among these flags; can be repeated
    #[arg(long = "seat", value_name = "SEAT", requires = "bots")]
    seats: Vec<u8>,
    /// The bot of a seat: a command, NAME=COMMAND, or the name of a built-in one; can be repeated
    #[arg(long = "bot", value_name = "BOT", requires = "seats")]
    bots: Vec<String>,
    /// The bot of all other seats, in the same form
    #[arg(long, value_name = "BOT", default_value = "greedy")]
    others: String,
    /// How often it is played on
    #[arg(long, value_name = "K", default_value_t = 1)]
    times: u32,
    /// Draw anew, for each match, what the first --seat does not know at the position; otherwise
    /// all chance is as it was
    #[arg(long, requires = "seats")]
    redraw: bool,
    /// What must hold at the end, such as "win_rate>=0.5"; of the bot of the first --seat, unless
    /// it names another; can be repeated
    #[arg(long, value_name = "REQUIREMENT")]
    require: Vec<Requirement>,
    /// What the chance of built-in bots, and with --redraw that of the matches, is drawn from
    /// [default: drawn]
    #[arg(long, value_name = "SEED")]
    seed: Option<String>,
    /// Matches at once [default: one for each core but one]
    #[arg(long, value_name = "N")]
    concurrency: Option<u32>,
    /// Keep matches and replays in this folder, which is made [default: fork-DATE-TIME]
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Show neither progress nor the table; only why, when the exit code is not 0
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    outputs: OutputArgs,
    #[command(flatten)]
    server: ServerChoice,
}

impl ForkArgs {
    /// Runs the command.
    pub(crate) fn run(self) -> ExitCode {
        exit_code(self.play())
    }

    fn play(self) -> anyhow::Result<u8> {
        let bytes = input_file::read(&self.file, MAX_REPLAY_BYTES)
            .map_err(|error| misuse(format!("{error:#}")))?;
        let shown = self.file.display().to_string();
        let replay = decode(&bytes).with_context(|| shown.clone());
        let replay = replay.map_err(|error| misuse(format!("{error:#}")))?.replay;
        let decisions = replay.result.as_ref().map_or(0, |result| result.decisions);
        if self.at >= decisions {
            return Err(misuse(format!(
                "--at {}: the match of {shown} has {decisions} decisions; play on after 0 to {}",
                self.at,
                decisions.saturating_sub(1)
            )));
        }
        let spec = self.spec(&replay)?;
        let built_in = built_in()?;
        check(&spec, &built_in)?;
        let outputs = self.outputs.open()?;
        let folder = self.folder.clone().unwrap_or_else(new_folder);
        let contest = Contest::fork(&folder, spec, &bytes).map_err(explained)?;
        let report = play_to_the_end(contest, built_in, self.server, self.quiet)?;
        write(&outputs, &report)?;
        match self.quiet || outputs.use_stdout() {
            true => tell_if_red(&report),
            false => {
                let before = in_the_replay(&replay, &self.seats);
                output::print(&format!("{}{before}", ending::text(&report)))?;
            }
        }
        Ok(report.exit.code)
    }

    fn spec(&self, replay: &Replay) -> anyhow::Result<ContestSpec> {
        let config = replay.config.clone().unwrap_or_default();
        let seats = u8::try_from(config.seats).unwrap_or(0);
        let seating = self.seating(seats)?;
        let mut bots: Vec<BotSpec> = Vec::new();
        for bot in &seating {
            if !bots.contains(bot) {
                bots.push(bot.clone());
            }
        }
        let first = self.seats.first().copied();
        let candidate = &seating[usize::from(first.unwrap_or(0))];
        let format = Format::Fork {
            from: ForkPoint {
                match_id: replay.match_id.clone(),
                decisions: self.at,
                chance: match first.filter(|_| self.redraw) {
                    Some(seat) => OtherChance::RedrawFor(seat),
                    None => OtherChance::Keep,
                },
            },
            candidate: candidate.name.clone(),
            seating: seating.iter().map(|bot| bot.name.clone()).collect(),
            times: self.times,
        };
        let rules = MatchRules {
            game: replay.game_id.clone(),
            rules_version: Some(replay.rules_version),
            seats,
            ..MatchRules::default()
        };
        Ok(ContestSpec {
            require: self.require.clone(),
            seeds: self.seed.clone().map(Seeds::From),
            concurrency: self.concurrency,
            ..ContestSpec::new(rules, bots, format)
        })
    }

    /// The bot of each seat.
    fn seating(&self, seats: u8) -> anyhow::Result<Vec<BotSpec>> {
        if self.seats.len() != self.bots.len() {
            return Err(misuse(format!(
                "there are {} --seat and {} --bot; each seat has its bot",
                self.seats.len(),
                self.bots.len()
            )));
        }
        ensure!(seats > 0, "the replay names no seats");
        let mut seating = vec![None; usize::from(seats)];
        for (seat, text) in self.seats.iter().zip(&self.bots) {
            let Some(place) = seating.get_mut(usize::from(*seat)) else {
                let last = seats - 1;
                return Err(misuse(format!("--seat {seat}: the seats are 0 to {last}")));
            };
            if place
                .replace(seated(text, &format!("seat{seat}")))
                .is_some()
            {
                return Err(misuse(format!("--seat {seat} is there twice")));
            }
        }
        let other = seated(&self.others, "others");
        let bots = seating.into_iter();
        Ok(bots
            .map(|bot| bot.unwrap_or_else(|| other.clone()))
            .collect())
    }
}

/// A bot of a seat: as for a contest, where a command may be without a name.
fn seated(text: &str, name: &str) -> BotSpec {
    let is_built_in = |text: &str| NAMES.contains(&text.split('@').next().unwrap_or_default());
    let is_name = |name: &str| {
        let is_of_name = |one: char| one.is_ascii_alphanumeric() || "._-+@".contains(one);
        !name.is_empty() && name.trim().chars().all(is_of_name)
    };
    let has_name = text.split_once('=').is_some_and(|(name, _)| is_name(name));
    match has_name || is_built_in(text.trim()) {
        true => bot(text),
        false => BotSpec::of_command(name, text),
    }
}

/// What became of the seats in the replay, to compare with.
fn in_the_replay(replay: &Replay, seats: &[u8]) -> String {
    let results = replay.result.iter().flat_map(|result| &result.seats);
    let asked = results.filter(|result| seats.iter().any(|seat| u32::from(*seat) == result.seat));
    let lines = asked.map(|result| {
        format!(
            "in the replay: seat {} ({}) took place {} with {}\n",
            result.seat,
            Outside(&result.bot_name),
            result.place,
            result.score
        )
    });
    lines.collect()
}

/// The folder of a fork for which none was named.
fn new_folder() -> PathBuf {
    let now = jiff::Timestamp::now().strftime("fork-%Y%m%d-%H%M%S");
    PathBuf::from(now.to_string())
}
