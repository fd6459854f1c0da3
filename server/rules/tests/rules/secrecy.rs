//! Responses reveal no facts that are hidden from the viewer.

use bridgemaster_games::{ChanceStream, NoEvents, Viewer};
use bridgemaster_proto::{
    games::WireGame,
    v1::{GetObservationRequest, OpenSessionRequest, SampleStatesRequest},
};
use bridgemaster_rules::{Batch, Sampling, Session, answers};
use prost::Message as _;

use crate::{
    of_every_game,
    playthrough::{Playthrough, resolve_chance},
    session::{load, play_out},
};

of_every_game! {
    hidden_facts_change_no_response as matches_that_differ_in_hidden_facts_give_equal_responses,
}

/// Two matches whose setups differ in everything hidden from a seat, with equal decisions as long
/// as that seat cannot distinguish them.
fn hidden_facts_change_no_response<G: WireGame>() {
    for playthrough in Playthrough::<G>::for_each_seat_count() {
        let viewer = Viewer::Seat(playthrough.turn().unwrap());
        let setup =
            G::draw_setup(&playthrough.config, playthrough.seats, &playthrough.seed).unwrap();
        let mut chance = ChanceStream::new(&playthrough.seed, 1 << 42);
        let other = G::redeal(&playthrough.config, playthrough.seats, &setup, viewer, &mut chance);
        assert_ne!(other, setup, "{}: nothing is hidden", G::ID);
        let mut state =
            G::start(&playthrough.config, playthrough.seats, &other, &mut NoEvents).unwrap();
        resolve_chance::<G>(&mut state, &playthrough.seed);
        assert_ne!(G::digest(&state), G::digest(&playthrough.state));
        let mut swapped = Playthrough::<G>::new(playthrough.seats.get(), 1);
        swapped.state = state;
        assert_eq!(
            all_responses(&swapped, viewer),
            all_responses(&playthrough, viewer),
            "{}",
            G::ID
        );
    }
}

/// All responses for the view of a viewer, as bytes.
fn all_responses<G: WireGame>(playthrough: &Playthrough<G>, viewer: Viewer) -> Vec<Vec<u8>> {
    let position = playthrough.as_seen_by(viewer, "swap");
    let mut answers = Vec::new();
    for seat in playthrough.seats.seats() {
        let request = GetObservationRequest {
            position: Some(position.clone()),
            viewer_seat: Some(seat.number().into()),
        };
        answers.push(answers::get_observation(&request).unwrap().encode_to_vec());
    }
    let mut sampling =
        Sampling::new(SampleStatesRequest { position: Some(position.clone()), samples: 3 });
    let sampling = sampling.as_mut().unwrap();
    while !sampling.work(&mut || true).unwrap() {}
    answers.push(format!("{sampling:?}").into_bytes());
    let mut batch = Batch::new(OpenSessionRequest {
        request_id: 1,
        operations: vec![load(0, position), play_out(0, 10, true), play_out(0, 10, false)],
    });
    let mut session = Session::default();
    assert!(session.work(&mut batch, &mut || Ok(()), &mut || true));
    answers.push(batch.into_response().encode_to_vec());
    answers
}
