//! Requests of random play: what there is to encode and to decode.

use bridgemaster_games::{ChanceStream, Game, SeatCount, Seed, Viewer, settle};
use bridgemaster_proto::{
    games::{WireGame, Writer},
    v1::DecisionRequest,
};

/// Matches of which the requests are.
const MATCHES: u64 = 8;
/// A stream of chance that no match uses.
const PLAY_STREAM: u64 = 1 << 40;

/// What a seat is asked, as the rules have it.
pub(crate) struct Question<G: Game> {
    observation: G::Observation,
    legal: Vec<G::Decision>,
    events: Vec<G::Event>,
}

impl<G: WireGame> Question<G> {
    /// Builds the message.
    pub(crate) fn to_wire(&self) -> DecisionRequest {
        DecisionRequest {
            game: Some(G::request_to_wire(
                &self.observation,
                &self.legal,
                &self.events,
            )),
            legal_count: self.legal.len() as u32,
            ..DecisionRequest::default()
        }
    }

    /// Writes the part of the message that is of the game.
    pub(crate) fn put(&self, to: &mut Writer) {
        G::put_request(&self.observation, &self.legal, &self.events, to);
    }
}

/// Reads the observation, the legal list and the events of a request.
pub(crate) fn read<G: WireGame>(request: &DecisionRequest, config: &G::Config) -> Question<G> {
    let game = request.game.as_ref().expect("it was written");
    let (observation, legal) = G::request_from_wire(game, config).expect("it was written");
    let events = G::request_events_from_wire(game).expect("it was written");
    Question {
        observation,
        legal,
        events,
    }
}

/// What the seats of some matches are asked when all decide uniformly at random.
pub(crate) fn questions<G: Game>(seats: SeatCount) -> Vec<Question<G>> {
    let mut questions = Vec::new();
    for number in 0..MATCHES {
        let (config, seed) = (G::Config::default(), Seed::from(number));
        let mut chance = ChanceStream::new(&seed, PLAY_STREAM);
        let setup = G::draw_setup(&config, seats, &seed).expect("the default config is valid");
        let mut events = Vec::new();
        let mut state =
            G::start(&config, seats, &setup, &mut events).expect("a drawn setup is valid");
        let mut told = vec![0; usize::from(seats.get())];
        let mut legal = Vec::new();
        loop {
            settle::<G>(&mut state, &mut chance, &mut events);
            let Some(seat) = G::owing(&state).iter().next() else {
                break;
            };
            G::legal(&state, seat, &mut legal);
            questions.push(Question {
                observation: G::observe(&state, Viewer::Seat(seat)),
                legal: legal.clone(),
                events: events[told[seat.index()]..].to_vec(),
            });
            told[seat.index()] = events.len();
            let choice = chance.below(legal.len() as u32) as usize;
            G::apply(&mut state, seat, &legal[choice], &mut events)
                .expect("a listed decision is legal");
        }
    }
    questions
}
