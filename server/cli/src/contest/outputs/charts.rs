//! The charts of a contest's report, which the Markdown, SVG and HTML formats draw.

use bridgemaster_runner::{BotReport, GroupPoint, Report, TestReport};

use crate::contest::{
    figures,
    outputs::model::{Chart, GroupPlot, Plot},
};

/// Maximum number of points per line of a chart. More points would overlap.
const MAX_POINTS: usize = 600;
/// Maximum number of bots in the chart of the standings.
const MAX_BOTS: usize = 40;

/// Returns the charts: the figures that decide the test, the score and the margin by group, and the
/// standings of more than two bots.
pub(super) fn charts(report: &Report) -> Vec<Chart> {
    let mut charts = candidate_charts(report);
    if report.bots.len() > 2 || charts.is_empty() {
        charts.extend(standings(report));
    }
    charts
}

fn candidate_charts(report: &Report) -> Vec<Chart> {
    let points = figures::downsampled(&report.series, MAX_POINTS);
    let Some(last_group) = points.last().map(|point| point.group.0) else {
        return Vec::new();
    };
    let chart = |title, marks: &[f64], lines: Vec<Vec<f64>>, dots| {
        let marks = marks.to_vec();
        Chart { title, plot: Plot::Groups(GroupPlot { marks, lines, dots, last_group }) }
    };
    let values = |value: fn(&GroupPoint) -> f64| points.iter().map(value).collect::<Vec<f64>>();
    let mut charts = Vec::new();
    if let Some(test) = report.verdict.as_ref().and_then(|verdict| verdict.test) {
        charts.push(chart(
            "Log-likelihood ratio: rejected at the lower bound, accepted at the upper bound",
            &[test.llr_lower, 0.0, test.llr_upper],
            vec![values(|point| point.llr.unwrap_or(0.0))],
            Vec::new(),
        ));
        if let Some(marks) = wealth_marks(&test) {
            charts.push(chart(
                "Betting wealth (log10): accepted if the line reaches the bound, rejected if the \
                 dashed line does",
                &marks,
                vec![
                    values(|point| log_wealth(point.wealth_for)),
                    values(|point| log_wealth(point.wealth_against)),
                ],
                Vec::new(),
            ));
        }
    }
    charts.push(chart(
        "Mean score, with its anytime-valid interval (dashed)",
        &[0.0, 0.5, 1.0],
        vec![
            values(|point| point.mean_score),
            values(|point| point.confidence_low),
            values(|point| point.confidence_high),
        ],
        Vec::new(),
    ));
    let mut sum = 0.0;
    let mean = |(point, count): (&GroupPoint, u32)| {
        sum += point.margin;
        sum / f64::from(count)
    };
    let means: Vec<f64> = report.series.iter().zip(1..).map(mean).collect();
    charts.push(chart(
        "Margin over the best opponent: each group, and the mean",
        &[0.0],
        vec![figures::downsampled(&means, MAX_POINTS)],
        values(|point| point.margin),
    ));
    charts
}

/// Returns the wealth at the start and at the two bounds, as logarithms; `None` without a betting
/// test.
fn wealth_marks(test: &TestReport) -> Option<Vec<f64>> {
    let bounds = [test.wealth_to_accept?.log10(), test.wealth_to_reject?.log10()];
    let mut marks = vec![-1.0, 0.0, bounds[0].min(bounds[1])];
    if bounds[0] != bounds[1] {
        marks.push(bounds[0].max(bounds[1]));
    }
    Some(marks)
}

/// Returns the logarithm of a wealth, which can be as small as 0.
fn log_wealth(wealth: Option<f64>) -> f64 {
    wealth.unwrap_or(1.0).max(f64::MIN_POSITIVE).log10()
}

fn standings(report: &Report) -> Option<Chart> {
    let row = |bot: &BotReport| Some((bot.name.clone(), bot.score?));
    let rows: Vec<_> = report.bots.iter().filter_map(row).take(MAX_BOTS).collect();
    let title = "Mean score against the opponents, with its interval";
    (!rows.is_empty()).then_some(Chart { title, plot: Plot::Rows { at: 0.5, rows } })
}
