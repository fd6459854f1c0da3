//! Tests that each prefix of a journal recovers the match as it was at that point.

use bridgemaster_games::{Digest, GAME_IDS, Seat, SeatCount, Seed, with_game};
use bridgemaster_proto::{internal::v1::JournalEntry, v1::OfferPurpose};
use bridgemaster_referee::{
    Answer, BotIdentity, ClockReading, ForwardingLag, HistoryId, Input, MAX_NOTE_BYTES, MatchPhase,
    MatchRules, NoteBudget, SeatInfo, SeatMessage,
};
use bridgemaster_replay::wire::SeedSalt;
use prost::Message as _;
use rand::{Rng as _, RngExt as _, SeedableRng as _, rngs::SmallRng};

use super::*;
use crate::{
    OfferedSeat, TicketHash,
    journal::{MatchJournal, write_header},
};

/// Journal length per game. The tests' running time grows with its square.
const ENTRIES: usize = 60;

/// A match's observable state.
#[derive(Debug, PartialEq)]
struct Observed {
    digest: Digest,
    phase: MatchPhase,
    records: u32,
    seats: Vec<SeatInfo>,
    /// The clock reading of each seat's open request.
    clocks: Vec<Option<ClockReading>>,
    /// The sequence numbers of the start and end messages, for each seat.
    sequences: Vec<Option<(Option<u32>, u32)>>,
    /// The histories, which determine the valid sequence numbers.
    histories: Histories,
    deadline: Option<Time>,
    /// Each seat's note budget.
    notes: Vec<Option<NoteBudget>>,
}

fn observe<G: WireGame>(referee: &Referee<G>, histories: &Histories, now: Time) -> Observed {
    let seats = || referee.seats().map(|info| info.seat);
    Observed {
        digest: referee.digest(),
        phase: referee.phase(),
        records: referee.records(),
        seats: referee.seats().cloned().collect(),
        clocks: seats().map(|seat| referee.clock_reading(seat, now)).collect(),
        sequences: seats().map(|seat| referee.start_and_end_sequences(seat)).collect(),
        histories: histories.clone(),
        deadline: referee.deadline(),
        notes: seats().map(|seat| referee.note_budget(seat)).collect(),
    }
}

/// A match that random inputs drive, and its journal.
struct Played<G: WireGame> {
    referee: Referee<G>,
    histories: Histories,
    journal: MatchJournal,
    entries: Vec<Vec<u8>>,
    now: Time,
    random: SmallRng,
    /// Each seat's open request: the request's number and its legal decisions.
    requests: Vec<(u32, Vec<G::Decision>)>,
    /// The match's state at each entry.
    observed: Vec<(Time, Observed)>,
}

impl<G: WireGame> Played<G> {
    fn input(&mut self, input: Input<G>) {
        let mut outputs = Vec::new();
        if matches!(input, Input::Restarted) {
            let next = HistoryId::new(self.random.random());
            self.histories.begin(next, self.referee.sent().collect());
        }
        let last_start =
            HistoryStart { history_id: self.histories.running(), unix_ms: self.now.0 + 1 };
        self.journal.record(self.now, &input, last_start);
        self.referee.handle(self.now, input, &mut outputs);
        for output in &outputs {
            if let Output::Send { seat, message: SeatMessage::Request(request), .. } = output {
                self.requests[seat.index()] = (request.request_id, request.content.legal.clone());
            }
        }
        if outputs.is_empty() {
            return;
        }
        let observation = observe(&self.referee, &self.histories, self.now);
        let entry = self.journal.make_entry(&self.referee, None);
        self.entries.push(entry.bytes);
        self.observed.push((self.now, observation));
    }

    /// Reports a random input from a bot, its network or the server.
    fn step(&mut self) {
        self.now = self.now.plus_us(self.random.random_range(1..40_000));
        let seats = self.requests.len() as u8;
        let seat = Seat::new(self.random.random_range(0..seats)).unwrap();
        let (request_id, legal) = self.requests[seat.index()].clone();
        let input = match self.random.random_range(0..20) {
            0 => Input::Disconnected { seat },
            1 | 2 => Input::Connected {
                seat,
                bot: BotIdentity {
                    name: format!("bot {}", self.random.random_range(0..2)),
                    version: String::new(),
                },
                last_sequence: self.random.random_bool(0.5).then_some(request_id),
            },
            3 => Input::RefereeLag {
                lag_us: 15_000,
                forwarding: self
                    .random
                    .random_bool(0.5)
                    .then_some(ForwardingLag { seat, lag_us: 25_000 })
                    .into_iter()
                    .collect(),
            },
            4 => Input::RoundTrip { seat, round_trip_us: self.random.random_range(1..30_000) },
            5 => Input::Useless { seat },
            6 => Input::BadAnswer {
                seat,
                request_id: request_id + 7,
                field: "choice".to_owned(),
                detail: "neither index nor decision is set".to_owned(),
            },
            7 => Input::Tick,
            8 => Input::Restarted,
            14 => Input::ConnectionRefused { seat },
            15 => Input::Expired { seat, why: "its process ended".to_owned() },
            9..=12 => Input::HandedOver { seat, request_id },
            13 if !legal.is_empty() => Input::Answer {
                seat,
                request_id,
                answer: Answer::Decision(legal[self.random.random_range(0..legal.len())].clone()),
                note: String::new(),
            },
            _ => Input::Answer {
                seat,
                request_id,
                answer: Answer::Index(self.random.next_u32() % legal.len().max(1) as u32),
                note: "n".repeat(self.random.random_range(0..2 * MAX_NOTE_BYTES)),
            },
        };
        self.input(input);
    }
}

