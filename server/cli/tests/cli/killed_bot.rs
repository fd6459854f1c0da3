//! A bot whose process is killed while its match runs.

use bridgemaster_games::GAME_IDS;
use bridgemaster_proto::v1::{
    FaultReason, MatchResult, SeatState, SeatStatus, play_response::Message,
};
use bridgemaster_sdk::TICKET_VARIABLE;
use tokio::runtime::Runtime;

use crate::{
    kit::{
        program::{Background, bridgemaster},
        seat_stream::{SeatStream, hello},
        served::Served,
    },
    served_match::{bots, create},
};

/// Waits for a decision request to the seat, and returns its id.
async fn asked(witness: &mut SeatStream) -> u32 {
    loop {
        if let Message::DecisionRequest(request) = witness.message().await {
            return request.request_id;
        }
    }
}

/// Decides until the bot learns of a fault: while it is secret who has decided, a fault is sent
/// with the next event.
async fn fault(witness: &mut SeatStream) -> SeatStatus {
    loop {
        match witness.message().await {
            Message::DecisionRequest(request) => {
                witness.decide(request.request_id, 0).await.unwrap();
            }
            Message::SeatStatus(status) if status.reason() != FaultReason::Unspecified => {
                return status;
            }
            _ => {}
        }
    }
}

#[test]
fn a_bot_process_that_is_killed_forfeits_as_disconnected_and_the_match_goes_on() {
    let server = Served::start("");
    for game in GAME_IDS {
        let result = killed_in_seat_1(&server, game);
        let [witness, killed] = &result.seats[..] else {
            panic!("{game}: {result:?}");
        };
        let of_witness = (witness.fault_count, witness.house_decisions, witness.place);
        assert_eq!(of_witness, (0, 0, 1), "{game}: {witness:?}");
        assert_eq!(killed.forfeit(), FaultReason::Disconnected, "{game}");
        assert_eq!((&*killed.bot_name, killed.place), ("random", 2), "{game}");
        assert!(killed.house_decisions > 0, "{game}: {killed:?}");
    }
}

/// The result of a match in which the bot of seat 1 is killed while seat 0 is asked. Seat 0 answers
/// only until it learns of the fault, and so keeps the match from ending.
fn killed_in_seat_1(server: &Served, game: &str) -> MatchResult {
    // The witness owes its decision until another bot has started in its place.
    let unhurried = "--reconnect-ms 50 --time-control 3600/600";
    let made = create(server, &format!("--game {game} {unhurried}"));
    let ticket = |seat: usize| made["tickets"][seat]["ticket"].as_str().unwrap();
    let runtime = Runtime::new().unwrap();
    let witness = runtime.block_on(async {
        let channel = server.channel().await;
        let opened = SeatStream::open(channel, ticket(0), "", hello("witness")).await;
        let mut witness = opened.unwrap();
        let mut bot = bridgemaster(format!("bot random --server {}", server.url));
        let bot = Background::spawn(bot.env(TICKET_VARIABLE, ticket(1)));
        // The match runs once both are there, and cannot end while the witness says nothing.
        let request_id = asked(&mut witness).await;
        bot.kill();
        witness.decide(request_id, 0).await.unwrap();
        let status = fault(&mut witness).await;
        assert_eq!(status.reason(), FaultReason::Disconnected, "{game}");
        assert_eq!(status.seat.unwrap().state(), SeatState::Forfeited, "{game}");
        witness
    });
    for bot in bots(server, &made, &["greedy"]) {
        assert!(bot.wait_with_output().unwrap().status.success(), "{game}");
    }
    // It kept the seat until the next bot was there, however long that took to start.
    drop(witness);
    let info = runtime.block_on(server.info(made["match"]["matchId"].as_str().unwrap()));
    info.unwrap().result.unwrap()
}
