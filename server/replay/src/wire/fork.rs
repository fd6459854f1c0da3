//! Converts forks. A fork is a position in a replay, from which another match continues.

use bridgemaster_games::Seat;
use bridgemaster_proto::{
    games::{FieldError, WireGame},
    v1::{self, record},
};
use bridgemaster_referee::{Fork, ForkChance, ForkStep, MatchRules};

/// The part of a replay from which a forked match starts, as protocol messages, for any game.
#[derive(Clone, Debug, PartialEq)]
pub struct ForkSource {
    /// The replay and the position from which the match was forked.
    pub origin: v1::ForkOrigin,
    /// The rules of the replay's match.
    pub config: v1::MatchConfig,
    /// The setup of the replay's match.
    pub setup: v1::GameSetup,
    /// The decisions and chance results up to the position, in order.
    pub steps: Vec<v1::Record>,
}

impl ForkSource {
    /// Creates a fork from the first `origin.decisions` decisions of a replay, and from the chance
    /// results that were due up to then.
    ///
    /// # Errors
    ///
    /// Returns an error if the replay has fewer decisions, or lacks rules or setup. The field is a
    /// path below `CreateMatchRequest.fork`.
    pub fn from_replay(replay: &v1::Replay, origin: v1::ForkOrigin) -> Result<Self, FieldError> {
        let missing = |what: &str| FieldError::new("source", format!("the replay has no {what}"));
        let mut steps = Vec::new();
        let (mut decisions, mut left_out) = (0, 0);
        for record in &replay.records {
            match &record.record {
                Some(record::Record::Decision(_)) if decisions == origin.decisions => left_out += 1,
                Some(record::Record::Decision(_)) => {
                    decisions += 1;
                    steps.push(bare(record));
                }
                Some(record::Record::Chance(_)) if left_out == 0 => steps.push(bare(record)),
                _ => {}
            }
        }
        if left_out == 0 {
            let most = match decisions {
                0 => "no position can be forked".to_owned(),
                _ => format!("must be 0 to {}", decisions - 1),
            };
            let detail = format!(
                "is {}, but the replay has {decisions} decisions; {most}",
                origin.decisions
            );
            return Err(FieldError::new("decisions", detail));
        }
        Ok(Self {
            config: replay.config.clone().ok_or_else(|| missing("config"))?,
            setup: replay.setup.clone().ok_or_else(|| missing("setup"))?,
            origin,
            steps,
        })
    }

    /// Converts this part of a replay to the fork of a match with these rules.
    ///
    /// # Errors
    ///
    /// Returns an error that names the first invalid field, as a path below `CreateMatchRequest`.
    pub fn fork<G: WireGame>(&self, rules: &MatchRules<G>) -> Result<Fork<G>, FieldError> {
        let of_replay = self.config.game.as_ref();
        if of_replay != Some(&G::config_to_wire(&rules.config)) {
            let detail = "must be the game of the replay with the same options";
            return Err(FieldError::new("config.game", detail));
        }
        if self.config.seats != u32::from(rules.seats.get()) {
            let detail = format!("is {}, but the replay has {}", rules.seats, self.config.seats);
            return Err(FieldError::new("config.seats", detail));
        }
        let of_source = |error: FieldError| FieldError::new("fork.source", error);
        let steps = self.steps.iter().map(step_from_wire::<G>);
        Ok(Fork {
            match_id: self.origin.match_id.clone(),
            setup: G::setup_from_wire(&self.setup, &rules.config).map_err(of_source)?,
            steps: steps.collect::<Result<_, _>>().map_err(of_source)?,
            chance: chance_from_wire(&self.origin)?,
        })
    }
}

/// Removes the fields of a record that can be derived from the rules.
fn bare(record: &v1::Record) -> v1::Record {
    let kept = match &record.record {
        Some(record::Record::Decision(decision)) => record::Record::Decision(v1::DecisionRecord {
            seat: decision.seat,
            decision: decision.decision.clone(),
            ..v1::DecisionRecord::default()
        }),
        Some(record::Record::Chance(chance)) => record::Record::Chance(v1::ChanceRecord {
            stream: chance.stream,
            chance: chance.chance.clone(),
            ..v1::ChanceRecord::default()
        }),
        _ => return v1::Record::default(),
    };
    v1::Record { record: Some(kept), ..v1::Record::default() }
}

