//! Time controls: the charge for a decision to a seat's time bank, and the increment for an answer.

use std::{fmt, str::FromStr};

use bridgemaster_games::{FieldError, check_range};
use thiserror::Error;

/// Maximum of bank and cap in ms: one day. It ensures that an abandoned match ends eventually.
const DAY_MS: u32 = 86_400_000;
/// Maximum of the increment in ms: one hour.
const HOUR_MS: u32 = 3_600_000;
/// Maximum of the delay in ms: one minute. A seat with an empty bank still has the delay for each
/// decision.
const MINUTE_MS: u32 = 60_000;

/// The range of each time of a time control: its minimum and maximum in ms.
const BANK_RANGE_MS: (u32, u32) = (1, DAY_MS);
const INCREMENT_RANGE_MS: (u32, u32) = (0, HOUR_MS);
const DELAY_RANGE_MS: (u32, u32) = (1, MINUTE_MS);
const CAP_RANGE_MS: (u32, u32) = (1, DAY_MS);

/// A time control: how long a seat may think, and how its time bank shrinks and grows.
///
/// The text `60+0.5/10` is a bank of one minute, an increment of half a second, and at most ten
/// seconds for one decision; [`TimeControl::NOTATION`] describes such texts. [`FromStr`] and
/// [`Display`](fmt::Display) are the only code that reads and writes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeControl {
    /// All thinking time is deducted from the bank, and each answer adds the increment.
    Fischer {
        /// Initial time in the bank, in ms: 1 to 86400000.
        bank_ms: u32,
        /// Time added to the bank after each answered request, in ms: 0 to 3600000.
        increment_ms: u32,
        /// Maximum time for one decision, in ms: 1 to 86400000.
        cap_ms: u32,
    },
    /// Like Fischer, but the first `delay_ms` of a decision's thinking time are not charged. Unused
    /// delay is lost.
    FischerDelay {
        /// Initial time in the bank, in ms: 1 to 86400000.
        bank_ms: u32,
        /// Time added to the bank after each answered request, in ms: 0 to 3600000.
        increment_ms: u32,
        /// Thinking time for each decision before the bank is charged, in ms: 1 to 60000, and below
        /// the cap.
        delay_ms: u32,
        /// Maximum time for one decision with its delay, in ms: 1 to 86400000.
        cap_ms: u32,
    },
}

impl Default for TimeControl {
    /// One minute in the bank, an increment of half a second, and at most ten seconds per decision.
    fn default() -> Self {
        Self::Fischer { bank_ms: 60_000, increment_ms: 500, cap_ms: 10_000 }
    }
}

impl TimeControl {
    /// Description of a time control's text, for people.
    pub const NOTATION: &str = "BANK[+INCREMENT][dDELAY][/CAP], each in seconds with up to three \
        decimals. BANK is the initial time bank. INCREMENT is added to the bank after each answered \
        request. DELAY is the time at the start of each decision that is not deducted from the \
        bank. CAP is the maximum time for one decision; without it, only bank and delay limit a \
        decision.";

    /// Maximum of a cap in ms. With this value, only the bank limits a decision.
    pub const MAX_CAP_MS: u32 = DAY_MS;

    /// Returns the initial time in the bank, in ms.
    pub fn bank_ms(&self) -> u32 {
        match *self {
            Self::Fischer { bank_ms, .. } | Self::FischerDelay { bank_ms, .. } => bank_ms,
        }
    }

    /// Returns the time that an answer adds to the bank, in ms.
    pub fn increment_ms(&self) -> u32 {
        match *self {
            Self::Fischer { increment_ms, .. } | Self::FischerDelay { increment_ms, .. } => {
                increment_ms
            }
        }
    }

    /// Returns the maximum thinking time for one decision, in ms.
    pub fn cap_ms(&self) -> u32 {
        match *self {
            Self::Fischer { cap_ms, .. } | Self::FischerDelay { cap_ms, .. } => cap_ms,
        }
    }

    /// Returns the maximum thinking time for a decision while the bank has `bank_us`, in µs.
    pub fn limit_us(&self, bank_us: u64) -> u64 {
        let left_us = bank_us + self.delay_us();
        left_us.min(u64::from(self.cap_ms()) * 1000)
    }

    /// Returns the part of a decision's thinking time that is deducted from the bank, in µs.
    pub fn charged_us(&self, thinking_us: u64) -> u64 {
        thinking_us.saturating_sub(self.delay_us())
    }

    fn delay_us(&self) -> u64 {
        match *self {
            Self::Fischer { .. } => 0,
            Self::FischerDelay { delay_ms, .. } => u64::from(delay_ms) * 1000,
        }
    }

