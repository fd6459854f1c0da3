//! A bot in a process of its own that writes down when it read a request, when it had written the
//! answer, and how long it waited for a processor about that time.

use std::{
    fs,
    io::BufRead as _,
    process::ExitCode,
    time::{Duration, Instant, SystemTime},
};

use bridgemaster_proto::v1::{
    Decision, Hello, PlayRequest, Pong, decision::Choice, play_request, play_response::Message,
    play_service_client::PlayServiceClient,
};
use bridgemaster_sdk::{Advice, Refusal};
use tokio::{runtime::Builder, sync::mpsc, time::sleep};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, transport::Channel};

use crate::{server_process::Key, target::Target};

/// Thinking time for a decision, in ms, in turn.
const THINKING_MS: [u64; 5] = [0, 2, 5, 20, 60];
/// Why a stream ends whose seat is forfeited.
const SEAT_CLOSED: &str = "SEAT_CLOSED";
/// Pause before it comes back after a lost stream.
const PAUSE: Duration = Duration::from_millis(100);

/// Source address of bots: 127.0.0.2, from which only [`Attack::Neighbour`] attacks.
///
/// [`Attack::Neighbour`]: crate::attacks::Attack::Neighbour
pub(crate) const ADDRESS: u8 = 2;

/// Lines that a bot prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// It answered a request.
    Answered(Answered),
    /// At so many microseconds since 1970 it lost a stream, or was refused one, and comes back.
    Lost(u64, String),
    /// Its match is over, or its seat forfeited.
    Ended,
    /// It plays no more.
    GaveUp(String),
}

/// A request that was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answered {
    pub(crate) match_id: String,
    pub(crate) request_id: u32,
    /// When the request was read, in microseconds since 1970.
    pub(crate) read_at_us: u64,
    /// From having read the request to having written the answer.
    pub(crate) took_us: u64,
    /// Time for which the bot was runnable without a CPU, as the kernel reports, from the message
    /// before the request to the one after the answer.
    pub(crate) waited_us: u64,
}

impl Said {
    fn print(&self) {
        match self {
            Self::Answered(answered) => {
                let Answered {
                    match_id,
                    request_id,
                    read_at_us,
                    took_us,
                    waited_us,
                } = answered;
                println!("{match_id} {request_id} {read_at_us} {took_us} {waited_us}");
            }
            Self::Lost(at_us, why) => println!("lost {at_us} {}", why.replace('\n', " ")),
            Self::Ended => println!("ended"),
            Self::GaveUp(why) => println!("gave up {}", why.replace('\n', " ")),
        }
    }

    /// Reads what [`Said::print`] printed.
    pub(crate) fn read(line: &str) -> Option<Self> {
        if line == "ended" {
            return Some(Self::Ended);
        }
        if let Some(lost) = line.strip_prefix("lost ") {
            let (at_us, why) = lost.split_once(' ')?;
            return Some(Self::Lost(at_us.parse().ok()?, why.to_owned()));
        }
        if let Some(why) = line.strip_prefix("gave up ") {
            return Some(Self::GaveUp(why.to_owned()));
        }
        let mut words = line.split(' ');
        Some(Self::Answered(Answered {
            match_id: words.next()?.to_owned(),
            request_id: words.next()?.parse().ok()?,
            read_at_us: words.next()?.parse().ok()?,
            took_us: words.next()?.parse().ok()?,
            waited_us: words.next()?.parse().ok()?,
        }))
    }
}

/// The answers of a stream on their way to the log: each is printed when it is known how long the
/// bot waited for a processor until its next message.
#[derive(Default)]
struct AnswerLog {
    /// With what the bot had waited when it began to wait for the request.
    last: Option<(Answered, u64)>,
    /// Time waited when it started to wait for the last message.
    waited_before_us: u64,
}

impl AnswerLog {
    /// The bot is about to wait for a message.
    fn waits(&mut self) {
        self.waited_before_us = waited_us();
    }

    /// A message came, or none will come.
    fn is_woken(&mut self) {
        if let Some((mut answered, waited_before_us)) = self.last.take() {
            answered.waited_us = waited_us().saturating_sub(waited_before_us);
            Said::Answered(answered).print();
        }
    }

