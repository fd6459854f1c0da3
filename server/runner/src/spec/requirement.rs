//! What must hold at the end of a contest.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::SpecError;

/// What must hold at the end of a contest, as text: `MEASURE>=NUMBER` or `MEASURE<=NUMBER`, with
/// `BOT:` in front for another bot than the candidate, and `@LEVEL%` behind when the whole interval
/// of that level must be on the right side. Examples: `elo>=0@95%`, `score>=55%`, `mine:faults<=0`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Requirement {
    /// The bot, by its name; none for the candidate.
    pub bot: Option<String>,
    /// What is measured.
    pub measure: Measure,
    /// On which side of the bound it must be.
    pub comparison: Comparison,
    /// The bound; shares are 0 to 1.
    pub bound: f64,
    /// The level of the interval that must be on the right side, such as 0.95; none when the
    /// estimate must.
    pub level: Option<f64>,
    text: String,
}

/// What a requirement is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Elo against its opponents, with an interval.
    Elo,
    /// Mean beat fraction over groups, 0 to 1, with an interval.
    Score,
    /// Share of matches won alone, 0 to 1, with an interval over groups.
    WinRate,
    /// Mean place, with an interval over groups.
    Place,
    /// Mean score less that of the best opponent in the match, with an interval over groups.
    Margin,
    /// Chance that it is better than its opponents at all, 0 to 1.
    Superiority,
    /// Number of faults.
    Faults,
    /// Number of matches that it forfeited.
    Forfeits,
    /// How often it was started again within a match, since its process had died.
    Restarts,
    /// Longest time for one decision, in ms.
    LongestMs,
}

impl Measure {
    /// All of them with their names.
    pub const ALL: &[(Self, &str)] = &[
        (Self::Elo, "elo"),
        (Self::Score, "score"),
        (Self::WinRate, "win_rate"),
        (Self::Place, "place"),
        (Self::Margin, "margin"),
        (Self::Superiority, "superiority"),
        (Self::Faults, "faults"),
        (Self::Forfeits, "forfeits"),
        (Self::Restarts, "restarts"),
        (Self::LongestMs, "longest_ms"),
    ];

    /// Whether it is estimated with an interval.
    #[must_use]
    pub fn has_interval(self) -> bool {
        matches!(
            self,
            Self::Elo | Self::Score | Self::WinRate | Self::Place | Self::Margin
        )
    }
}

/// On which side of a bound a figure must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Comparison {
    /// At it or above.
    AtLeast,
    /// At it or below.
    AtMost,
}

impl Requirement {
    /// Fails when it is about a bot that is not there, or about no bot.
    pub(super) fn check(
        &self,
        is_bot: impl Fn(&str) -> bool,
        has_candidate: bool,
    ) -> Result<(), SpecError> {
        let problem = |problem: String| {
            Err(SpecError::Requirement {
                text: self.text.clone(),
                problem,
            })
        };
        match &self.bot {
            Some(name) if !is_bot(name) => problem(format!("there is no bot {name:?}")),
            None if !has_candidate => problem(
                "this format has no candidate; put the name of a bot and ':' in front".to_owned(),
            ),
            _ => Ok(()),
        }
    }
}

impl FromStr for Requirement {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let problem = |problem: String| SpecError::Requirement {
            text: text.to_owned(),
            problem,
        };
        let (subject, comparison, bound) = if let Some((left, right)) = text.split_once(">=") {
            (left, Comparison::AtLeast, right)
        } else if let Some((left, right)) = text.split_once("<=") {
            (left, Comparison::AtMost, right)
        } else {
            return Err(problem(
                "it has neither '>=' nor '<='; an example is elo>=0@95%".to_owned(),
            ));
        };
        let (bot, name) = match subject.rsplit_once(':') {
            Some((bot, name)) => (Some(bot.trim().to_owned()), name.trim()),
            None => (None, subject.trim()),
        };
        let measure = Measure::ALL.iter().find(|(_, known)| *known == name);
        let measure = measure.map(|(measure, _)| *measure).ok_or_else(|| {
            let names: Vec<&str> = Measure::ALL.iter().map(|(_, name)| *name).collect();
            problem(format!(
                "{name:?} is no measure; there are: {}",
                names.join(", ")
            ))
        })?;
        let (bound, level) = match bound.split_once('@') {
            Some((bound, level)) => (bound, Some(level)),
            None => (bound, None),
        };
        let bound = number(bound)
            .ok_or_else(|| problem(format!("{bound:?} is no number such as 0, 1.5 or 55%")))?;
        let level = level.map(|level| {
            number(level)
                .filter(|level| *level > 0.5 && *level < 1.0)
                .ok_or_else(|| problem(format!("@{level}: a level is above 50% and below 100%")))
        });
        if level.is_some() && !measure.has_interval() {
            return Err(problem(format!(
                "{name} has no interval; leave out what begins with '@'"
            )));
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

/// A number, or a percentage as a share.
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
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_requirement_says_the_bot_the_measure_the_bound_and_the_level() {
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
    fn what_cannot_be_required_is_refused_with_what_could() {
        for (text, said) in [
            ("elo>0", ">="),
            ("strength>=0", "elo"),
            ("elo>=much", "number"),
            ("elo>=0@10%", "above 50%"),
            ("faults<=0@95%", "interval"),
        ] {
            let error = text.parse::<Requirement>().unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