    /// Checks the range of every field, and that the cap exceeds the delay. `parent` is the path of
    /// the time control.
    pub(crate) fn check(&self, parent: &str) -> Result<(), FieldError> {
        let (kind, delay) = match *self {
            Self::Fischer { .. } => ("fischer", None),
            Self::FischerDelay { delay_ms, .. } => {
                ("fischer_delay", Some(("delay_ms", delay_ms, DELAY_RANGE_MS)))
            }
        };
        let shared = [
            ("bank_ms", self.bank_ms(), BANK_RANGE_MS),
            ("increment_ms", self.increment_ms(), INCREMENT_RANGE_MS),
            ("cap_ms", self.cap_ms(), CAP_RANGE_MS),
        ];
        for (field, value, (min, max)) in shared.into_iter().chain(delay) {
            check_range(format_args!("{parent}.{kind}.{field}"), value, min..=max)?;
        }
        match *self {
            Self::FischerDelay { delay_ms, cap_ms, .. } if delay_ms >= cap_ms => {
                let detail = format!("{delay_ms} must be less than cap_ms, which is {cap_ms}");
                FieldError::refuse(format!("{parent}.{kind}.delay_ms"), detail)
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Seconds(self.bank_ms()))?;
        if self.increment_ms() != 0 {
            write!(f, "+{}", Seconds(self.increment_ms()))?;
        }
        if let Self::FischerDelay { delay_ms, .. } = *self {
            write!(f, "d{}", Seconds(delay_ms))?;
        }
        if self.cap_ms() != Self::MAX_CAP_MS {
            write!(f, "/{}", Seconds(self.cap_ms()))?;
        }
        Ok(())
    }
}

/// Text that is not a valid time control.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseTimeControlError {
    /// The text does not have the form of a time control.
    #[error("expected a time control such as 60+0.5/10: {}", TimeControl::NOTATION)]
    Form,
    /// A time is out of range.
    #[error(
        "{part} is {text} s; the range is {} to {} s",
        Seconds(.range_ms.0),
        Seconds(.range_ms.1)
    )]
    Range {
        /// The part's name in [`TimeControl::NOTATION`].
        part: &'static str,
        /// The time as in the text.
        text: String,
        /// Minimum and maximum in ms.
        range_ms: (u32, u32),
    },
    /// The cap does not exceed the delay, so the bank would never be charged.
    #[error("DELAY is {delay} s, but must be less than CAP, which is {cap} s")]
    Delay {
        /// The delay in seconds.
        delay: String,
        /// The cap in seconds.
        cap: String,
    },
}

impl FromStr for TimeControl {
    type Err = ParseTimeControlError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (text, cap_ms) = split_time(text, '/', "CAP", CAP_RANGE_MS)?;
        let (text, delay_ms) = split_time(text, 'd', "DELAY", DELAY_RANGE_MS)?;
        let (text, increment_ms) = split_time(text, '+', "INCREMENT", INCREMENT_RANGE_MS)?;
        let bank_ms = time_ms(text, "BANK", BANK_RANGE_MS)?;
        let increment_ms = increment_ms.unwrap_or(0);
        let cap_ms = cap_ms.unwrap_or(Self::MAX_CAP_MS);
        Ok(match delay_ms {
            None => Self::Fischer { bank_ms, increment_ms, cap_ms },
            Some(delay_ms) if delay_ms >= cap_ms => {
                return Err(ParseTimeControlError::Delay {
                    delay: Seconds(delay_ms).to_string(),
                    cap: Seconds(cap_ms).to_string(),
                });
            }
            Some(delay_ms) => Self::FischerDelay { bank_ms, increment_ms, delay_ms, cap_ms },
        })
    }
}

/// Splits off the time after `mark`, in ms; `None` without the mark.
fn split_time<'a>(
    text: &'a str,
    mark: char,
    part: &'static str,
    range_ms: (u32, u32),
) -> Result<(&'a str, Option<u32>), ParseTimeControlError> {
    match text.split_once(mark) {
        Some((before, time)) => Ok((before, Some(time_ms(time, part, range_ms)?))),
        None => Ok((text, None)),
    }
}

/// Reads the time of a part, in ms.
fn time_ms(
    text: &str,
    part: &'static str,
    range_ms: (u32, u32),
) -> Result<u32, ParseTimeControlError> {
    let Seconds(ms) = text.parse()?;
    if (range_ms.0..=range_ms.1).contains(&ms) {
        return Ok(ms);
    }
    Err(ParseTimeControlError::Range { part, text: text.to_owned(), range_ms })
}

/// A time in ms that is written in seconds, such as `0.5`.
struct Seconds(u32);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = format!("{:03}", self.0 % 1000);
        match decimals.trim_end_matches('0') {
            "" => write!(f, "{}", self.0 / 1000),
            decimals => write!(f, "{}.{decimals}", self.0 / 1000),
        }
    }
}