fn origin(seats: SeatCount) -> Origin {
    let tickets = seats.seats();
    let tickets = tickets.map(|seat| TicketHash::new([seat.number(); 32]));
    let id = MatchId::new("0123456789abcdef").unwrap();
    let label = ("run".to_owned(), "7".to_owned());
    let first = Seat::new(0).unwrap();
    let offered = OfferedSeat {
        queue_id: "league".to_owned(),
        bot_name: "ada".to_owned(),
        bot_version: "3".to_owned(),
        purpose: OfferPurpose::Rated,
    };
    Origin {
        maker: Some("maker".to_owned()),
        created_unix_ms: 1_790_000_000_000,
        labels: [label].into(),
        offered: [(first, offered)].into(),
        ..Origin::new(id, SeedSalt::new([7; 32]), tickets.collect())
    }
}

fn check<G: WireGame>() {
    let seats = SeatCount::new(*G::SEATS.start()).unwrap();
    let mut rules = MatchRules::<G>::standard(seats, Seed::from(11));
    rules.ask_forced = true;
    let origin = origin(seats);
    let created_at = Time(1_000);
    let first = HistoryId::new([9; 16]);
    let header = write_header(&rules, &origin, created_at, first);

    let mut played = Played {
        referee: Referee::new(rules, created_at).unwrap(),
        histories: Histories::new(first),
        journal: MatchJournal::new(Entries::NONE),
        entries: Vec::new(),
        now: created_at,
        random: SmallRng::seed_from_u64(5),
        requests: seats.seats().map(|_| (0, Vec::new())).collect(),
        observed: Vec::new(),
    };
    while played.observed.len() < ENTRIES && played.referee.phase() != MatchPhase::Ended {
        played.step();
    }

    let header = Header::read(&header).unwrap();
    // If the last entry ended the match, the match is no longer in play after it.
    let in_play = played.entries.len() - usize::from(played.referee.phase() == MatchPhase::Ended);
    assert!(in_play >= ENTRIES / 2, "{}: {in_play} entries", G::ID);
    for length in 0..=in_play {
        let id = origin.id.clone();
        let mut recovered = recover::<G>(id, &header, &played.entries[..length]).unwrap();
        assert_eq!(recovered.origin, origin);
        assert_eq!(recovered.entries, Entries(length as u64));
        let Some((until, then)) = length.checked_sub(1).map(|last| &played.observed[last]) else {
            continue;
        };
        assert_eq!(recovered.known_until, *until);
        let now = observe(&recovered.referee, &recovered.histories, *until);
        assert_eq!(now, *then, "{} after {length} entries", G::ID);

        // The clocks do not depend on the time of the restart.
        let back_at = until.plus_ms(3_600_000);
        let mut outputs = Vec::new();
        recovered.referee.handle(back_at, Input::Restarted, &mut outputs);
        let again = observe(&recovered.referee, &recovered.histories, back_at.plus_ms(1000));
        assert_eq!(again.clocks, then.clocks, "{} after {length} entries", G::ID);
        assert_eq!(again.digest, then.digest);
    }
}

#[test]
fn every_prefix_of_a_journal_recovers_the_match_as_it_was_then() {
    for id in GAME_IDS {
        with_game!(*id, G => check::<G>()).unwrap();
    }
}

#[test]
fn a_journal_with_other_results_or_of_another_version_is_rejected() {
    type G = bridgemaster_games::old_london_bridge::OldLondonBridge;
    let seats = SeatCount::new(2).unwrap();
    let rules = MatchRules::<G>::standard(seats, Seed::from(1));
    let mut bytes = write_header(&rules, &origin(seats), Time(0), HistoryId::new([2; 16]));
    let header = Header::read(&bytes).unwrap();
    let with = |entry: JournalEntry| [entry.encode_to_vec()];
    let id = || MatchId::new("m").unwrap();
    let start = Referee::new(rules, Time(0)).unwrap().digest().0;
    let entry = |state_digest, records| JournalEntry { inputs: Vec::new(), state_digest, records };
    assert!(recover::<G>(id(), &header, &with(entry(start, 0))).is_ok());
    for (wrong, what) in [
        (entry(start ^ 1, 0), "the digest of the state"),
        (entry(start, 1), "the number of records"),
    ] {
        let refused = recover::<G>(id(), &header, &with(wrong)).err().unwrap();
        assert!(matches!(refused, Unreplayable::Differs { what: found, .. } if found == what));
    }
    let mut undecodable = with(entry(start, 0));
    undecodable[0].truncate(3);
    let refused = recover::<G>(id(), &header, &undecodable).err().unwrap();
    assert!(matches!(refused, Unreplayable::Entry { number: 0, .. }));

    assert!(matches!(Header::read(&[0xff]), Err(Unreplayable::Header(_))));
    // Field 1 is the format version.
    let refused = Header::read(&[8, 99]).err().unwrap();
    assert_eq!(refused, Unreplayable::FormatVersion { found: 99 });
    // Field 3 is the rules version. Only the last occurrence of a field counts.
    bytes.extend([24, 77]);
    let newer = Header::read(&bytes).unwrap();
    let refused = recover::<G>(id(), &newer, &with(entry(start, 0))).err().unwrap();
    assert!(matches!(refused, Unreplayable::RulesVersion { found: 77, .. }));
}
