//! All attacks, in a separate process: callers that hoard resources, and callers that keep the
//! server busy with calls that are refused or have no effect.

use std::{process::ExitCode, time::Duration};

use bridgemaster_proto::v1::{CreateMatchResponse, ListMatchesRequest};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    runtime::Builder,
    select,
    task::JoinSet,
    time::{sleep, timeout},
};

use super::{
    fair_bot,
    hoards::{BEGINNING, Hoard, LIST, PLAY, Prey, hello},
    raw_client::{Failure, RawClient},
    target::Target,
};

/// Number of matches that the attacker creates for its attacks.
const MATCHES: usize = 100;
/// Number of connections of an attacker that opens many.
const CONNECTIONS: usize = 60;
/// Pause between two attempts of an attacker. Attackers, bots and server share the machine, and the
/// attempts should load the server, not the machine.
const PAUSE: Duration = Duration::from_millis(2);
/// Maximum duration of one attempt.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(5);
/// Number of concurrent handshakes.
const HANDSHAKES: usize = 40;
/// Pause before the next byte of a handshake.
const BYTE_PAUSE: Duration = Duration::from_millis(20);
/// Flow-control window of a stream whose response does not matter.
const WINDOW: u32 = 65_535;

/// A way to keep the server busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Attack {
    /// Calls that are started and immediately reset.
    RapidReset,
    /// Connections that send Hello and then close.
    HelloFlood,
    /// A seat that is joined again and again.
    ReconnectStorm,
    /// Bytes that are not TLS, and bytes within TLS that are not HTTP/2.
    JunkFrames,
    /// An endless stream of HTTP/2 frames that require only an acknowledgement.
    EndlessFrames,
    /// Many concurrent TLS handshakes, sent byte by byte.
    SlowHandshakes,
    /// Calls with invented keys.
    KeyGuessing,
    /// Calls that are reset and a seat that is joined again and again, from the address of the fair
    /// bots, as by a caller behind the same NAT.
    Neighbour,
}

impl Attack {
    const ALL: [Self; 8] = [
        Self::RapidReset,
        Self::HelloFlood,
        Self::ReconnectStorm,
        Self::JunkFrames,
        Self::EndlessFrames,
        Self::SlowHandshakes,
        Self::KeyGuessing,
        Self::Neighbour,
    ];
}

/// Attacks the target in the first three arguments with the key in the fourth, until the process is
/// killed. An optional fifth argument selects a single kind of attack.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    match runtime.block_on(attack_forever(arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("the attacker cannot start: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn attack_forever(arguments: &[String]) -> Result<(), Failure> {
    let [server, metrics, ca, key, only @ ..] = arguments else {
        return Err("usage: attacker ADDRESS METRICS CA KEY [ATTACK]".into());
    };
    let target = Target::from_words([server, metrics, ca]);
    let target = target.ok_or("the first two arguments must be addresses")?;
    let is_meant = |name: String| only.is_empty() || only.contains(&name);
    let mut prey = Prey::new(&target, key, MATCHES).await?;
    prey.connections = CONNECTIONS;
    let mut attacks = JoinSet::new();
    for how in Hoard::ALL {
        if is_meant(format!("{how:?}")) {
            attacks.spawn(prey.clone().hoard(how));
        }
    }
    for how in Attack::ALL {
        let from = match how {
            Attack::Neighbour => fair_bot::ADDRESS,
            _ => 30 + how as u8,
        };
        if is_meant(format!("{how:?}")) {
            let prey = prey.clone();
            attacks.spawn(Attacker { from, prey }.attack(how));
        }
    }
    println!("attacking");
    attacks.join_all().await;
    Ok(())
}

/// A caller that attacks from one address.
struct Attacker {
    from: u8,
    prey: Prey,
}

impl Attacker {
    /// Repeats the attack until the process is killed.
    async fn attack(self, how: Attack) {
        for round in 1.. {
            // After a refusal, the attack is repeated.
            let _refused = timeout(ATTEMPT_TIMEOUT, self.attempt(how, round)).await;
            sleep(PAUSE).await;
        }
    }

    async fn attempt(&self, how: Attack, round: u64) -> Result<(), Failure> {
        let matches = &self.prey.matches;
        match how {
            Attack::RapidReset => self.rapid_reset().await,
            Attack::HelloFlood => {
                let number = usize::try_from(round)? % matches.len();
                self.take_seat(&matches[number], 1).await
            }
            Attack::ReconnectStorm => self.take_seat(&matches[0], 50).await,
            Attack::JunkFrames => self.junk(round).await,
            Attack::EndlessFrames => self.endless_frames(round).await,
            Attack::SlowHandshakes => self.slow_handshakes().await,
            Attack::KeyGuessing => self.guess_keys(round).await,
            Attack::Neighbour if round.is_multiple_of(2) => self.rapid_reset().await,
            Attack::Neighbour => self.take_seat(&matches[1], 50).await,
        }
    }

