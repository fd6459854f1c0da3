//! Parses a new match's seat reservations.

use std::str::FromStr;

use bridgemaster_proto::v1::SeatReservation;

/// A seat reserved for an API key's bot, `SEAT=NAME`. The server validates the seat and the key.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reservation(SeatReservation);

impl Reservation {
    pub(super) fn message(&self) -> SeatReservation {
        self.0.clone()
    }
}

impl FromStr for Reservation {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text.split_once('=').filter(|(_, name)| !name.is_empty());
        let parts = parts.and_then(|(seat, name)| Some((seat.parse().ok()?, name)));
        let (seat, name) =
            parts.ok_or("expected SEAT=NAME: a seat, from 0, and the name of an API key")?;
        Ok(Self(SeatReservation {
            seat,
            key_name: name.to_owned(),
            queue_id: String::new(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reservation_is_a_seat_and_a_name() {
        let parsed: Reservation = "1=ada=x".parse().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((parsed.0.seat, parsed.0.key_name.as_str()), (1, "ada=x"));
        for bad in ["", "1", "1=", "ada=1", "-1=ada"] {
            assert!(bad.parse::<Reservation>().is_err(), "{bad:?}");
        }
    }
}
