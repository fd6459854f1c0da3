//! A server that stops: every stream is told so, whatever it waits for.

use bridgemaster_proto::v1::WatchMatchRequest;
use bridgemaster_server::Limits;
use tokio::{sync::mpsc, time::timeout};
use tokio_stream::wrappers::ReceiverStream;
use tonic::Request;

use crate::{
    raw_bot::{RawBot, reason},
    table::{GAMES, PATIENCE, Table, config},
};

#[tokio::test]
async fn a_stopping_server_says_so_to_bots_with_and_without_hello_and_to_spectators() {
    let limits = Limits {
        hello_time: PATIENCE,
        ..Limits::default()
    };
    let table = Table::with_limits(limits).await;
    let seated = table.create(config(GAMES[0], 2)).await;
    let playing = RawBot::join(&table, &seated.tickets[0]).await;

    let (_silent, messages) = mpsc::channel(1);
    let mut call = Request::new(ReceiverStream::new(messages));
    let bearer = format!("Bearer {}", seated.tickets[1]);
    call.metadata_mut()
        .insert("authorization", bearer.parse().unwrap());
    let mut before_hello = table.player().await.play(call).await.unwrap().into_inner();

    let request = WatchMatchRequest {
        match_id: seated.match_id,
    };
    let mut news = table
        .matches()
        .watch_match(request)
        .await
        .unwrap()
        .into_inner();
    news.message().await.unwrap().unwrap();

    table.stop.cancel();
    let told = playing.end().await.unwrap();
    assert_eq!(reason(&told), "SERVER_STOPPING");
    let told = timeout(PATIENCE / 2, before_hello.message()).await.unwrap();
    assert_eq!(reason(&told.unwrap_err()), "SERVER_STOPPING");
    // That the bot was lost may be news before it.
    let told = timeout(PATIENCE / 2, async {
        loop {
            if let Err(status) = news.message().await {
                return status;
            }
        }
    });
    assert_eq!(reason(&told.await.unwrap()), "SERVER_STOPPING");
}
