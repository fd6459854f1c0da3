//! Flags for the verdict: the test, its bounds, and requirements.

use bridgemaster_runner::{Bounds, Requirement, TestSpec};
use clap::{Args, ValueEnum};

use crate::failure::misuse;

// No `next_help_heading` is set, because it would also apply to flags after a flattened struct.
#[derive(Args)]
pub(super) struct VerdictFlags {
    /// Elo bounds of the test: rejects at LOWER, accepts at UPPER [default: 0,50]
    ///
    /// The test decides between two hypotheses: the candidate is better by LOWER, or by UPPER.
    #[arg(
        long,
        value_name = "LOWER,UPPER",
        value_delimiter = ',',
        allow_negative_numbers = true,
        help_heading = "Verdict"
    )]
    elo: Vec<f64>,
    /// Bounds in normalised Elo, for which every game needs the same number of groups
    #[arg(
        long,
        value_name = "LOWER,UPPER",
        value_delimiter = ',',
        allow_negative_numbers = true,
        conflicts_with = "elo",
        help_heading = "Verdict"
    )]
    nelo: Vec<f64>,
    /// Probability of accepting a candidate whose Elo is LOWER
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.05,
        help_heading = "Verdict"
    )]
    alpha: f64,
    /// Probability of rejecting a candidate whose Elo is UPPER
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.05,
        help_heading = "Verdict"
    )]
    beta: f64,
    /// Statistical test of the verdict
    #[arg(long, value_enum, default_value_t = TestFlag::Sequential, help_heading = "Verdict")]
    test: TestFlag,
    /// Number of groups to play, without a test
    #[arg(long, value_name = "N", help_heading = "Verdict",
        conflicts_with_all = ["elo", "nelo", "max_groups"])]
    groups: Option<u64>,
    /// Number of groups after which the contest stops without a verdict
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1000,
        help_heading = "Verdict"
    )]
    max_groups: u64,
    /// Confidence level of intervals and rank ranges
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.95,
        help_heading = "Verdict"
    )]
    pub(super) level: f64,
    /// Requirement on the result, such as "elo>=0@95%" or "faults<=0" (repeatable)
    #[arg(long, value_name = "REQUIREMENT", help_heading = "Verdict")]
    require: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TestFlag {
    /// For any number of seats
    Sequential,
    /// For pairs of matches at two seats, as used for chess programs
    Pentanomial,
}

impl VerdictFlags {
    /// Returns the test that decides the verdict.
    pub(super) fn test(&self) -> anyhow::Result<TestSpec> {
        if let Some(groups) = self.groups {
            return Ok(TestSpec::Fixed { groups });
        }
        let pair = |flag: &str, given: &[f64]| {
            <[f64; 2]>::try_from(given)
                .map_err(|_| misuse(format!("{flag} needs two numbers, such as {flag} 0,50")))
        };
        let bounds = match (self.elo.as_slice(), self.nelo.as_slice()) {
            ([], []) => Bounds::default(),
            (elo, []) => Bounds::Elo(pair("--elo", elo)?),
            (_, nelo) => Bounds::NormalizedElo(pair("--nelo", nelo)?),
        };
        let (alpha, beta, most_groups) = (self.alpha, self.beta, self.max_groups);
        Ok(match self.test {
            TestFlag::Sequential => TestSpec::Sequential {
                bounds,
                alpha,
                beta,
                most_groups,
            },
            TestFlag::Pentanomial => TestSpec::Pentanomial {
                bounds,
                alpha,
                beta,
                most_groups,
            },
        })
    }

    /// Parses the `--require` values.
    pub(super) fn requirements(&self) -> anyhow::Result<Vec<Requirement>> {
        let requirements = self.require.iter().map(|text| {
            text.parse()
                .map_err(|error| misuse(format!("--require: {error}")))
        });
        requirements.collect()
    }
}
