//! The stored rows of a ladder, and their encoding.

use bridgemaster_ladder::{
    BotRating, BotVersion, CONFIDENCE, ClosingRule, End, LadderEntry, Pairing, Purpose,
    RatingMethodId, Rules, SeatEnd, SettingsChange, Span, State,
};
use bridgemaster_proto::{
    internal::v1::{
        LadderMatchEnd, LadderMatchRecord, LadderRecord, LadderSeatRecord, LadderVersionRecord,
    },
    v1::{
        self, AnnulmentReason, FaultReason, LadderState, OfferPurpose, Rating, RatingMethod,
        RatingPoint,
    },
};
use bridgemaster_store::{StoredLadderMatch, StoredLadderVersion};
use prost::Message as _;

/// The format version of the rows.
pub(super) const FORMAT_VERSION: u32 = 1;

/// The label by which a match refers to its ladder.
pub const LADDER_LABEL: &str = "ladder";

/// The separator between a house bot's name and version, as in `greedy@1`.
const HOUSE_BOT_SEPARATOR: char = '@';

/// Returns the rating method with this number in the protocol; `None` if it is not known.
pub fn rating_method(number: i32) -> Option<RatingMethodId> {
    Some(match RatingMethod::try_from(number).ok()? {
        RatingMethod::Unspecified | RatingMethod::PlackettLuce => RatingMethodId::PlackettLuce,
        RatingMethod::Glicko2 => RatingMethodId::Glicko2,
    })
}

/// A ladder's rules and state.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LadderDescription {
    /// The ladder's message, without counts and other derived fields.
    pub(super) ladder: v1::Ladder,
    /// The number of matches that the ladder had when it was frozen.
    pub(super) frozen_at_match: u64,
}

impl LadderDescription {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let record = LadderRecord {
            format_version: FORMAT_VERSION,
            ladder: Some(self.ladder.clone()),
            frozen_at_match: self.frozen_at_match,
        };
        record.encode_to_vec()
    }

    /// Decodes a row, or describes the error.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        let record = LadderRecord::decode(bytes).map_err(|error| error.to_string())?;
        if record.format_version != FORMAT_VERSION {
            let version = record.format_version;
            return Err(format!("the format version {version} is not supported"));
        }
        let ladder = record.ladder.ok_or("the row contains no ladder")?;
        let method = ladder.rating_method;
        rating_method(method).ok_or_else(|| format!("the rating method {method} is not known"))?;
        Ok(Self { ladder, frozen_at_match: record.frozen_at_match })
    }

    /// Returns the ladder with these changed settings.
    pub(super) fn edited(&self, change: SettingsChange) -> v1::Ladder {
        let mut ladder = self.ladder.clone();
        let SettingsChange { key_names, house_bots, max_matches, max_slots, closing } = change;
        ladder.key_names = key_names.unwrap_or(ladder.key_names);
        ladder.house_bots = house_bots.unwrap_or(ladder.house_bots);
        ladder.max_matches = max_matches.unwrap_or(ladder.max_matches);
        ladder.max_slots = max_slots.unwrap_or(ladder.max_slots);
        ladder.closing = closing.map(closing_to_wire).or(ladder.closing);
        ladder
    }

    /// Returns the pairing and rating rules with these changed settings.
    pub(super) fn rules(&self, change: SettingsChange) -> Rules {
        let ladder = &self.edited(change);
        let name =
            |bot: &String| bot.split(HOUSE_BOT_SEPARATOR).next().unwrap_or_default().to_owned();
        let whole = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        Rules {
            seats: whole(ladder.config.as_ref().map_or(0, |config| config.seats)),
            max_matches: whole(ladder.max_matches),
            max_slots: ladder.max_slots,
            owners_apart: ladder.owners_apart,
            house_bots: ladder.house_bots.iter().map(name).collect(),
            closing: closing_of(ladder.closing.unwrap_or_default()),
            // `read` has checked the number.
            rating_method: rating_method(ladder.rating_method).unwrap_or_default(),
        }
    }

    pub(super) fn state(&self) -> State {
        match self.ladder.state() {
            LadderState::Frozen => State::Frozen { at_match: self.frozen_at_match },
            LadderState::Closed => State::Closed,
            LadderState::Open | LadderState::Unspecified => State::Open,
        }
    }
}

