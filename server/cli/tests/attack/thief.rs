//! A bot that a contest starts and that wants to win without playing: it calls what only the contest
//! may call, with all that it knows.

use std::{env, process::ExitCode, time::Duration};

use bridgemaster_bots::Random;
use bridgemaster_games::Seed;
use bridgemaster_proto::{
    PROTOCOL_REVISION,
    v1::{
        CancelMatchRequest, CloseGroupRequest, Hello, ListMatchesRequest, ReplaceTicketsRequest,
        ResignSeatRequest, WatchSeatRequest, match_service_client::MatchServiceClient,
        seat_service_client::SeatServiceClient,
    },
};
use bridgemaster_sdk::{Connection, Options, TICKET_VARIABLE};
use tokio::{runtime::Builder, time::sleep};
use tonic::{Request, transport::Channel};

/// Pause between two tries.
const PAUSE: Duration = Duration::from_millis(20);

/// Attempts of a thief.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Theft {
    /// To take the seats of others with new tickets, and to resign them.
    ReplaceTickets,
    /// To have a match that it would lose cancelled.
    CancelMatch,
    /// To learn the seed of its group.
    CloseGroup,
}

impl Theft {
    pub(crate) const ALL: [Self; 3] = [Self::ReplaceTickets, Self::CancelMatch, Self::CloseGroup];

    /// The name of the call, and of the argument that asks for it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ReplaceTickets => "ReplaceTickets",
            Self::CancelMatch => "CancelMatch",
            Self::CloseGroup => "CloseGroup",
        }
    }
}

/// Plays a seat by chance, and steals meanwhile.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let asked = arguments.first().map(String::as_str);
    let Some(theft) = Theft::ALL.into_iter().find(|one| asked == Some(one.name())) else {
        return ExitCode::FAILURE;
    };
    let options = Options::from_env("thief").unwrap();
    let ticket = env::var(TICKET_VARIABLE).unwrap();
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let played = runtime.block_on(async {
        let own = Connection::new(&options.server_url).unwrap();
        let others = Connection::new(&options.server_url).unwrap();
        // Over the connection on which it plays, and over another.
        for (connection, shows) in [(&own, true), (&others, false)] {
            let channel = connection.route().channel();
            let ticket = ticket.clone();
            tokio::spawn(async move { steal(theft, channel, &ticket, shows).await });
        }
        // Its tries come first.
        sleep(PAUSE * 5).await;
        own.play(Random::new(&Seed::from(1)), &options).await
    });
    match played {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Tries until the process ends.
async fn steal(theft: Theft, channel: Channel, ticket: &str, shows: bool) {
    let mut client = MatchServiceClient::new(channel.clone());
    let own = ticket.rsplit_once('-').map_or("", |(match_id, _)| match_id);
    loop {
        let mut match_ids = vec![own.to_owned()];
        if let Ok(listed) = client.list_matches(ListMatchesRequest::default()).await {
            let listed = listed.into_inner().matches.into_iter();
            match_ids.extend(listed.map(|info| info.match_id));
        }
        for match_id in match_ids {
            match theft {
                Theft::ReplaceTickets => take_seats(&channel, match_id, ticket, shows).await,
                Theft::CancelMatch => {
                    let reason = "lost".to_owned();
                    let request = CancelMatchRequest { match_id, reason };
                    let _ = client.cancel_match(showing(request, ticket, shows)).await;
                }
                Theft::CloseGroup => {
                    let request = CloseGroupRequest {
                        match_id,
                        ..CloseGroupRequest::default()
                    };
                    let _ = client.close_group(showing(request, ticket, shows)).await;
                }
            }
        }
        sleep(PAUSE).await;
    }
}

/// Takes the seats of a match with new tickets and resigns them.
async fn take_seats(channel: &Channel, match_id: String, ticket: &str, shows: bool) {
    let mut client = MatchServiceClient::new(channel.clone());
    for seat in 0..2 {
        let request = ReplaceTicketsRequest {
            match_id: match_id.clone(),
            seats: vec![seat],
        };
        let Ok(stolen) = client
            .replace_tickets(showing(request, ticket, shows))
            .await
        else {
            continue;
        };
        for stolen in stolen.into_inner().tickets {
            let seats = SeatServiceClient::new(channel.clone());
            tokio::spawn(resign(seats, stolen.ticket));
        }
    }
}

/// Takes a stolen seat and resigns it as soon as its match goes on.
async fn resign(mut seats: SeatServiceClient<Channel>, ticket: String) {
    let hello = Some(Hello {
        protocol_revision: PROTOCOL_REVISION,
        bot_name: "victim".to_owned(),
        ..Hello::default()
    });
    let watched = seats.watch_seat(showing(WatchSeatRequest { hello }, &ticket, true));
    let _watched = watched.await;
    loop {
        let resigned = seats.resign_seat(showing(ResignSeatRequest {}, &ticket, true));
        if resigned.await.is_ok() {
            return;
        }
        sleep(PAUSE).await;
    }
}

fn showing<T>(message: T, ticket: &str, shows: bool) -> Request<T> {
    let mut request = Request::new(message);
    if shows {
        let bearer = format!("Bearer {ticket}").parse().unwrap();
        request.metadata_mut().insert("authorization", bearer);
    }
    request
}
