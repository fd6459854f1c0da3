//! The round trip of a connection, as measured by TCP.
//!
//! A bot's program can delay its responses at the gRPC or HTTP/2 level. But TCP segments are
//! acknowledged by the kernel of the bot's machine, from the handshake on. So this round trip
//! measures the network and not the program.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::net::TcpStream;

/// The minimum interval between two samples of a measured round trip. The kernel keeps its minimum
/// for minutes, so no measurement between two samples is lost.
const SAMPLE_INTERVAL: Duration = Duration::from_secs(1);

/// The value that stands for an unmeasured round trip, as in the kernel.
const UNMEASURED: u32 = u32::MAX;

/// The minimum round trip that TCP has measured on a connection. Clones share it.
#[derive(Clone, Debug)]
pub struct MinRoundTrip {
    /// The minimum in µs; `None` if the system does not report it.
    min_us: Option<Arc<AtomicU32>>,
    /// For a forwarded call, the round trip between the caller and the forwarding server, in µs;
    /// otherwise 0.
    excess_us: u32,
}

impl MinRoundTrip {
    /// Creates a round trip with the value that the system reports, in µs.
    #[cfg(test)]
    pub(crate) fn from_micros(us: Option<u32>) -> Self {
        Self { min_us: us.map(|us| Arc::new(AtomicU32::new(us))), excess_us: 0 }
    }

    /// Adds the round trip between the caller and the forwarding server; `None` if the forwarding
    /// server's system does not report it.
    pub(super) fn with_forwarding(self, excess_us: Option<u32>) -> Self {
        Self { min_us: excess_us.and(self.min_us), excess_us: excess_us.unwrap_or_default() }
    }

    /// The minimum round trip so far, in µs. The value is 0 while there is no measurement, and
    /// `None` if the system does not report round trips.
    pub fn reported_us(&self) -> Option<u32> {
        match self.min_us.as_ref()?.load(Ordering::Relaxed) {
            UNMEASURED => Some(0),
            min_us => Some(min_us.saturating_add(self.excess_us)),
        }
    }

    /// The minimum round trip in µs; `None` while there is no measurement, or if the system does
    /// not report round trips.
    pub fn min_us(&self) -> Option<u64> {
        match self.min_us.as_ref()?.load(Ordering::Relaxed) {
            UNMEASURED => None,
            min_us => Some(u64::from(min_us) + u64::from(self.excess_us)),
        }
    }

    /// Returns the part of a round trip that is due to the network, in µs. This is `measured_us`,
    /// which was measured by gRPC messages, but at most the round trip that TCP measured. Returns
    /// `None` while TCP has no measurement. If the system does not report TCP round trips, returns
    /// `measured_us`.
    pub fn network_us(&self, measured_us: u64) -> Option<u64> {
        let Some(min_us) = &self.min_us else {
            return Some(measured_us);
        };
        match min_us.load(Ordering::Relaxed) {
            UNMEASURED => None,
            min_us => Some(measured_us.min(u64::from(min_us) + u64::from(self.excess_us))),
        }
    }
}

/// Samples a connection's round trip at intervals.
pub(super) struct RoundTripSampler {
    min: MinRoundTrip,
    sampled_at: Instant,
}

impl RoundTripSampler {
    /// Takes the first sample. The TCP handshake has already measured the round trip.
    pub(super) fn new(tcp: &TcpStream) -> Self {
        let reported = kernel_us(tcp);
        Self {
            min: MinRoundTrip {
                min_us: reported.map(|us| Arc::new(AtomicU32::new(us))),
                excess_us: 0,
            },
            sampled_at: Instant::now(),
        }
    }

    pub(super) fn min(&self) -> MinRoundTrip {
        self.min.clone()
    }

    /// Takes a sample if one is due.
    pub(super) fn sample(&mut self, tcp: &TcpStream) {
        let Some(min_us) = &self.min.min_us else {
            return;
        };
        let is_due = || self.sampled_at.elapsed() >= SAMPLE_INTERVAL;
        if min_us.load(Ordering::Relaxed) == UNMEASURED || is_due() {
            self.sampled_at = Instant::now();
            min_us.fetch_min(kernel_us(tcp).unwrap_or(UNMEASURED), Ordering::Relaxed);
        }
    }
}

/// Returns the kernel's minimum round trip of the last minutes, in µs. The result is [`UNMEASURED`]
/// before the first measurement, and `None` if the kernel does not report round trips.
#[cfg(target_os = "linux")]
fn kernel_us(tcp: &TcpStream) -> Option<u32> {
    use std::os::fd::AsRawFd as _;

    use uapi::{
        c::{IPPROTO_TCP, TCP_INFO},
        getsockopt,
    };

    /// The offset of `tcpi_min_rtt` in `struct tcp_info` (linux/tcp.h), in words of 32 bits. The
    /// layout belongs to the kernel's stable interface.
    const MIN_RTT: usize = 148 / size_of::<u32>();

    let mut info = [0_u32; MIN_RTT + 1];
    let read = getsockopt(tcp.as_raw_fd(), IPPROTO_TCP, TCP_INFO, &mut info);
    // Linux never measures a round trip of 0. Systems that only emulate Linux do not set the value.
    let is_reported = read.is_ok_and(|bytes| bytes >= size_of_val(&info)) && info[MIN_RTT] > 0;
    is_reported.then_some(info[MIN_RTT])
}

/// Systems other than Linux do not report the round trip.
#[cfg(not(target_os = "linux"))]
fn kernel_us(_tcp: &TcpStream) -> Option<u32> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn least(us: Option<u32>) -> MinRoundTrip {
        MinRoundTrip::from_micros(us)
    }

    #[test]
    fn a_measured_time_counts_at_most_as_the_round_trip_of_tcp() {
        assert_eq!(least(Some(40)).network_us(100_000), Some(40));
        assert_eq!(least(Some(40)).network_us(30), Some(30));
        assert_eq!(least(Some(UNMEASURED)).network_us(30), None);
        assert_eq!(least(None).network_us(30), Some(30));
        let measured = [Some(40), Some(UNMEASURED), None].map(|us| least(us).min_us());
        assert_eq!(measured, [Some(40), None, None]);
    }

    #[test]
    fn the_round_trip_of_a_forwarded_call_is_the_sum_of_both_connections() {
        let both = least(Some(40)).with_forwarding(Some(1_000));
        assert_eq!(both.min_us(), Some(1_040));
        assert_eq!(both.network_us(100_000), Some(1_040));
        assert_eq!(both.reported_us(), Some(1_040));
        // If either round trip is not reported, there is no value to cap a measurement with.
        assert_eq!(least(Some(40)).with_forwarding(None).network_us(30_000), Some(30_000));
        assert_eq!(least(None).with_forwarding(Some(40)).network_us(30_000), Some(30_000));
        assert_eq!(least(Some(UNMEASURED)).with_forwarding(Some(40)).network_us(30_000), None);
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn the_handshake_measures_the_round_trip() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let _peer = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (accepted, _) = listener.accept().await.unwrap();
        let watch = RoundTripSampler::new(&accepted);
        let measured_us = watch.min().network_us(u64::MAX).unwrap();
        // Anything longer than an hour is implausible, and would mean that another field was read.
        assert!((1..3_600_000_000).contains(&measured_us), "{measured_us} µs");
    }
}