    async fn client(&self, key: &str) -> Result<RawClient, Failure> {
        RawClient::connect(&self.prey.target, self.from, key, WINDOW).await
    }

    async fn rapid_reset(&self) -> Result<(), Failure> {
        let mut client = self.client(&self.prey.key).await?;
        for _ in 0..200 {
            // Dropping the call resets its stream.
            drop(client.call(LIST, &ListMatchesRequest::default()).await?);
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    async fn take_seat(&self, made: &CreateMatchResponse, times: usize) -> Result<(), Failure> {
        let mut client = self.client(&self.prey.key).await?;
        let ticket = made.tickets.first().map(|ticket| ticket.ticket.as_str());
        for _ in 0..times {
            let call = client.begin(PLAY, ticket, hello(), false).await?;
            drop(call.head(ATTEMPT_TIMEOUT).await);
        }
        Ok(())
    }

    async fn slow_handshakes(&self) -> Result<(), Failure> {
        let mut handshakes = JoinSet::new();
        for _ in 0..HANDSHAKES {
            let (target, from) = (self.prey.target.clone(), self.from);
            handshakes.spawn(async move {
                let mut stream = target.tcp(from, target.server).await?;
                for byte in target.client_hello() {
                    stream.write_all(&[byte]).await?;
                    sleep(BYTE_PAUSE).await;
                }
                Ok::<_, std::io::Error>(())
            });
        }
        // Handshakes that are unfinished at the timeout are dropped with the future.
        while handshakes.join_next().await.is_some() {}
        Ok(())
    }

    async fn junk(&self, round: u64) -> Result<(), Failure> {
        // Numbers from a linear congruential generator are good enough as junk.
        let mut state = round;
        let junk = (0..10_000).map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        });
        let mut junk: Vec<u8> = junk.collect();
        let target = &self.prey.target;
        if round.is_multiple_of(2) {
            return send(target.tcp(self.from, target.server).await?, &junk).await;
        }
        // Every second time, the bytes follow the preface of HTTP/2.
        if round % 4 == 1 {
            junk.splice(0..0, BEGINNING.iter().copied());
        }
        send(target.tls(self.from).await?, &junk).await
    }

    async fn endless_frames(&self, round: u64) -> Result<(), Failure> {
        /// SETTINGS without a setting.
        const SETTINGS: &[u8] = &[0, 0, 0, 4, 0, 0, 0, 0, 0];
        /// PING with its eight bytes.
        const PING: &[u8] = &[0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8];

        let frame = if round.is_multiple_of(2) { PING } else { SETTINGS };
        let frames = frame.repeat(1_000);
        // One connection for each thread that a server may have.
        let flood = async || -> Result<(), Failure> {
            let stream = self.prey.target.tls(self.from).await?;
            let (mut answers, mut stream) = tokio::io::split(stream);
            stream.write_all(BEGINNING).await?;
            let sending = async {
                loop {
                    stream.write_all(&frames).await?;
                }
            };
            let mut nowhere = tokio::io::sink();
            select! {
                sent = sending => sent,
                _ = tokio::io::copy(&mut answers, &mut nowhere) => Ok(()),
            }
        };
        tokio::try_join!(flood(), flood(), flood(), flood())?;
        Ok(())
    }

    async fn guess_keys(&self, round: u64) -> Result<(), Failure> {
        let (known, _) = self.prey.key.rsplit_once('_').unwrap_or_default();
        for number in 0..50 {
            // Alternates between an existing identifier with another secret, and an identifier that
            // does not exist.
            let guess = match number % 2 {
                0 => format!("{known}_{round:032x}{number:032x}"),
                _ => format!("bmk_{round:016x}_{number:064x}"),
            };
            let mut client = self.client(&guess).await?;
            for _ in 0..10 {
                let call = client.call(LIST, &ListMatchesRequest::default()).await?;
                drop(call.head(ATTEMPT_TIMEOUT).await);
            }
        }
        Ok(())
    }
}

/// Sends junk, and reads the response.
async fn send(mut stream: impl AsyncRead + AsyncWrite + Unpin, junk: &[u8]) -> Result<(), Failure> {
    stream.write_all(junk).await?;
    stream.flush().await?;
    stream.read_to_end(&mut Vec::new()).await?;
    Ok(())
}
