//! A journal that ends after any of its entries gives the match as it was then.

use bridgemaster_games::{Digest, GAME_IDS, Seat, SeatCount, Seed, with_game};
use bridgemaster_proto::{internal::v1::JournalEntry, v1::OfferPurpose};
use bridgemaster_referee::{
    Answer, BadAnswerReason, BotIdentity, ClockReading, HistoryId, Input, MAX_NOTE_BYTES,
    MatchPhase, MatchRules, NoteRoom, SeatInfo, SeatMessage,
};
use bridgemaster_wire::SeedSalt;
use prost::Message as _;
use rand::{Rng as _, RngExt as _, SeedableRng as _, rngs::SmallRng};

use super::*;
use crate::{
    OfferedSeat, TicketHash,
    journal::{MatchJournal, write_header},
};

/// Entries of the journal of each game; they grow longer, and the test with their square.
const ENTRIES: usize = 60;

/// All that shows how a match stands.
#[derive(Debug, PartialEq)]
struct Standing {
    digest: Digest,
    phase: MatchPhase,
    records: u32,
    seats: Vec<SeatInfo>,
    /// The clock of each seat's open request.
    clocks: Vec<Option<ClockReading>>,
    /// The numbers of its messages.
    told: Vec<Option<(Option<u32>, u32)>>,
    /// Which numbers of bots that come back are believed.
    histories: Histories,
    deadline: Option<Time>,
    /// What is left for the notes of each seat.
    notes: Vec<Option<NoteRoom>>,
}

fn standing<G: WireGame>(referee: &Referee<G>, histories: &Histories, now: Time) -> Standing {
    let seats = || referee.seats().map(|info| info.seat);
    Standing {
        digest: referee.digest(),
        phase: referee.phase(),
        records: referee.records(),
        seats: referee.seats().cloned().collect(),
        clocks: seats()
            .map(|seat| referee.clock_reading(seat, now))
            .collect(),
        told: seats().map(|seat| referee.told(seat)).collect(),
        histories: histories.clone(),
        deadline: referee.deadline(),
        notes: seats().map(|seat| referee.note_room(seat)).collect(),
    }
}

/// A match that is played by a script of chance, and its journal.
struct Played<G: WireGame> {
    referee: Referee<G>,
    histories: Histories,
    journal: MatchJournal,
    entries: Vec<Vec<u8>>,
    now: Time,
    random: SmallRng,
    /// The open request of each seat: its number and its legal decisions.
    asked: Vec<(u32, Vec<G::Decision>)>,
    /// How the match stood at each entry.
    standings: Vec<(Time, Standing)>,
}

impl<G: WireGame> Played<G> {
    fn input(&mut self, input: Input<G>) {
        let mut outputs = Vec::new();
        if matches!(input, Input::Restarted) {
            let next = HistoryId::new(self.random.random());
            self.histories.begin(next, self.referee.sent().collect());
        }
        let began = Beginning {
            history_id: self.histories.running(),
            unix_ms: self.now.0 + 1,
        };
        self.journal.note(self.now, &input, began);
        self.referee.handle(self.now, input, &mut outputs);
        for output in &outputs {
            if let Output::Send {
                seat,
                message: SeatMessage::Request(request),
                ..
            } = output
            {
                self.asked[seat.index()] = (request.request_id, request.question.legal.clone());
            }
        }
        if outputs.is_empty() {
            return;
        }
        let standing = standing(&self.referee, &self.histories, self.now);
        let entry = self.journal.make_entry(&self.referee, None);
        self.entries.push(entry.bytes);
        self.standings.push((self.now, standing));
    }

    /// Something that a bot, its network or the server does.
    fn step(&mut self) {
        self.now = self.now.plus_us(self.random.random_range(1..40_000));
        let seats = self.asked.len() as u8;
        let seat = Seat::new(self.random.random_range(0..seats)).unwrap();
        let (request_id, legal) = self.asked[seat.index()].clone();
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
            3 => Input::RefereeLag { lag_us: 15_000 },
            4 => Input::RoundTrip {
                seat,
                round_trip_us: self.random.random_range(1..30_000),
            },
            5 => Input::Useless { seat },
            6 => Input::BadAnswer {
                seat,
                request_id: request_id + 7,
                reason: BadAnswerReason::MalformedDecision,
                field: "choice".to_owned(),
                detail: "neither index nor decision is set".to_owned(),
            },
            7 => Input::Tick,
            8 => Input::Restarted,
            14 => Input::TurnedAway { seat },
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
        asked: seats.seats().map(|_| (0, Vec::new())).collect(),
        standings: Vec::new(),
    };
    while played.standings.len() < ENTRIES && played.referee.phase() != MatchPhase::Ended {
        played.step();
    }

