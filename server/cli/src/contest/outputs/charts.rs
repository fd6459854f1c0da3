//! The charts of a contest's report, which the Markdown and SVG formats draw.

use bridgemaster_runner::{GroupPoint, Report};

use crate::contest::{figures, outputs::model::Chart};

/// Maximum number of points per line of a chart. More points would overlap.
const MAX_POINTS: usize = 600;

/// Returns the charts of the test and of the margin, by group.
pub(super) fn charts(report: &Report) -> Vec<Chart> {
    let points = figures::downsampled(&report.series, MAX_POINTS);
    let Some(last) = points.last() else {
        return Vec::new();
    };
    let chart =
        |title, marks, line, dots| Chart { title, marks, line, dots, last_group: last.group.0 };
    let test = report.verdict.as_ref().and_then(|verdict| verdict.test);
    let llrs: Vec<f64> = points.iter().filter_map(|point| point.llr).collect();
    let of_test = match test {
        Some(test) if llrs.len() == points.len() => chart(
            "Log-likelihood ratio: rejected at the lower bound, accepted at the upper bound",
            vec![test.llr_lower, 0.0, test.llr_upper],
            llrs,
            Vec::new(),
        ),
        _ => chart(
            "Mean score",
            vec![0.0, 0.5, 1.0],
            points.iter().map(|point| point.mean_score).collect(),
            Vec::new(),
        ),
    };
    let mut sum = 0.0;
    let mean = |(point, count): (&GroupPoint, u32)| {
        sum += point.margin;
        sum / f64::from(count)
    };
    let means: Vec<f64> = report.series.iter().zip(1..).map(mean).collect();
    let of_margin = chart(
        "Margin over the best opponent: each group, and the mean",
        vec![0.0],
        figures::downsampled(&means, MAX_POINTS),
        points.iter().map(|point| point.margin).collect(),
    );
    vec![of_test, of_margin]
}
