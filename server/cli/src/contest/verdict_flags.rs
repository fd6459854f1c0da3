//! The flags of a contest's statistical test.

use bridgemaster_runner::{Bounds, Format, SequentialSpec, TestSpec};
use clap::{Args, ValueEnum};

use crate::failure::misuse;

/// Flags of the test. A flag that is not given is `None`, so that formats without a test can refuse
/// the flags.
#[derive(Args)]
#[command(next_help_heading = "Verdict")]
pub(super) struct VerdictFlags {
    /// Elo bounds of the test: rejects at LOWER, accepts at UPPER [default: 0,50]
    ///
    /// The test decides between two hypotheses: the candidate is better by LOWER, or by UPPER.
    #[arg(long, value_name = "LOWER,UPPER", value_delimiter = ',', allow_negative_numbers = true)]
    elo: Option<Vec<f64>>,
    /// Bounds in normalised Elo, for which every game needs the same number of groups
    #[arg(
        long,
        value_name = "LOWER,UPPER",
        value_delimiter = ',',
        allow_negative_numbers = true,
        conflicts_with = "elo"
    )]
    nelo: Option<Vec<f64>>,
    /// Probability of accepting a candidate whose Elo is LOWER [default: 0.05]
    #[arg(long, value_name = "SHARE")]
    alpha: Option<f64>,
    /// Probability of rejecting a candidate whose Elo is UPPER [default: 0.05]
    #[arg(long, value_name = "SHARE")]
    beta: Option<f64>,
    /// Statistical test of the verdict [default: sequential]
    #[arg(long, value_enum)]
    test: Option<TestFlag>,
    /// Number of groups to play, without a test
    #[arg(long, value_name = "N",
        conflicts_with_all = ["elo", "nelo", "alpha", "beta", "test", "max_groups"])]
    groups: Option<u64>,
    /// Number of groups after which the contest stops without a verdict [default: 1000]
    #[arg(long, value_name = "N")]
    max_groups: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TestFlag {
    /// For any number of seats
    Sequential,
    /// For pairs of matches at two seats, as used for chess programs
    Pentanomial,
}

impl VerdictFlags {
    /// Returns the test that decides the verdict; `None` for a format that has rounds, which
    /// refuses the flags of a test.
    pub(super) fn test(&self, format: &Format) -> anyhow::Result<Option<TestSpec>> {
        if !matches!(format, Format::Series | Format::Candidate { .. }) {
            return match self.first_given() {
                Some(flag) => Err(misuse(format!(
                    "{flag} needs a test; with --format candidate or series there is one, and \
                     other formats play a number of --rounds"
                ))),
                None => Ok(None),
            };
        }
        if let Some(groups) = self.groups {
            return Ok(Some(TestSpec::Fixed { groups }));
        }
        let pair = |flag: &str, given: &[f64]| {
            <[f64; 2]>::try_from(given)
                .map_err(|_| misuse(format!("{flag} needs two numbers, such as {flag} 0,50")))
        };
        let default = SequentialSpec::default();
        let test = SequentialSpec {
            bounds: match (&self.elo, &self.nelo) {
                (None, None) => default.bounds,
                (Some(elo), _) => Bounds::Elo(pair("--elo", elo)?),
                (None, Some(nelo)) => Bounds::NormalizedElo(pair("--nelo", nelo)?),
            },
            alpha: self.alpha.unwrap_or(default.alpha),
            beta: self.beta.unwrap_or(default.beta),
            most_groups: self.max_groups.unwrap_or(default.most_groups),
        };
        Ok(Some(match self.test {
            None | Some(TestFlag::Sequential) => TestSpec::Sequential(test),
            Some(TestFlag::Pentanomial) => TestSpec::Pentanomial(test),
        }))
    }

    fn first_given(&self) -> Option<&'static str> {
        let given = [
            ("--elo", self.elo.is_some()),
            ("--nelo", self.nelo.is_some()),
            ("--alpha", self.alpha.is_some()),
            ("--beta", self.beta.is_some()),
            ("--test", self.test.is_some()),
            ("--groups", self.groups.is_some()),
            ("--max-groups", self.max_groups.is_some()),
        ];
        let mut given = given.into_iter().filter(|(_, is_given)| *is_given);
        given.next().map(|(flag, _)| flag)
    }
}
