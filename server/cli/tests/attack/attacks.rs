//! Callers who keep the server busy with what is refused or comes to nothing.

use std::time::Duration;

use bridgemaster_proto::v1::{CreateMatchResponse, ListMatchesRequest};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    select,
    task::JoinSet,
    time::{sleep, timeout},
};

use crate::{
    fair_bot,
    hoards::{BEGINNING, LIST, PLAY, Prey, hello},
    raw_client::{Failure, RawClient},
    server_process::Key,
};

/// Pause between two tries of one attacker: attackers share the machine with bots and server, and
/// what they try is to be dear for the server, not for the machine.
const PAUSE: Duration = Duration::from_millis(2);
/// Longest time for one try.
const TRY: Duration = Duration::from_secs(5);
/// Handshakes that are under way at once.
const HANDSHAKES: usize = 40;
/// Pause before the next byte of a handshake.
const BYTE_PAUSE: Duration = Duration::from_millis(20);

/// A way to keep the server busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attack {
    /// Calls that are begun and reset at once.
    RapidReset,
    /// Connections that say Hello and go.
    HelloFlood,
    /// One seat that is taken again and again.
    ReconnectStorm,
    /// Bytes that are no TLS, and within TLS bytes that are no HTTP/2.
    JunkFrames,
    /// Frames of HTTP/2 that ask for nothing but an acknowledgement, without end.
    EndlessFrames,
    /// Handshakes of TLS, many at once, byte by byte.
    SlowHandshakes,
    /// Keys that are made up.
    KeyGuessing,
    /// Calls that are reset and a seat that is taken again and again, from the address of the fair
    /// bots, as somebody behind the same NAT could.
    Neighbour,
}

impl Attack {
    pub(crate) const ALL: [Self; 8] = [
        Self::RapidReset,
        Self::HelloFlood,
        Self::ReconnectStorm,
        Self::JunkFrames,
        Self::EndlessFrames,
        Self::SlowHandshakes,
        Self::KeyGuessing,
        Self::Neighbour,
    ];

    /// Source address.
    fn address(self) -> u8 {
        match self {
            Self::Neighbour => fair_bot::ADDRESS,
            _ => 30 + self as u8,
        }
    }
}

/// Attacks for ever.
pub(crate) async fn attack(how: Attack, prey: Prey) {
    let mut round = 0_u64;
    loop {
        round += 1;
        // What is refused is tried again.
        let _refused = timeout(TRY, try_once(how, &prey, round)).await;
        sleep(PAUSE).await;
    }
}

async fn try_once(how: Attack, prey: &Prey, round: u64) -> Result<(), Failure> {
    match how {
        Attack::RapidReset => rapid_reset(how, prey).await,
        Attack::HelloFlood => {
            let made = &prey.matches[usize::try_from(round)? % prey.matches.len()];
            take_seat(how, prey, made, 1).await
        }
        Attack::ReconnectStorm => take_seat(how, prey, &prey.matches[0], 50).await,
        Attack::JunkFrames => junk(how, prey, round).await,
        Attack::EndlessFrames => endless_frames(how, prey, round).await,
        Attack::SlowHandshakes => slow_handshakes(how, prey).await,
        Attack::KeyGuessing => guess_keys(how, prey, round).await,
        Attack::Neighbour if round.is_multiple_of(2) => rapid_reset(how, prey).await,
        Attack::Neighbour => take_seat(how, prey, &prey.matches[1], 50).await,
    }
}

async fn rapid_reset(how: Attack, prey: &Prey) -> Result<(), Failure> {
    let mut client = RawClient::connect(&prey.target, how.address(), &prey.key, 65_535).await?;
    for _ in 0..200 {
        // Dropping the call resets its stream.
        drop(client.call(LIST, &ListMatchesRequest::default()).await?);
        tokio::task::yield_now().await;
    }
    Ok(())
}

async fn take_seat(
    how: Attack,
    prey: &Prey,
    made: &CreateMatchResponse,
    times: usize,
) -> Result<(), Failure> {
    let mut client = RawClient::connect(&prey.target, how.address(), &prey.key, 65_535).await?;
    let ticket = made.tickets.first().map(|ticket| ticket.ticket.as_str());
    for _ in 0..times {
        let call = client.begin(PLAY, ticket, hello(), false).await?;
        drop(call.head(TRY).await);
    }
    Ok(())
}

async fn slow_handshakes(how: Attack, prey: &Prey) -> Result<(), Failure> {
    let mut handshakes = JoinSet::new();
    for _ in 0..HANDSHAKES {
        let target = prey.target.clone();
        handshakes.spawn(async move {
            let mut stream = target.tcp(how.address()).await?;
            for byte in target.client_hello() {
                stream.write_all(&[byte]).await?;
                sleep(BYTE_PAUSE).await;
            }
            Ok::<_, std::io::Error>(())
        });
    }
    // Those that are left when the time for a try is over are dropped with it.
    while handshakes.join_next().await.is_some() {}
    Ok(())
}

async fn junk(how: Attack, prey: &Prey, round: u64) -> Result<(), Failure> {
    // A linear congruential generator is junk enough.
    let mut state = round;
    let junk: Vec<u8> = (0..10_000)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        })
        .collect();
    if round.is_multiple_of(2) {
        return send_junk(prey.target.tcp(how.address()).await?, &[], &junk).await;
    }
    // Every other time behind what HTTP/2 begins with.
    let begun = match round % 4 {
        1 => BEGINNING,
        _ => &[],
    };
    send_junk(prey.target.tls(how.address()).await?, begun, &junk).await
}

async fn send_junk(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    begun: &[u8],
    junk: &[u8],
) -> Result<(), Failure> {
    stream.write_all(begun).await?;
    stream.write_all(junk).await?;
    stream.flush().await?;
    let mut heard = Vec::new();
    stream.read_to_end(&mut heard).await?;
    Ok(())
}

async fn endless_frames(how: Attack, prey: &Prey, round: u64) -> Result<(), Failure> {
    /// SETTINGS without a setting.
    const SETTINGS: &[u8] = &[0, 0, 0, 4, 0, 0, 0, 0, 0];
    /// PING with its eight bytes.
    const PING: &[u8] = &[0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8];

    let frame = if round.is_multiple_of(2) {
        PING
    } else {
        SETTINGS
    };
    let frames = frame.repeat(1_000);
    // As many as a machine may have threads for a server.
    let flood = async || -> Result<(), Failure> {
        let stream = prey.target.tls(how.address()).await?;
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

async fn guess_keys(how: Attack, prey: &Prey, round: u64) -> Result<(), Failure> {
    let (known, _) = prey.key.0.rsplit_once('_').unwrap_or_default();
    for number in 0..50 {
        // An identifier that there is, with another secret; and one that there is not.
        let guess = match number % 2 {
            0 => format!("{known}_{round:032x}{number:032x}"),
            _ => format!("bmk_{round:016x}_{number:064x}"),
        };
        let guess = Key(guess);
        let mut client = RawClient::connect(&prey.target, how.address(), &guess, 65_535).await?;
        for _ in 0..10 {
            let call = client.call(LIST, &ListMatchesRequest::default()).await?;
            drop(call.head(TRY).await);
        }
    }
    Ok(())
}