    let header = Header::read(&header).unwrap();
    // The last entry may be the one that ended the match, which is no match in play.
    let kept = played.entries.len() - usize::from(played.referee.phase() == MatchPhase::Ended);
    assert!(kept >= ENTRIES / 2, "{}: {kept} entries", G::ID);
    for length in 0..=kept {
        let id = origin.id.clone();
        let mut recovered = recover::<G>(id, &header, &played.entries[..length]).unwrap();
        assert_eq!(recovered.origin, origin);
        assert_eq!(recovered.entries, Entries(length as u64));
        let Some((until, then)) = length.checked_sub(1).map(|last| &played.standings[last]) else {
            continue;
        };
        assert_eq!(recovered.known_until, *until);
        let now = standing(&recovered.referee, &recovered.histories, *until);
        assert_eq!(now, *then, "{} after {length} entries", G::ID);

        // Whenever the server is back, the clocks are as they were.
        let back_at = until.plus_ms(3_600_000);
        let mut outputs = Vec::new();
        recovered
            .referee
            .handle(back_at, Input::Restarted, &mut outputs);
        let again = standing(
            &recovered.referee,
            &recovered.histories,
            back_at.plus_ms(1000),
        );
        assert_eq!(
            again.clocks,
            then.clocks,
            "{} after {length} entries",
            G::ID
        );
        assert_eq!(again.digest, then.digest);
    }
}

#[test]
fn a_journal_that_ends_anywhere_gives_the_match_as_it_was_then() {
    for id in GAME_IDS {
        with_game!(*id, G => check::<G>()).unwrap();
    }
}

#[test]
fn a_journal_that_leads_elsewhere_or_is_of_another_version_is_refused() {
    type G = bridgemaster_games::old_london_bridge::OldLondonBridge;
    let seats = SeatCount::new(2).unwrap();
    let rules = MatchRules::<G>::standard(seats, Seed::from(1));
    let mut bytes = write_header(&rules, &origin(seats), Time(0), HistoryId::new([2; 16]));
    let header = Header::read(&bytes).unwrap();
    let with = |entry: JournalEntry| [entry.encode_to_vec()];
    let id = || MatchId::new("m").unwrap();
    let start = Referee::new(rules, Time(0)).unwrap().digest().0;
    let entry = |state_digest, records| JournalEntry {
        inputs: Vec::new(),
        state_digest,
        records,
    };
    assert!(recover::<G>(id(), &header, &with(entry(start, 0))).is_ok());
    for (wrong, what) in [
        (entry(start ^ 1, 0), "the digest of the state"),
        (entry(start, 1), "the number of records"),
    ] {
        let refused = recover::<G>(id(), &header, &with(wrong)).err().unwrap();
        assert!(matches!(refused, Unreplayable::Differs { what: told, .. } if told == what));
    }
    let mut undecodable = with(entry(start, 0));
    undecodable[0].truncate(3);
    let refused = recover::<G>(id(), &header, &undecodable).err().unwrap();
    assert!(matches!(refused, Unreplayable::Entry { number: 0, .. }));

    assert!(matches!(
        Header::read(&[0xff]),
        Err(Unreplayable::Header { .. })
    ));
    // Field 1 is the format version.
    let refused = Header::read(&[8, 99]).err().unwrap();
    assert_eq!(refused, Unreplayable::FormatVersion { found: 99 });
    // Field 3 is the version of the rules; the last of a field counts.
    bytes.extend([24, 77]);
    let newer = Header::read(&bytes).unwrap();
    let refused = recover::<G>(id(), &newer, &with(entry(start, 0)))
        .err()
        .unwrap();
    assert!(matches!(
        refused,
        Unreplayable::RulesVersion { found: 77, .. }
    ));
}
