//! A bot in a process of its own that writes down when it read a request and when it had written
//! the answer.

use std::{
    io::BufRead as _,
    process::ExitCode,
    time::{Duration, Instant},
};

use bridgemaster_proto::v1::{
    Decision, Hello, PlayRequest, Pong, decision::Choice, play_request, play_response::Message,
    play_service_client::PlayServiceClient,
};
use bridgemaster_sdk::{Advice, Refusal};
use tokio::{runtime::Builder, sync::mpsc, time::sleep};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Status, transport::Channel};

/// Thinking time for a decision, in ms, in turn.
const THINKING_MS: [u64; 5] = [0, 2, 5, 20, 60];
/// Pause before it comes back after a lost stream.
const PAUSE: Duration = Duration::from_millis(100);

/// A request that was answered: what the bot prints, separated by spaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answered {
    pub(crate) match_id: String,
    pub(crate) request_id: u32,
    /// From having read the request to having written the answer.
    pub(crate) took_us: u64,
}

impl Answered {
    fn print(&self) {
        let Self {
            match_id,
            request_id,
            took_us,
        } = self;
        println!("{match_id} {request_id} {took_us}");
    }

    pub(crate) fn read(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        Some(Self {
            match_id: words.next()?.to_owned(),
            request_id: words.next()?.parse().ok()?,
            took_us: words.next()?.parse().ok()?,
        })
    }
}

/// Plays the seats whose lines come on the standard input, `URL KEY TICKET`, one after the other,
/// and prints an empty line after each.
pub(crate) fn run() -> ExitCode {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let words: Vec<&str> = line.split(' ').collect();
        let [url, key, ticket] = words[..] else {
            return ExitCode::FAILURE;
        };
        let ended = runtime.block_on(play(url, key, ticket));
        println!(
            "{}",
            ended.map_or_else(|why| format!("! {why}"), |()| String::new())
        );
    }
    ExitCode::SUCCESS
}

/// Plays a seat to the end of its match, over as many streams as it takes.
async fn play(url: &str, key: &str, ticket: &str) -> Result<(), String> {
    let channel = Channel::from_shared(url.to_owned()).map_err(|error| error.to_string())?;
    let channel = channel.connect_lazy();
    loop {
        let Err(status) = one_stream(channel.clone(), key, ticket).await else {
            return Ok(());
        };
        if let Some(refusal) = Refusal::from_status(&status)
            && refusal.advice != Advice::Retry
        {
            return Err(format!("{}: {}", refusal.reason, refusal.message));
        }
        sleep(PAUSE).await;
    }
}

async fn one_stream(channel: Channel, key: &str, ticket: &str) -> Result<(), Status> {
    let (answers, outbound) = mpsc::channel(16);
    let say = async |message| {
        let message = Some(message);
        let sent = answers.send(PlayRequest { message }).await;
        sent.map_err(|_| Status::unavailable("the stream is gone"))
    };
    let hello = Hello {
        protocol_revision: bridgemaster_proto::PROTOCOL_REVISION,
        bot_name: "fair".to_owned(),
        ..Hello::default()
    };
    say(play_request::Message::Hello(hello)).await?;
    let mut call = Request::new(ReceiverStream::new(outbound));
    let metadata = call.metadata_mut();
    let ascii = |text: String| text.parse().map_err(|_| Status::internal("no metadata"));
    metadata.insert("x-bridgemaster-key", ascii(key.to_owned())?);
    metadata.insert("authorization", ascii(format!("Bearer {ticket}"))?);
    let opened = PlayServiceClient::new(channel).play(call).await?;
    let mut inbound = opened.into_inner();
    loop {
        let message = inbound.message().await?;
        let read_at = Instant::now();
        match message.and_then(|response| response.message) {
            Some(Message::Ping(ping)) => {
                let nonce = ping.nonce;
                say(play_request::Message::Pong(Pong { nonce })).await?;
            }
            Some(Message::DecisionRequest(request)) => {
                let turn = request.request_id as usize % THINKING_MS.len();
                sleep(Duration::from_millis(THINKING_MS[turn])).await;
                let index = request.request_id % request.legal_decisions.len().max(1) as u32;
                let decision = Decision {
                    match_id: request.match_id.clone(),
                    request_id: request.request_id,
                    choice: Some(Choice::Index(index)),
                    ..Decision::default()
                };
                say(play_request::Message::Decision(decision)).await?;
                let took_us = u64::try_from(read_at.elapsed().as_micros()).unwrap_or(u64::MAX);
                Answered {
                    match_id: request.match_id,
                    request_id: request.request_id,
                    took_us,
                }
                .print();
            }
            Some(Message::MatchEnded(_)) => return Ok(()),
            Some(_) => {}
            None => return Err(Status::unavailable("the stream ended")),
        }
    }
}