    /// The last message was a request, and is answered.
    fn answered(&mut self, answered: Answered) {
        self.last = Some((answered, self.waited_before_us));
    }
}

/// Returns the total time for which this thread was runnable without a CPU; 0 where the system does
/// not report it.
fn waited_us() -> u64 {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let waited_ns = stat.split(' ').nth(1).and_then(|ns| ns.parse::<u64>().ok());
    waited_ns.unwrap_or_default() / 1_000
}

/// Plays the seats whose lines come on the standard input, one after the other, and prints what it
/// says of them. A line has the words of the target, the key and the ticket.
pub(crate) fn run() -> ExitCode {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let words: Vec<&str> = line.split(' ').collect();
        let [server, metrics, ca, key, ticket] = words[..] else {
            return ExitCode::FAILURE;
        };
        let Some(target) = Target::from_words([server, metrics, ca]) else {
            return ExitCode::FAILURE;
        };
        match runtime.block_on(play(&target, &Key(key.to_owned()), ticket)) {
            Ok(()) => Said::Ended.print(),
            Err(why) => Said::GaveUp(why).print(),
        }
    }
    ExitCode::SUCCESS
}

/// Plays a seat to the end of its match, over as many streams as it takes.
async fn play(target: &Target, key: &Key, ticket: &str) -> Result<(), String> {
    let channel = target.channel_from(ADDRESS);
    loop {
        let mut log = AnswerLog::default();
        let ended = one_stream(channel.clone(), key, ticket, &mut log).await;
        log.is_woken();
        let Err(status) = ended else {
            return Ok(());
        };
        let refusal = Refusal::from_status(&status);
        match refusal.filter(|refusal| refusal.advice != Advice::Retry) {
            // It is forfeited, for which there is a fault that says why.
            Some(refusal) if refusal.reason == SEAT_CLOSED => return Ok(()),
            Some(refusal) => return Err(format!("{}: {}", refusal.reason, refusal.message)),
            None => Said::Lost(since_1970_us(), status.to_string()).print(),
        }
        sleep(PAUSE).await;
    }
}

async fn one_stream(
    channel: Channel,
    key: &Key,
    ticket: &str,
    log: &mut AnswerLog,
) -> Result<(), Status> {
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
    let no_metadata = |_| Status::internal("no metadata");
    let call = key.showing(ReceiverStream::new(outbound));
    let mut call = call.map_err(no_metadata)?;
    let bearer = format!("Bearer {ticket}").parse().map_err(no_metadata)?;
    call.metadata_mut().insert("authorization", bearer);
    let opened = PlayServiceClient::new(channel).play(call).await?;
    let mut inbound = opened.into_inner();
    let mut match_id = String::new();
    loop {
        log.waits();
        let message = inbound.message().await;
        let (read_at, read_at_us) = (Instant::now(), since_1970_us());
        log.is_woken();
        match message?.and_then(|response| response.message) {
            Some(Message::Ping(ping)) => {
                let nonce = ping.nonce;
                say(play_request::Message::Pong(Pong { nonce })).await?;
            }
            Some(Message::DecisionRequest(request)) => {
                let turn = request.request_id as usize % THINKING_MS.len();
                sleep(Duration::from_millis(THINKING_MS[turn])).await;
                let index = request.request_id % request.legal_count.max(1);
                let decision = Decision {
                    request_id: request.request_id,
                    choice: Some(Choice::Index(index)),
                    ..Decision::default()
                };
                say(play_request::Message::Decision(decision)).await?;
                log.answered(Answered {
                    match_id: match_id.clone(),
                    request_id: request.request_id,
                    read_at_us,
                    took_us: micros(read_at.elapsed()),
                    waited_us: 0,
                });
            }
            Some(Message::Welcome(welcome)) => match_id = welcome.match_id,
            Some(Message::MatchEnded(_)) => return Ok(()),
            Some(_) => {}
            None => return Err(Status::unavailable("the stream ended")),
        }
    }
}

fn since_1970_us() -> u64 {
    let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    micros(since_1970.unwrap_or_default())
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