/// Converts the end condition of a closing round from its message.
pub(super) fn closing_of(rule: v1::ClosingRule) -> ClosingRule {
    ClosingRule {
        settled_top: usize::try_from(rule.settled_top).unwrap_or(usize::MAX),
        confidence: rule.confidence,
        max_matches_per_bot: rule.max_matches_per_bot.into(),
    }
}

fn closing_to_wire(rule: ClosingRule) -> v1::ClosingRule {
    v1::ClosingRule {
        settled_top: u32::try_from(rule.settled_top).unwrap_or(u32::MAX),
        confidence: rule.confidence,
        max_matches_per_bot: u32::try_from(rule.max_matches_per_bot).unwrap_or(u32::MAX),
    }
}

#[cfg(test)]
impl LadderDescription {
    /// Creates a ladder of two seats whose bots `ada` and `bob` need no validation.
    pub(super) fn with_two_house_bots() -> Self {
        let game = v1::game_config::Game::OldLondonBridge(Default::default());
        let game = Some(v1::GameConfig { game: Some(game) });
        let config = v1::MatchConfig { game, seats: 2, ..v1::MatchConfig::default() };
        Self {
            ladder: v1::Ladder {
                ladder_id: "league".to_owned(),
                config: Some(config),
                max_matches: 4,
                max_slots: 64,
                house_bots: vec!["ada".to_owned(), "bob".to_owned()],
                state: LadderState::Open.into(),
                ..v1::Ladder::default()
            },
            frozen_at_match: 0,
        }
    }
}

/// The stored row of a version of a bot.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct VersionRow {
    pub(super) standing: LadderEntry,
    pub(super) entered_unix_ms: u64,
    /// The rank of the version in the order of entry.
    pub(super) place: u32,
    pub(super) history: Vec<RatingPoint>,
}

impl VersionRow {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let record = LadderVersionRecord {
            entered_unix_ms: self.entered_unix_ms,
            owner: self.standing.owner.clone(),
            is_validated: self.standing.is_validated,
            failed_validation: self.standing.failed_validation.clone(),
            benched: self.standing.benched.clone(),
            forgiven_before: self.standing.forgiven_before,
            history: self.history.clone(),
            place: self.place,
        };
        record.encode_to_vec()
    }

    pub(super) fn read(stored: StoredLadderVersion) -> Result<Self, String> {
        let record = LadderVersionRecord::decode(&*stored.value);
        let record = record.map_err(|error| error.to_string())?;
        Ok(Self {
            standing: LadderEntry {
                bot: BotVersion::new(stored.bot_name, stored.bot_version),
                owner: record.owner,
                is_validated: record.is_validated,
                failed_validation: record.failed_validation,
                benched: record.benched,
                forgiven_before: record.forgiven_before,
                excluded: None,
            },
            entered_unix_ms: record.entered_unix_ms,
            place: record.place,
            history: record.history,
        })
    }
}

/// The stored row of a match.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MatchRow {
    pub(super) pairing: Pairing,
    pub(super) paired_unix_ms: u64,
    /// `None` while the match is not over.
    pub(super) over: Option<EndedMatchRow>,
}

/// The end of a match.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct EndedMatchRow {
    pub(super) end: End,
    /// The reason for an annulment; `Unspecified` if the match is not annulled.
    pub(super) annulled_for: AnnulmentReason,
    /// The identifier of the match; empty if it was never created.
    pub(super) match_id: String,
    pub(super) ended_unix_ms: u64,
    /// The faults and the use of time of each seat; empty if unknown.
    pub(super) conduct: Vec<SeatConduct>,
}

