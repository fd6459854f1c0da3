//! A bare tonic service with the message pattern of a match: each of a table's two streams receives
//! a message when the other stream has sent one, and both end after a fixed number of messages.
//! Measures the transport, with or without a store, in exchanges as long as the matches of a game.

use std::{
    collections::HashMap,
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{sync::mpsc, task::JoinSet};
use tokio_stream::{Stream, StreamExt as _, wrappers::ReceiverStream};
use tonic::{
    Request, Response, Status, Streaming, codegen::BoxFuture, server::StreamingService,
    transport::Channel,
};

use crate::{
    SEATS,
    bare::{self, Payload},
    commits::Commits,
    turn::Turn,
};

/// Maximum number of messages that wait for a stream.
const QUEUE: usize = 4;
/// The metadata key of the table number.
const TABLE: &str = "table";

/// A relay service that sends messages of `bytes` bytes.
#[derive(Clone)]
struct Relay {
    bytes: usize,
    /// If set, each message is stored before it is forwarded.
    commits: Option<Commits>,
    /// Tables that wait for their second stream.
    tables: Arc<Mutex<HashMap<String, SecondSeat>>>,
}

/// The channels for a table's second stream.
struct SecondSeat {
    from_first: mpsc::Receiver<Payload>,
    to_first: mpsc::Sender<Payload>,
}

impl Relay {
    /// Returns the channels for a table's new stream.
    fn take_seat(&self, table: String) -> (mpsc::Receiver<Payload>, mpsc::Sender<Payload>) {
        let mut tables = self.tables.lock().unwrap();
        if let Some(second) = tables.remove(&table) {
            return (second.from_first, second.to_first);
        }
        let (to_first, from_second) = mpsc::channel(QUEUE);
        let (to_second, from_first) = mpsc::channel(QUEUE);
        let second = SecondSeat { from_first, to_first };
        tables.insert(table, second);
        (from_second, to_second)
    }
}

impl StreamingService<Payload> for Relay {
    type Response = Payload;
    type ResponseStream = Pin<Box<dyn Stream<Item = Result<Payload, Status>> + Send>>;
    type Future = BoxFuture<Response<Self::ResponseStream>, Status>;

    fn call(&mut self, request: Request<Streaming<Payload>>) -> Self::Future {
        let table = request.metadata().get(TABLE).unwrap().to_str().unwrap();
        let (inbound, outbound) = self.take_seat(table.to_owned());
        let (size, commits) = (self.bytes, self.commits.clone());
        let passed_on = request.into_inner().filter_map(move |message| {
            let response = Payload::of(size);
            match &commits {
                Some(commits) => commits.pass_on_when_stored(&outbound, response),
                // The other stream might have ended.
                None => drop(outbound.try_send(response)),
            }
            message.err().map(Err)
        });
        // One task reads and writes, as with a match.
        let responses = ReceiverStream::new(inbound).map(Ok).merge(passed_on);
        Box::pin(async move { Ok(Response::new(Box::pin(responses) as _)) })
    }
}

/// Serves such tables on an unused port, with messages of `bytes` bytes.
pub(crate) async fn serve(bytes: usize, commits: Option<Commits>) -> String {
    let tables = Arc::default();
    bare::serve(Relay { bytes, commits, tables }).await
}

/// Counts the messages that are forwarded at `tables` concurrent tables. Their clients send
/// messages of `bytes` bytes and open new streams after `messages_per_stream` messages.
pub(crate) async fn turns(
    channels: &[Channel],
    (bytes, messages_per_stream): (usize, u64),
    tables: usize,
    turn: Duration,
    cpu_time: impl Fn() -> Duration,
) -> Turn {
    /// Number of tables so far. A table that was interrupted by the end of a turn is not reused.
    static TABLES: AtomicU64 = AtomicU64::new(0);
    let count = Arc::new(AtomicU64::new(0));
    let mut players = JoinSet::new();
    for table in 0..tables {
        let channel = channels[table % channels.len()].clone();
        let count = Arc::clone(&count);
        players.spawn(async move {
            loop {
                let mut seats = JoinSet::new();
                let number = TABLES.fetch_add(1, Ordering::Relaxed);
                for seat in 0..SEATS {
                    let table = number.to_string();
                    let (channel, count) = (channel.clone(), Arc::clone(&count));
                    seats.spawn(async move {
                        play(channel, (table, seat == 0), bytes, messages_per_stream, &count).await;
                    });
                }
                seats.join_all().await;
            }
        });
    }
    let turn = Turn::of(turn, &count, cpu_time).await;
    players.shutdown().await;
    turn
}

/// Runs one stream of a table, with `messages_per_stream` messages in each direction.
async fn play(
    channel: Channel,
    (table, begins): (String, bool),
    bytes: usize,
    messages_per_stream: u64,
    count: &AtomicU64,
) {
    let (outbound, messages) = mpsc::channel(QUEUE);
    if begins {
        outbound.send(Payload::of(bytes)).await.unwrap();
    }
    let mut call = Request::new(ReceiverStream::new(messages));
    call.metadata_mut().insert(TABLE, table.parse().unwrap());
    let mut inbound = bare::open(channel, call).await;
    for _ in 0..messages_per_stream {
        if inbound.message().await.unwrap().is_none() {
            return;
        }
        count.fetch_add(1, Ordering::Relaxed);
        outbound.send(Payload::of(bytes)).await.unwrap();
    }
    drop(outbound);
    while inbound.message().await.unwrap().is_some() {}
}
