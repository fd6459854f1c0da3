//! Requests from random play, the input for the encoding and decoding benches.

use bridgemaster_games::{ChanceStream, Game, SeatCount, Seed, Viewer, resolve_chance};
use bridgemaster_proto::{
    games::{WireGame, Writer},
    v1::DecisionRequest,
};

/// The number of random matches that provide the requests.
const MATCHES: u64 = 8;
/// A chance stream that no match uses, for the seats' decisions.
const PLAY_STREAM: u64 = 1 << 40;

/// A request's content, in rules types.
pub(crate) struct RequestParts<G: Game> {
    observation: G::Observation,
    legal: Vec<G::Decision>,
    events: Vec<G::Event>,
}

impl<G: WireGame> RequestParts<G> {
    /// Builds the protobuf message.
    pub(crate) fn to_wire(&self) -> DecisionRequest {
        DecisionRequest {
            game: Some(G::request_to_wire(&self.observation, &self.legal, &self.events)),
            legal_count: self.legal.len() as u32,
            ..DecisionRequest::default()
        }
    }

    /// Writes the game's part of the message.
    pub(crate) fn put(&self, to: &mut Writer) {
        G::put_request(&self.observation, &self.legal, &self.events, to);
    }
}

/// Reads the observation, the legal list and the events from a request.
pub(crate) fn read<G: WireGame>(request: &DecisionRequest, config: &G::Config) -> RequestParts<G> {
    let game = request.game.as_ref().expect("it was written");
    let (observation, legal) = G::request_from_wire(game, config).expect("it was written");
    let events = G::request_events_from_wire(game).expect("it was written");
    RequestParts { observation, legal, events }
}

/// Returns the requests from matches in which all seats decide uniformly at random.
pub(crate) fn requests<G: Game>(seats: SeatCount) -> Vec<RequestParts<G>> {
    let mut requests = Vec::new();
    for number in 0..MATCHES {
        let (config, seed) = (G::Config::default(), Seed::from(number));
        let mut chance = ChanceStream::new(&seed, PLAY_STREAM);
        let setup = G::draw_setup(&config, seats, &seed).expect("the default config is valid");
        let mut events = Vec::new();
        let mut state =
            G::start(&config, seats, &setup, &mut events).expect("a drawn setup is valid");
        let mut sent_events = vec![0; usize::from(seats.get())];
        let mut legal = Vec::new();
        loop {
            resolve_chance::<G>(&mut state, &mut chance, &mut events);
            let Some(seat) = G::seats_to_decide(&state).iter().next() else {
                break;
            };
            G::legal(&state, seat, &mut legal);
            requests.push(RequestParts {
                observation: G::observe(&state, Viewer::Seat(seat)),
                legal: legal.clone(),
                events: events[sent_events[seat.index()]..].to_vec(),
            });
            sent_events[seat.index()] = events.len();
            let choice = chance.below(legal.len() as u32) as usize;
            G::apply(&mut state, seat, &legal[choice], &mut events)
                .expect("a listed decision is legal");
        }
    }
    requests
}