/// The faults and the use of time of a seat in a finished match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SeatConduct {
    /// The fault for which the seat forfeited; `Unspecified` without a forfeit or if unknown.
    pub(super) forfeit: FaultReason,
    /// Number of the request at which the seat forfeited; 0 if unknown.
    pub(super) forfeit_request: u32,
    pub(super) faults: u32,
    /// The thinking time; `None` if unknown.
    pub(super) thinking_ms: Option<u64>,
}

impl MatchRow {
    /// Returns the trace span of the match, from its pairing to its end, or an empty span if the
    /// match is not over.
    pub(super) fn span(&self) -> Span {
        let over = self.over.as_ref();
        Span {
            started_ms: self.paired_unix_ms,
            ended_ms: over.map_or(self.paired_unix_ms, |over| over.ended_unix_ms),
        }
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let bots = self.pairing.seats.iter();
        let seats = bots.map(|bot| LadderSeatRecord {
            bot_name: bot.name.clone(),
            bot_version: bot.version.clone(),
            ..LadderSeatRecord::default()
        });
        let mut record = LadderMatchRecord {
            purpose: purpose_to_wire(self.pairing.purpose).into(),
            seats: seats.collect(),
            paired_unix_ms: self.paired_unix_ms,
            replaces: self.pairing.replaces,
            ..LadderMatchRecord::default()
        };
        if let Some(over) = &self.over {
            record.match_id.clone_from(&over.match_id);
            record.ended_unix_ms = over.ended_unix_ms;
            record.annulled_for = over.annulled_for.into();
            let end = match &over.end {
                End::Played(ends) => {
                    set_seat_results(&mut record.seats, ends);
                    LadderMatchEnd::Played
                }
                End::Annulled(ends) => {
                    set_seat_results(&mut record.seats, ends);
                    LadderMatchEnd::Annulled
                }
                // Only the organisers' actions state that a match is voided.
                End::Voided => LadderMatchEnd::Cancelled,
                End::Cancelled { absent } => {
                    for seat in absent {
                        if let Some(seat) = record.seats.get_mut(*seat) {
                            seat.absent = true;
                        }
                    }
                    LadderMatchEnd::Cancelled
                }
            };
            record.end = end.into();
            for (seat, conduct) in record.seats.iter_mut().zip(&over.conduct) {
                seat.forfeit = conduct.forfeit.into();
                seat.forfeit_request = conduct.forfeit_request;
                seat.faults = conduct.faults;
                seat.thinking_ms = conduct.thinking_ms;
            }
        }
        record.encode_to_vec()
    }

    pub(super) fn read(stored: &StoredLadderMatch) -> Result<Self, String> {
        let record = LadderMatchRecord::decode(&*stored.value);
        let record = record.map_err(|error| error.to_string())?;
        let bots = record.seats.iter();
        let bots = bots.map(|seat| BotVersion::new(&*seat.bot_name, &*seat.bot_version));
        let pairing = Pairing {
            purpose: purpose_of(record.purpose()),
            seats: bots.collect(),
            replaces: record.replaces,
        };
        let ends = || {
            let seats = record.seats.iter();
            let ends = seats.map(|seat| SeatEnd {
                place: seat.place,
                score: seat.score,
                forfeited: seat.forfeited,
            });
            ends.collect()
        };
        let end = match record.end() {
            LadderMatchEnd::Unspecified => None,
            LadderMatchEnd::Played => Some(End::Played(ends())),
            LadderMatchEnd::Annulled => Some(End::Annulled(ends())),
            LadderMatchEnd::Cancelled => {
                let seats = record.seats.iter().enumerate();
                let absent = seats.filter(|(_, seat)| seat.absent);
                Some(End::Cancelled { absent: absent.map(|(seat, _)| seat).collect() })
            }
        };
        if end.is_some() != stored.is_over {
            return Err("the row and its content disagree on whether the match is over".to_owned());
        }
        Ok(Self {
            pairing,
            paired_unix_ms: record.paired_unix_ms,
            over: end.map(|end| EndedMatchRow {
                annulled_for: annulled_for(&end, record.annulled_for()),
                end,
                match_id: record.match_id.clone(),
                ended_unix_ms: record.ended_unix_ms,
                conduct: record.seats.iter().map(conduct_of).collect(),
            }),
        })
    }
}

