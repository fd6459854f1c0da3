//! A bot in a separate process that records when it has read a request, when it has written the
//! answer, and how long it waited for a core in that time.

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

/// Thinking times for successive decisions, in ms.
const THINKING_MS: [u64; 5] = [0, 2, 5, 20, 60];
/// The reason with which the stream of a forfeited seat ends.
const SEAT_CLOSED: &str = "SEAT_CLOSED";
/// Pause before the bot reconnects after it has lost its stream.
const PAUSE: Duration = Duration::from_millis(100);

/// Source address of bots: 127.0.0.2, which only one of the attackers uses too.
pub(crate) const ADDRESS: u8 = 2;

/// Lines that a bot prints, as JSON.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum BotLine {
    /// The bot answered a request.
    Answered(Answered),
    /// The time at which the bot lost a stream or was refused one, in µs since 1970, and the
    /// reason. The bot then reconnects.
    Lost(u64, String),
    /// The match has ended, or the seat was forfeited.
    Ended,
    /// The bot has given up, for this reason.
    GaveUp(String),
}

/// A request that was answered.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Answered {
    pub(crate) match_id: String,
    pub(crate) request_id: u32,
    /// The time at which the request was read, in µs since 1970.
    pub(crate) read_at_us: u64,
    /// Time from having read the request to having written the answer, in µs.
    pub(crate) took_us: u64,
    /// Time for which the bot was runnable without a CPU, as the kernel reports, from the message
    /// before the request to the one after the answer.
    pub(crate) waited_us: u64,
}

/// A seat for the bot to play.
#[derive(Serialize, Deserialize)]
pub(crate) struct SeatToPlay {
    /// The target, as words.
    pub(crate) target: [String; 3],
    pub(crate) key: String,
    pub(crate) ticket: String,
}

fn say(said: &BotLine) {
    println!("{}", serde_json::to_string(said).unwrap());
}

/// The last answer on a stream. It is printed once it is known how long the bot waited for a CPU
/// until its next message.
#[derive(Default)]
struct AnswerLog {
    /// The last answer, and the total waiting time of the bot when it began to wait for the
    /// request.
    last: Option<(Answered, u64)>,
    /// Total waiting time when the bot began to wait for the last message.
    waited_before_us: u64,
}

impl AnswerLog {
    /// Records that the bot starts to wait for a message.
    fn begin_wait(&mut self) {
        self.waited_before_us = waited_us();
    }

    /// Records that a message has arrived, or that no further message will arrive.
    fn end_wait(&mut self) {
        if let Some((mut answered, waited_before_us)) = self.last.take() {
            answered.waited_us = waited_us().saturating_sub(waited_before_us);
            say(&BotLine::Answered(answered));
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

/// Plays the seats that are read from standard input, one per line, and prints the events of each.
pub(crate) fn run() -> ExitCode {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    for line in std::io::stdin().lock().lines() {
        let seat: SeatToPlay = serde_json::from_str(&line.unwrap()).unwrap();
        let ended = match runtime.block_on(play(&seat)) {
            Ok(()) => BotLine::Ended,
            Err(why) => BotLine::GaveUp(why),
        };
        say(&ended);
    }
    ExitCode::SUCCESS
}

/// Plays a seat to the end of its match, with as many streams as necessary.
async fn play(seat: &SeatToPlay) -> Result<(), String> {
    let words = seat.target.each_ref().map(String::as_str);
    let target = Target::from_words(words).ok_or("the target needs two addresses and a file")?;
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
            // The seat is forfeited because of a fault, which contains the reason.
            Some(refusal) if refusal.reason == SEAT_CLOSED => return Ok(()),
            Some(refusal) => return Err(format!("{}: {}", refusal.reason, refusal.message)),
            None => say(&BotLine::Lost(since_1970_us(), status.to_string())),
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
