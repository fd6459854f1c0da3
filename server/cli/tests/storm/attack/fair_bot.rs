//! A bot in a separate process that records when it read a request, when it had written the
//! answer, and how long it waited for a core around that time.

use std::{
    fs,
    io::BufRead as _,
    process::ExitCode,
    time::{Duration, Instant, SystemTime},
};

use bridgemaster_proto::v1::play_response::Message;
use bridgemaster_sdk::{Advice, Refusal};
use serde::{Deserialize, Serialize};
use tokio::{runtime::Builder, time::sleep};
use tonic::{Status, transport::Channel};

use super::target::Target;
use crate::kit::seat_stream::{SeatStream, hello};

/// Thinking time for a decision, in ms, in turn.
const THINKING_MS: [u64; 5] = [0, 2, 5, 20, 60];
/// The reason that ends the stream of a forfeited seat.
const SEAT_CLOSED: &str = "SEAT_CLOSED";
/// Pause before it comes back after a lost stream.
const PAUSE: Duration = Duration::from_millis(100);

/// Source address of bots: 127.0.0.2, from which only one attacker attacks.
pub(crate) const ADDRESS: u8 = 2;

/// Lines that a bot prints, as JSON.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Said {
    /// It answered a request.
    Answered(Answered),
    /// When the bot lost a stream or was refused one, in µs since 1970. The bot then reconnects.
    Lost(u64, String),
    /// Its match is over, or its seat forfeited.
    Ended,
    /// It plays no more.
    GaveUp(String),
}

/// A request that was answered.
#[derive(Clone, Debug, Serialize, Deserialize)]
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

/// A seat that the bot is to play.
#[derive(Serialize, Deserialize)]
pub(crate) struct SeatToPlay {
    /// Words of the target.
    pub(crate) target: [String; 3],
    pub(crate) key: String,
    pub(crate) ticket: String,
}

fn say(said: &Said) {
    println!("{}", serde_json::to_string(said).unwrap());
}

/// The last answer of a stream: it is printed when it is known how long the bot waited for a
/// processor until its next message.
#[derive(Default)]
struct AnswerLog {
    /// The last answer, and the bot's total waiting time when it began to wait for the request.
    last: Option<(Answered, u64)>,
    /// Time waited when it started to wait for the last message.
    waited_before_us: u64,
}

impl AnswerLog {
    /// Records that the bot is about to wait for a message.
    fn begin_wait(&mut self) {
        self.waited_before_us = waited_us();
    }

    /// Records that a message came, or none will come.
    fn end_wait(&mut self) {
        if let Some((mut answered, waited_before_us)) = self.last.take() {
            answered.waited_us = waited_us().saturating_sub(waited_before_us);
            say(&Said::Answered(answered));
        }
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
/// says of them.
pub(crate) fn run() -> ExitCode {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    for line in std::io::stdin().lock().lines() {
        let seat: SeatToPlay = serde_json::from_str(&line.unwrap()).unwrap();
        let ended = match runtime.block_on(play(&seat)) {
            Ok(()) => Said::Ended,
            Err(why) => Said::GaveUp(why),
        };
        say(&ended);
    }
    ExitCode::SUCCESS
}

/// Plays a seat to the end of its match, over as many streams as it takes.
async fn play(seat: &SeatToPlay) -> Result<(), String> {
    let words = seat.target.each_ref().map(String::as_str);
    let target = Target::from_words(words).ok_or("two addresses and a file")?;
    let channel = target.channel_from(ADDRESS);
    loop {
        let mut log = AnswerLog::default();
        let ended = one_stream(channel.clone(), seat, &mut log).await;
        log.end_wait();
        let Err(status) = ended else {
            return Ok(());
        };
        let refusal = Refusal::from_status(&status);
        match refusal.filter(|refusal| refusal.advice != Advice::Retry) {
            // It is forfeited, for which there is a fault that says why.
            Some(refusal) if refusal.reason == SEAT_CLOSED => return Ok(()),
            Some(refusal) => return Err(format!("{}: {}", refusal.reason, refusal.message)),
            None => say(&Said::Lost(since_1970_us(), status.to_string())),
        }
        sleep(PAUSE).await;
    }
}

async fn one_stream(
    channel: Channel,
    seat: &SeatToPlay,
    log: &mut AnswerLog,
) -> Result<(), Status> {
    let mut stream = SeatStream::open(channel, &seat.ticket, &seat.key, hello("fair")).await?;
    let mut match_id = String::new();
    loop {
        log.begin_wait();
        let message = stream.next().await;
        let (read_at, read_at_us) = (Instant::now(), since_1970_us());
        log.end_wait();
        match message?.and_then(|response| response.message) {
            Some(Message::DecisionRequest(request)) => {
                let turn = request.request_id as usize % THINKING_MS.len();
                sleep(Duration::from_millis(THINKING_MS[turn])).await;
                let index = request.request_id % request.legal_count.max(1);
                stream.decide(request.request_id, index).await?;
                let answered = Answered {
                    match_id: match_id.clone(),
                    request_id: request.request_id,
                    read_at_us,
                    took_us: micros(read_at.elapsed()),
                    waited_us: 0,
                };
                log.last = Some((answered, log.waited_before_us));
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