fn step_from_wire<G: WireGame>(record: &v1::Record) -> Result<ForkStep<G>, FieldError> {
    let missing = |field: &str| FieldError::new(field, "is missing");
    match &record.record {
        Some(record::Record::Decision(record)) => {
            let decision = record.decision.as_ref();
            let decision = decision.ok_or_else(|| missing("decision.decision"))?;
            let seat = u8::try_from(record.seat).ok().and_then(Seat::new);
            Ok(ForkStep::Decision {
                seat: seat
                    .ok_or_else(|| FieldError::new("decision.seat", "is not a valid seat"))?,
                decision: G::decision_from_wire(decision)?,
            })
        }
        Some(record::Record::Chance(record)) => {
            let chance = record.chance.as_ref();
            let chance = chance.ok_or_else(|| missing("chance.chance"))?;
            Ok(ForkStep::Chance { stream: record.stream, chance: G::chance_from_wire(chance)? })
        }
        _ => Err(missing("record")),
    }
}

/// Converts a fork to the form in which it is stored and published.
pub fn fork_to_wire<G: WireGame>(fork: &Fork<G>, rules: &MatchRules<G>) -> ForkSource {
    let steps = fork.steps.iter().map(|step| {
        let record = match step {
            ForkStep::Decision { seat, decision } => record::Record::Decision(v1::DecisionRecord {
                seat: seat.number().into(),
                decision: Some(G::decision_to_wire(decision)),
                ..v1::DecisionRecord::default()
            }),
            ForkStep::Chance { stream, chance } => record::Record::Chance(v1::ChanceRecord {
                stream: *stream,
                chance: Some(G::chance_to_wire(chance)),
                ..v1::ChanceRecord::default()
            }),
        };
        v1::Record { record: Some(record), ..v1::Record::default() }
    });
    ForkSource {
        origin: fork_origin(fork),
        config: super::rules_to_wire(rules, false),
        setup: G::setup_to_wire(&fork.setup),
        steps: steps.collect(),
    }
}

/// Returns the origin of a fork.
pub fn fork_origin<G: WireGame>(fork: &Fork<G>) -> v1::ForkOrigin {
    let (chance, knowing_seats) = match fork.chance {
        ForkChance::Keep => (v1::ForkChance::Keep, Vec::new()),
        ForkChance::Redraw { observer } => (v1::ForkChance::Redraw, vec![observer.number().into()]),
    };
    v1::ForkOrigin {
        match_id: fork.match_id.clone(),
        decisions: fork.decisions(),
        chance: chance.into(),
        knowing_seats,
    }
}

/// Reads the treatment of hidden chance in a fork.
///
/// # Errors
///
/// Returns an error if the number is unknown, or if the seats do not match the treatment. The field
/// is a path below `CreateMatchRequest`.
pub fn chance_from_wire(origin: &v1::ForkOrigin) -> Result<ForkChance, FieldError> {
    match v1::ForkChance::try_from(origin.chance) {
        Ok(v1::ForkChance::Unspecified | v1::ForkChance::Keep) => match origin.knowing_seats[..] {
            [] => Ok(ForkChance::Keep),
            _ => Err(FieldError::new(
                "fork.knowing_seats",
                "only allowed with REDRAW: nothing is redrawn when chance is kept",
            )),
        },
        Ok(v1::ForkChance::Redraw) => match origin.knowing_seats[..] {
            [seat] => {
                let observer = u8::try_from(seat).ok().and_then(Seat::new);
                let no_seat =
                    || FieldError::new("fork.knowing_seats", format!("{seat} is not a valid seat"));
                Ok(ForkChance::Redraw { observer: observer.ok_or_else(no_seat)? })
            }
            _ => Err(FieldError::new(
                "fork.knowing_seats",
                "must name exactly one seat with REDRAW; facts hidden from that seat are redrawn",
            )),
        },
        Err(_) => {
            let detail = format!("{} is not a ForkChance (0..=2)", origin.chance);
            Err(FieldError::new("fork.chance", detail))
        }
    }
}
