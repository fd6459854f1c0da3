//! A position knows nothing that its viewer does not.

use bridgemaster_games::{ChanceStream, NoEvents, Viewer};
use bridgemaster_proto::{
    games::WireGame,
    v1::{GetObservationRequest, OpenSessionRequest, SampleStatesRequest},
};
use bridgemaster_rules::{Batch, Sampling, Session, answers};
use prost::Message as _;

use crate::{
    course::{Course, settle},
    of_every_game,
    session::{load, play_out},
};

of_every_game! {
    what_is_hidden_changes_no_answer as matches_that_differ_in_what_is_hidden_give_the_same_answers,
}

/// Two matches whose setups differ in all that they hide from a seat, with equal decisions as long
/// as those can be told apart by nobody.
fn what_is_hidden_changes_no_answer<G: WireGame>() {
    for course in Course::<G>::at_each_table() {
        let viewer = Viewer::Seat(course.turn().unwrap());
        let setup = G::draw_setup(&course.config, course.seats, &course.seed).unwrap();
        let mut chance = ChanceStream::new(&course.seed, 1 << 42);
        let other = G::redeal(&course.config, course.seats, &setup, viewer, &mut chance);
        assert_ne!(other, setup, "{}: nothing is hidden", G::ID);
        let mut state = G::start(&course.config, course.seats, &other, &mut NoEvents).unwrap();
        settle::<G>(&mut state, &course.seed);
        assert_ne!(G::digest(&state), G::digest(&course.state));
        let mut swapped = Course::<G>::new(course.seats.get(), 1);
        swapped.state = state;
        assert_eq!(
            answered(&swapped, viewer),
            answered(&course, viewer),
            "{}",
            G::ID
        );
    }
}

/// What the calls answer for what a viewer knows, as bytes.
fn answered<G: WireGame>(course: &Course<G>, viewer: Viewer) -> Vec<Vec<u8>> {
    let position = course.known_to(viewer, "swap");
    let mut answers = Vec::new();
    for seat in course.seats.seats() {
        let request = GetObservationRequest {
            position: Some(position.clone()),
            viewer_seat: Some(seat.number().into()),
        };
        answers.push(answers::get_observation(&request).unwrap().encode_to_vec());
    }
    let mut sampling = Sampling::new(SampleStatesRequest {
        position: Some(position.clone()),
        samples: 3,
    });
    let sampling = sampling.as_mut().unwrap();
    while !sampling.work(&mut || true).unwrap() {}
    answers.push(format!("{sampling:?}").into_bytes());
    let mut batch = Batch::new(OpenSessionRequest {
        request_id: 1,
        operations: vec![
            load(0, position),
            play_out(0, 10, true),
            play_out(0, 10, false),
        ],
    });
    let mut session = Session::default();
    assert!(session.work(&mut batch, &mut || Ok(()), &mut || true));
    answers.push(batch.into_response().encode_to_vec());
    answers
}