fn conduct_of(seat: &LadderSeatRecord) -> SeatConduct {
    SeatConduct {
        forfeit: seat.forfeit(),
        forfeit_request: seat.forfeit_request,
        faults: seat.faults,
        thinking_ms: seat.thinking_ms,
    }
}

/// Returns the reason for an annulment. Rows of older versions have no reason, since a lag of the
/// referee was the only one then.
fn annulled_for(end: &End, stored: AnnulmentReason) -> AnnulmentReason {
    match (end, stored) {
        (End::Annulled(_), AnnulmentReason::Unspecified) => AnnulmentReason::RefereeLag,
        (_, stored) => stored,
    }
}

fn set_seat_results(seats: &mut [LadderSeatRecord], ends: &[SeatEnd]) {
    for (seat, end) in seats.iter_mut().zip(ends) {
        seat.place = end.place;
        seat.score = end.score;
        seat.forfeited = end.forfeited;
    }
}

pub(super) fn purpose_to_wire(purpose: Purpose) -> OfferPurpose {
    match purpose {
        Purpose::Rated => OfferPurpose::Rated,
        Purpose::Validation => OfferPurpose::Validation,
        Purpose::Requested => OfferPurpose::Requested,
    }
}

fn purpose_of(purpose: OfferPurpose) -> Purpose {
    match purpose {
        OfferPurpose::Rated => Purpose::Rated,
        OfferPurpose::Validation => Purpose::Validation,
        _ => Purpose::Requested,
    }
}

/// Converts a rating to its message.
pub(super) fn rating_to_wire(rated: &BotRating) -> Rating {
    let rank = |rank: usize| u32::try_from(rank).unwrap_or(u32::MAX);
    Rating {
        elo: rated.elo,
        elo_low: rated.elo_low,
        elo_high: rated.elo_high,
        confidence: CONFIDENCE,
        rank_best: rank(rated.ranks.best),
        rank_worst: rank(rated.ranks.worst),
        matches: u32::try_from(rated.matches).unwrap_or(u32::MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_round_trip() {
        let end = |place, forfeited| SeatEnd { place, score: -3, forfeited };
        let ends = vec![end(2, true), end(1, false)];
        let conduct = SeatConduct {
            forfeit: FaultReason::Late,
            forfeit_request: 31,
            faults: 2,
            thinking_ms: Some(60_200),
        };
        for (end, purpose, replaces) in [
            (None, Purpose::Rated, None),
            (Some(End::Played(ends.clone())), Purpose::Rated, Some(0)),
            (Some(End::Annulled(ends)), Purpose::Validation, None),
            (Some(End::Cancelled { absent: vec![1] }), Purpose::Requested, None),
        ] {
            let row = MatchRow {
                pairing: Pairing {
                    purpose,
                    seats: vec![BotVersion::new("a", "1"), BotVersion::new("b", "")],
                    replaces,
                },
                paired_unix_ms: 5,
                over: end.map(|end| EndedMatchRow {
                    annulled_for: match end {
                        End::Annulled(_) => AnnulmentReason::ServerCrash,
                        _ => AnnulmentReason::Unspecified,
                    },
                    end,
                    match_id: "m".to_owned(),
                    ended_unix_ms: 6,
                    conduct: vec![conduct, SeatConduct::default()],
                }),
            };
            let stored =
                StoredLadderMatch { number: 7, is_over: row.over.is_some(), value: row.to_bytes() };
            assert_eq!(MatchRow::read(&stored), Ok(row));
        }
    }

    #[test]
    fn house_bots_are_identified_by_name() {
        let description = LadderDescription {
            ladder: v1::Ladder {
                house_bots: vec!["greedy@1".to_owned(), "random".to_owned()],
                ..v1::Ladder::default()
            },
            frozen_at_match: 0,
        };
        let house = description.rules(SettingsChange::default()).house_bots;
        assert_eq!(Vec::from_iter(house), ["greedy", "random"]);
    }
}
