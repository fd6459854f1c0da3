//! Requirements for a contest's result.

use std::{fmt, str::FromStr};

use bridgemaster_contest::MAX_LEVEL;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::SpecError;

/// A requirement for a contest's result. The text form is `MEASURE>=NUMBER` or `MEASURE<=NUMBER`.
/// The prefix `BOT:` names a bot other than the candidate. With the suffix `@LEVEL%`, the whole
/// confidence interval at this level must satisfy the bound. Examples: `elo>=0@95%`, `score>=55%`,
/// `mine:faults<=0`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Requirement {
    /// The bot's name; `None` for the candidate.
    pub bot: Option<String>,
    /// The quantity that is compared with the bound.
    pub measure: Measure,
    /// The direction of the comparison.
    pub comparison: Comparison,
    /// The bound; shares range from 0 to 1.
    pub bound: f64,
    /// The level of the confidence interval that must satisfy the bound, such as 0.95; `None` to
    /// compare the estimate.
    pub level: Option<f64>,
    text: String,
}

/// A quantity that a requirement can compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum Measure {
    /// Elo difference to the opponents, with an interval.
    Elo,
    /// Mean share of opponents that finished behind the bot, 0 to 1, averaged over groups, with an
    /// interval.
    Score,
    /// Share of matches won without a tie, 0 to 1, with an interval over groups.
    WinRate,
    /// Mean place, with an interval over groups.
    Place,
    /// Mean margin over the best opponent in the match, with an interval over groups.
    Margin,
    /// Probability that the bot is better than its opponents, 0 to 1.
    Superiority,
    /// The number of faults.
    Faults,
    /// The number of forfeited matches.
    Forfeits,
    /// The number of restarts within matches, after the bot's process died.
    Restarts,
    /// The longest time taken for one decision, in ms.
    LongestMs,
}

impl Measure {
    /// Returns whether the measure has a confidence interval.
    pub fn has_interval(self) -> bool {
        matches!(self, Self::Elo | Self::Score | Self::WinRate | Self::Place | Self::Margin)
    }
}

/// The direction of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Comparison {
    /// Written `>=` in the text form.
    AtLeast,
    /// Written `<=` in the text form.
    AtMost,
}

impl Requirement {
    /// Returns an error if the bot is unknown, or if no bot is named and there is no candidate.
    pub(super) fn validate(
        &self,
        is_bot: impl Fn(&str) -> bool,
        has_candidate: bool,
    ) -> Result<(), SpecError> {
        let problem = |problem: String| Err(invalid(&self.text, problem));
        match &self.bot {
            Some(name) if !is_bot(name) => problem(format!("unknown bot {name:?}")),
            None if !has_candidate => {
                problem("this format has no candidate; prefix the name of a bot and ':'".to_owned())
            }
            _ => Ok(()),
        }
    }
}

impl FromStr for Requirement {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let problem = |problem: String| invalid(text, problem);
        let (subject, comparison, bound) = if let Some((left, right)) = text.split_once(">=") {
            (left, Comparison::AtLeast, right)
        } else if let Some((left, right)) = text.split_once("<=") {
            (left, Comparison::AtMost, right)
        } else {
            return Err(problem("missing '>=' or '<='; a valid example is elo>=0@95%".to_owned()));
        };
        let (bot, name) = match subject.rsplit_once(':') {
            Some((bot, name)) => (Some(bot.trim().to_owned()), name.trim()),
            None => (None, subject.trim()),
        };
        let measure = <Measure as ValueEnum>::from_str(name, false).map_err(|_| {
            let known = Measure::value_variants().iter();
            let names = known.filter_map(Measure::to_possible_value);
            let names: Vec<String> = names.map(|known| known.get_name().to_owned()).collect();
            problem(format!("unknown measure {name:?}; known measures: {}", names.join(", ")))
        })?;
        let (bound, level) = match bound.split_once('@') {
            Some((bound, level)) => (bound, Some(level)),
            None => (bound, None),
        };
        let bound = number(bound)
            .ok_or_else(|| problem(format!("{bound:?} is not a number such as 0, 1.5 or 55%")))?;
        let level = level.map(|level| {
            number(level).filter(|level| *level > 0.5 && *level <= MAX_LEVEL).ok_or_else(|| {
                problem(format!("@{level}: a level must be above 50% and at most 99.99%"))
            })
        });
        if level.is_some() && !measure.has_interval() {
            return Err(problem(format!("{name} has no interval; omit '@' and the level")));
        }
        Ok(Self {
            bot,
            measure,
            comparison,
            bound,
            level: level.transpose()?,
            text: text.to_owned(),
        })
    }
}

fn invalid(text: &str, problem: String) -> SpecError {
    SpecError::invalid(format!("requirement {text:?}"), problem)
}

/// Parses a number. A percentage is converted to a share.
fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let number: f64 = match text.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().ok()? / 100.0,
        None => text.parse().ok()?,
    };
    number.is_finite().then_some(number)
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl TryFrom<String> for Requirement {
    type Error = SpecError;

    fn try_from(text: String) -> Result<Self, SpecError> {
        text.parse()
    }
}

impl From<Requirement> for String {
    fn from(requirement: Requirement) -> Self {
        requirement.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_requirement_is_parsed_into_its_parts() {
        let required: Requirement = "mine:elo>=-5@95%".parse().unwrap();
        assert_eq!(required.bot.as_deref(), Some("mine"));
        assert_eq!(required.measure, Measure::Elo);
        assert_eq!(required.comparison, Comparison::AtLeast);
        assert_eq!((required.bound, required.level), (-5.0, Some(0.95)));
        let required: Requirement = "score <= 55%".parse().unwrap();
        assert_eq!((required.bound, required.level), (0.55, None));
        assert_eq!(required.comparison, Comparison::AtMost);
        assert_eq!(required.to_string(), "score <= 55%");
    }

    #[test]
    fn an_invalid_requirement_is_refused_with_valid_values() {
        for (text, expected) in [
            ("elo>0", ">="),
            ("strength>=0", "elo"),
            ("elo>=much", "number"),
            ("elo>=0@10%", "above 50%"),
            ("elo>=0@99.995%", "at most 99.99%"),
            ("faults<=0@95%", "interval"),
        ] {
            let error = text.parse::<Requirement>().unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