impl FromStr for Seconds {
    type Err = ParseTimeControlError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if !is_number(whole) || !is_number(decimals) || decimals.len() > 3 {
            return Err(ParseTimeControlError::Form);
        }
        // An overlong time is out of every range.
        let ms = format!("{whole}{decimals:0<3}").parse();
        Ok(Self(ms.unwrap_or(u32::MAX)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fischer(bank_ms: u32, increment_ms: u32, cap_ms: u32) -> TimeControl {
        TimeControl::Fischer { bank_ms, increment_ms, cap_ms }
    }

    fn with_delay(bank_ms: u32, increment_ms: u32, delay_ms: u32, cap_ms: u32) -> TimeControl {
        TimeControl::FischerDelay { bank_ms, increment_ms, delay_ms, cap_ms }
    }

    #[test]
    fn times_are_in_seconds_and_only_the_bank_is_required() {
        for (text, control) in [
            ("60+0.5/10", TimeControl::default()),
            ("300", fischer(300_000, 0, TimeControl::MAX_CAP_MS)),
            ("0.001+3600", fischer(1, 3_600_000, TimeControl::MAX_CAP_MS)),
            ("60/0.25", fischer(60_000, 0, 250)),
            ("60+0.5d2/10", with_delay(60_000, 500, 2000, 10_000)),
            ("60d2.5", with_delay(60_000, 0, 2500, TimeControl::MAX_CAP_MS)),
        ] {
            assert_eq!(text.parse(), Ok(control), "{text}");
        }
    }

    #[test]
    fn a_text_of_another_form_is_refused_with_the_form() {
        for text in [
            "", "+1", "60+", "60/", "60/10+1", "60+1+2", "60d", "60d1+1", "-1", "1e3", "0.0005",
            "60 + 1", ".5",
        ] {
            assert_eq!(text.parse::<TimeControl>(), Err(ParseTimeControlError::Form), "{text}");
        }
    }

    #[test]
    fn a_time_out_of_range_is_refused_with_its_part_and_the_range() {
        for (text, problem) in [
            ("0", "BANK is 0 s; the range is 0.001 to 86400 s"),
            ("86400.001", "BANK is 86400.001 s; the range is 0.001 to 86400 s"),
            (
                "99999999999999999999",
                "BANK is 99999999999999999999 s; the range is 0.001 to 86400 s",
            ),
            ("1+5000", "INCREMENT is 5000 s; the range is 0 to 3600 s"),
            ("1/0", "CAP is 0 s; the range is 0.001 to 86400 s"),
            ("1d0", "DELAY is 0 s; the range is 0.001 to 60 s"),
            ("1d60.001", "DELAY is 60.001 s; the range is 0.001 to 60 s"),
            ("1d2/2", "DELAY is 2 s, but must be less than CAP, which is 2 s"),
        ] {
            let refused = text.parse::<TimeControl>().unwrap_err();
            assert_eq!(refused.to_string(), problem, "{text}");
        }
    }

    fn any_control() -> impl Strategy<Value = TimeControl> {
        let cap_ms = prop_oneof![1..=DAY_MS, Just(DAY_MS)];
        let times = (1..=DAY_MS, 0..=HOUR_MS, 1..=MINUTE_MS, cap_ms);
        (times, any::<bool>()).prop_map(
            |((bank_ms, increment_ms, delay_ms, cap_ms), is_delayed)| {
                if is_delayed && delay_ms < cap_ms {
                    with_delay(bank_ms, increment_ms, delay_ms, cap_ms)
                } else {
                    fischer(bank_ms, increment_ms, cap_ms)
                }
            },
        )
    }

    proptest! {
        #[test]
        fn a_time_control_is_read_back_from_its_text(control in any_control()) {
            prop_assert_eq!(control.to_string().parse(), Ok(control));
        }

        #[test]
        fn no_text_crashes_the_parser(text in "[0-9+/.d -]{0,20}") {
            if let Ok(control) = text.parse::<TimeControl>() {
                prop_assert_eq!(control.to_string().parse(), Ok(control));
            }
        }

        #[test]
        fn a_decision_never_costs_more_than_the_bank_has(
            control in any_control(),
            bank_us in 0..=u64::from(DAY_MS) * 1000,
            share in 0.0..=1.0,
        ) {
            let thinking_us = (control.limit_us(bank_us) as f64 * share) as u64;
            prop_assert!(control.charged_us(thinking_us) <= bank_us.min(thinking_us));
            prop_assert!(thinking_us - control.charged_us(thinking_us) <= control.delay_us());
        }
    }
}
