//! The round trip of a connection, as the system's TCP measures it.
//!
//! What a bot answers at the level of gRPC or HTTP/2 its program can put off. A TCP segment is
//! acknowledged by the kernel of its machine, beginning with the handshake, so this figure says
//! what the way takes and not what the program does.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::net::TcpStream;

/// Least time between two looks at a connection whose round trip is known. The kernel remembers
/// its least one for minutes, so that nothing is missed between them.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// Not measured yet; the kernel writes it so, too.
const NOT_YET: u32 = u32::MAX;

/// The shortest round trip that TCP has measured on a connection. All clones are one.
#[derive(Clone, Debug)]
pub(crate) struct LeastRoundTrip {
    /// In µs; `None` when the system does not tell.
    least_us: Option<Arc<AtomicU32>>,
    /// Of the way beyond the connection, in µs.
    beyond_us: u32,
}

impl LeastRoundTrip {
    /// One that was measured, of which the system tells this.
    #[cfg(test)]
    pub(crate) fn of_us(us: Option<u32>) -> Self {
        Self {
            least_us: us.map(|us| Arc::new(AtomicU32::new(us))),
            beyond_us: 0,
        }
    }

    /// The round trip of a way that goes on beyond this connection, over one that takes so long;
    /// `None` where the system there does not tell it.
    pub(super) fn beyond(self, beyond_us: Option<u32>) -> Self {
        Self {
            least_us: beyond_us.and(self.least_us),
            beyond_us: beyond_us.unwrap_or_default(),
        }
    }

    /// The shortest round trip so far, in µs, 0 while none is measured; `None` when the system does not
    /// tell.
    pub(crate) fn told_us(&self) -> Option<u32> {
        match self.least_us.as_ref()?.load(Ordering::Relaxed) {
            NOT_YET => Some(0),
            least_us => Some(least_us.saturating_add(self.beyond_us)),
        }
    }

    /// The shortest round trip, in µs; `None` while TCP has not measured any, and where the system
    /// tells nothing.
    pub(crate) fn least_us(&self) -> Option<u64> {
        match self.least_us.as_ref()?.load(Ordering::Relaxed) {
            NOT_YET => None,
            least_us => Some(u64::from(least_us) + u64::from(self.beyond_us)),
        }
    }

    /// What of a round trip that was measured above TCP, in µs, is the way's: no more of it than
    /// TCP needs. `None` while TCP has not measured any. Where the system tells nothing all of it
    /// has to be believed.
    pub(crate) fn of_the_way_us(&self, measured_us: u64) -> Option<u64> {
        let Some(least_us) = &self.least_us else {
            return Some(measured_us);
        };
        match least_us.load(Ordering::Relaxed) {
            NOT_YET => None,
            least_us => Some(measured_us.min(u64::from(least_us) + u64::from(self.beyond_us))),
        }
    }
}

/// Looks at a connection now and then.
pub(super) struct RoundTripWatch {
    least: LeastRoundTrip,
    looked_at: Instant,
}

impl RoundTripWatch {
    /// Looks at the connection for the first time: the handshake has measured it.
    pub(super) fn new(tcp: &TcpStream) -> Self {
        let told = told_us(tcp);
        Self {
            least: LeastRoundTrip {
                least_us: told.map(|us| Arc::new(AtomicU32::new(us))),
                beyond_us: 0,
            },
            looked_at: Instant::now(),
        }
    }

    pub(super) fn least(&self) -> LeastRoundTrip {
        self.least.clone()
    }

    /// Looks again if it is time to.
    pub(super) fn look(&mut self, tcp: &TcpStream) {
        let Some(least_us) = &self.least.least_us else {
            return;
        };
        let is_due = || self.looked_at.elapsed() >= LOOK_INTERVAL;
        if least_us.load(Ordering::Relaxed) == NOT_YET || is_due() {
            self.looked_at = Instant::now();
            least_us.fetch_min(told_us(tcp).unwrap_or(NOT_YET), Ordering::Relaxed);
        }
    }
}

/// The least round trip of the last minutes as the kernel tells it, in µs; [`NOT_YET`] before
/// there is one, `None` when it tells nothing of the kind.
#[cfg(target_os = "linux")]
fn told_us(tcp: &TcpStream) -> Option<u32> {
    use std::os::fd::AsRawFd as _;

    use uapi::{
        c::{IPPROTO_TCP, TCP_INFO},
        getsockopt,
    };

    /// Where `tcpi_min_rtt` begins in `struct tcp_info` (linux/tcp.h), in words of 32 bits; the
    /// layout is part of the kernel's promise to programs.
    const MIN_RTT: usize = 148 / size_of::<u32>();

    let mut info = [0_u32; MIN_RTT + 1];
    let told = getsockopt(tcp.as_raw_fd(), IPPROTO_TCP, TCP_INFO, &mut info);
    // Linux never measures 0: that is left so by what only looks like Linux.
    let is_told = told.is_ok_and(|bytes| bytes >= size_of_val(&info)) && info[MIN_RTT] > 0;
    is_told.then_some(info[MIN_RTT])
}

/// Only Linux is asked.
#[cfg(not(target_os = "linux"))]
fn told_us(_tcp: &TcpStream) -> Option<u32> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn least(us: Option<u32>) -> LeastRoundTrip {
        LeastRoundTrip::of_us(us)
    }

    #[test]
    fn no_more_is_believed_than_tcp_has_measured() {
        assert_eq!(least(Some(40)).of_the_way_us(100_000), Some(40));
        assert_eq!(least(Some(40)).of_the_way_us(30), Some(30));
        assert_eq!(least(Some(NOT_YET)).of_the_way_us(30), None);
        assert_eq!(least(None).of_the_way_us(30), Some(30));
        let known = [Some(40), Some(NOT_YET), None].map(|us| least(us).least_us());
        assert_eq!(known, [Some(40), None, None]);
    }

    #[test]
    fn a_way_over_two_connections_takes_as_long_as_both() {
        let both = least(Some(40)).beyond(Some(1_000));
        assert_eq!(both.least_us(), Some(1_040));
        assert_eq!(both.of_the_way_us(100_000), Some(1_040));
        assert_eq!(both.told_us(), Some(1_040));
        // Where one of the two is not told, there is nothing to hold a measurement against.
        assert_eq!(
            least(Some(40)).beyond(None).of_the_way_us(30_000),
            Some(30_000)
        );
        assert_eq!(
            least(None).beyond(Some(40)).of_the_way_us(30_000),
            Some(30_000)
        );
        assert_eq!(
            least(Some(NOT_YET)).beyond(Some(40)).of_the_way_us(30_000),
            None
        );
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn the_handshake_tells_the_round_trip() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let _peer = TcpStream::connect(listener.local_addr().unwrap())
            .await
            .unwrap();
        let (accepted, _) = listener.accept().await.unwrap();
        let watch = RoundTripWatch::new(&accepted);
        let known_us = watch.least().of_the_way_us(u64::MAX).unwrap();
        // An hour: anything but a number of another field.
        assert!((1..3_600_000_000).contains(&known_us), "{known_us} µs");
    }
}
