//! `bridgemaster replay fork`: continues a match from a position of its replay, with other bots.

use std::{path::PathBuf, process::ExitCode};

use anyhow::{Context as _, ensure};
use bridgemaster_proto::{escape::Escaped, v1::Replay};
use bridgemaster_replay::{MAX_REPLAY_BYTES, decode};
use bridgemaster_runner::{
    BotSpec, Contest, ContestSpec, ForkPoint, Format, HiddenChance, MatchRules, Report,
    Requirement, Seeds,
};
use clap::Args;

use crate::{
    contest::{
        LiveOptions, SHARED_EXIT_CODES, built_in, check, exit_code,
        flags::{bot, is_built_in, pass_env},
        outputs::{OutputArgs, text::text},
        own_server::ServerChoice,
        play_to_end,
        playing::to_error,
    },
    failure::misuse,
    files,
};

#[derive(Args)]
#[command(after_help = format!("Let a new bot continue a match that the old bot lost:\n\n  \
    bridgemaster replay fork lost.replay.binpb --at 30 --seat 0 --bot \"python3 bot.py\" \\\n    \
    --times 5 --require \"win_rate>=0.5\"\n\n\
    Exit codes: 0 played; 2 invalid command line; 3 stopped; {SHARED_EXIT_CODES}"))]
pub(crate) struct ForkArgs {
    /// Replay file of a finished match
    file: PathBuf,
    /// Number of decisions from the replay to keep
    #[arg(long, value_name = "N")]
    at: u32,
    /// Seat of the corresponding --bot, from 0 (repeatable; once per --bot)
    #[arg(long = "seat", value_name = "SEAT", requires = "bots")]
    seats: Vec<u8>,
    /// Bot of a seat: a command, NAME=COMMAND or a built-in bot (repeatable)
    #[arg(long = "bot", value_name = "BOT", requires = "seats")]
    bots: Vec<String>,
    /// Bot of all other seats, in the form of --bot
    #[arg(long, value_name = "BOT", default_value = "greedy")]
    others: String,
    /// Environment variable to pass to BOT, or to every bot with a command (repeatable)
    #[arg(long, value_name = "[BOT:]NAME")]
    bot_env: Vec<String>,
    /// Number of matches to play from the position
    #[arg(long, value_name = "K", default_value_t = 1)]
    times: u32,
    /// Redraw hidden information for each match
    ///
    /// Redraws all information that the first --seat does not know at the position. By default,
    /// chance results come from the replay.
    #[arg(long, requires = "seats")]
    redraw: bool,
    /// Requirement on the result, such as "win_rate>=0.5" (repeatable)
    ///
    /// Applies to the bot of the first --seat, unless it names another bot.
    #[arg(long, value_name = "REQUIREMENT")]
    require: Vec<Requirement>,
    /// Seed for built-in bots and for --redraw [default: generated]
    #[arg(long, value_name = "SEED")]
    seed: Option<String>,
    /// Number of matches at once [default: number of cores minus one]
    #[arg(long, value_name = "N")]
    concurrency: Option<u32>,
    /// Folder to create for matches and replays [default: fork-DATE-TIME]
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Hide progress and table; print only the reason for an exit code other than 0
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    outputs: OutputArgs,
    #[command(flatten)]
    server: ServerChoice,
}

impl ForkArgs {
    pub(crate) fn run(self) -> ExitCode {
        exit_code(self.play())
    }

    fn play(self) -> anyhow::Result<u8> {
        let bytes = files::read(&self.file, MAX_REPLAY_BYTES)
            .map_err(|error| misuse(format!("{error:#}")))?;
        let shown = self.file.display().to_string();
        let replay = decode(&bytes).with_context(|| shown.clone());
        let replay = replay.map_err(|error| misuse(format!("{error:#}")))?.replay;
        let decisions = replay.result.as_ref().map_or(0, |result| result.decisions);
        if self.at >= decisions {
            return Err(misuse(format!(
                "--at {} is out of range (0..={}): the match of {shown} has {decisions} decisions",
                self.at,
                decisions.saturating_sub(1)
            )));
        }
        let spec = self.spec(&replay)?;
        let built_in = built_in()?;
        check(&spec, &built_in)?;
        let outputs = self.outputs.open()?;
        let folder = self.folder.clone().unwrap_or_else(default_folder);
        let contest = Contest::fork(&folder, spec, &bytes).map_err(to_error)?;
        let options = LiveOptions { quiet: self.quiet, output: false, max_time: None };
        let before = results_in_replay(&replay, &self.seats);
        let table = |report: &Report| format!("{}{before}", text(report));
        play_to_end(contest, (built_in, self.server), options, &outputs, table)
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
        pass_env(&mut bots, &self.bot_env)?;
        let first = self.seats.first().copied();
        let candidate = &seating[usize::from(first.unwrap_or(0))];
        let format = Format::Fork {
            from: ForkPoint {
                match_id: replay.match_id.clone(),
                decisions: self.at,
                chance: match first.filter(|_| self.redraw) {
                    Some(seat) => HiddenChance::RedrawFor(seat),
                    None => HiddenChance::Keep,
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

    /// Returns each seat's bot.
    fn seating(&self, seats: u8) -> anyhow::Result<Vec<BotSpec>> {
        if self.seats.len() != self.bots.len() {
            return Err(misuse(format!(
                "{} --seat flags do not match {} --bot flags; give one --bot for each --seat",
                self.seats.len(),
                self.bots.len()
            )));
        }
        ensure!(seats > 0, "the config of the replay has no seats");
        let mut seating = vec![None; usize::from(seats)];
        for (seat, text) in self.seats.iter().zip(&self.bots) {
            let Some(place) = seating.get_mut(usize::from(*seat)) else {
                let last = seats - 1;
                return Err(misuse(format!("--seat {seat} is out of range (0..={last})")));
            };
            if place.replace(seat_bot(text, &format!("seat{seat}"))).is_some() {
                return Err(misuse(format!("--seat {seat} is given twice")));
            }
        }
        let other = seat_bot(&self.others, "others");
        let bots = seating.into_iter();
        Ok(bots.map(|bot| bot.unwrap_or_else(|| other.clone())).collect())
    }
}

/// Parses a seat's bot, in the form of `contest --bot` but with an optional name.
fn seat_bot(text: &str, name: &str) -> BotSpec {
    let is_name = |name: &str| {
        let is_of_name = |one: char| one.is_ascii_alphanumeric() || "._-+@".contains(one);
        !name.is_empty() && name.trim().chars().all(is_of_name)
    };
    let has_name = text.split_once('=').is_some_and(|(name, _)| is_name(name));
    if has_name || is_built_in(text.trim()) { bot(text) } else { BotSpec::from_command(name, text) }
}

/// Describes the original match's results in the forked seats, for comparison.
fn results_in_replay(replay: &Replay, seats: &[u8]) -> String {
    let results = replay.result.iter().flat_map(|result| &result.seats);
    let of_seats =
        results.filter(|result| seats.iter().any(|seat| u32::from(*seat) == result.seat));
    let lines = of_seats.map(|result| {
        format!(
            "in the replay: seat {} ({}) took place {} with {}\n",
            result.seat,
            Escaped(&result.bot_name),
            result.place,
            result.score
        )
    });
    lines.collect()
}

/// Returns a fork's default folder: `fork-DATE-TIME`.
fn default_folder() -> PathBuf {
    let now = jiff::Timestamp::now().strftime("fork-%Y%m%d-%H%M%S");
    PathBuf::from(now.to_string())
}
