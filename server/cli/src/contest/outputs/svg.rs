//! Draws the test statistic and the margins, by group, as SVG. The drawing suits light and dark
//! colour schemes, and has no scripts or embedded fonts.

use bridgemaster_runner::{IntervalReport, Report};

use crate::{
    contest::{
        figures,
        outputs::{
            charts,
            model::{Chart, GroupPlot, Plot},
        },
    },
    formats::escaped,
    quantities::count,
};

/// Width of the drawing. This and the following sizes are in pixels.
const WIDTH: f64 = 720.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 48.0;
const PANEL: f64 = 180.0;
const BETWEEN: f64 = 48.0;
/// Height of a row, and the space for its label.
const ROW: f64 = 22.0;
const ROWS_LEFT: f64 = 200.0;

const MAX_TITLE_CHARS: usize = 40;
const MAX_LABEL_CHARS: usize = 26;

const STYLE: &str = "\
text{font:12px system-ui,sans-serif;fill:#24292f}.title{font-size:15px;font-weight:600}\
.frame{fill:none;stroke:#d0d7de}.bound{stroke:#8c959f;stroke-dasharray:4 4}\
.line{fill:none;stroke:#0969da;stroke-width:2}.dashed{stroke-width:1;stroke-dasharray:5 3}\
.estimate{fill:#0969da}.dots{fill:#0969da;fill-opacity:.35}\
.ground{fill:#ffffff}\
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.frame{stroke:#30363d}\
.bound{stroke:#6e7681}.line{stroke:#58a6ff}.estimate{fill:#58a6ff}\
.dots{fill:#58a6ff}.ground{fill:#0d1117}}";

/// Returns an SVG document.
pub(super) fn text(report: &Report) -> String {
    let charts = charts::charts(report);
    let height = TOP + charts.iter().map(|chart| plot_height(chart) + BETWEEN).sum::<f64>();
    let title = title(report);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         width=\"{WIDTH}\" height=\"{height}\" role=\"img\" aria-labelledby=\"title\">\n\
         <title id=\"title\">{title}</title>\n<style>{STYLE}</style>\n\
         <rect class=\"ground\" width=\"{WIDTH}\" height=\"{height}\"/>\n\
         <text class=\"title\" x=\"{RIGHT}\" y=\"24\">{title}</text>\n"
    );
    if charts.is_empty() {
        svg.push_str(&format!("<text x=\"{RIGHT}\" y=\"42\">No group is complete.</text>\n"));
    }
    let mut top = TOP;
    for chart in &charts {
        svg.push_str(&format!("<g transform=\"translate(0 {top})\">\n{}</g>\n", panel(chart)));
        top += plot_height(chart) + BETWEEN;
    }
    svg + "</svg>\n"
}

/// Returns the height of a chart without its title and labels, in pixels.
fn plot_height(chart: &Chart) -> f64 {
    match &chart.plot {
        Plot::Groups(_) => PANEL,
        Plot::Rows { rows, .. } => rows.len() as f64 * ROW,
    }
}

/// Draws a chart, with its title and its axis.
fn panel(chart: &Chart) -> String {
    let (left, content) = match &chart.plot {
        Plot::Groups(plot) => (LEFT, group_plot(plot)),
        Plot::Rows { at, rows } => (ROWS_LEFT, row_plot(*at, rows)),
    };
    format!(
        "<text x=\"{left}\" y=\"-8\">{}</text>\n\
         <rect class=\"frame\" x=\"{left}\" y=\"0\" width=\"{}\" height=\"{}\"/>\n{content}",
        chart.title,
        WIDTH - left - RIGHT,
        plot_height(chart)
    )
}

/// Draws shares, 0 to 1, with their intervals, one below the other.
fn row_plot(at: f64, rows: &[(String, IntervalReport)]) -> String {
    let across = WIDTH - ROWS_LEFT - RIGHT;
    let x = |value: f64| ROWS_LEFT + across * value.clamp(0.0, 1.0);
    let bottom = rows.len() as f64 * ROW;
    let mut text = format!("<path class=\"bound\" d=\"M{:.1} 0V{bottom}\"/>\n", x(at));
    for (number, (name, share)) in rows.iter().enumerate() {
        let y = (number as f64 + 0.5) * ROW;
        text.push_str(&format!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\n\
             <path class=\"line\" d=\"M{:.1} {y}H{:.1}\"/>\n\
             <circle class=\"estimate\" cx=\"{:.1}\" cy=\"{y}\" r=\"4\"/>\n",
            ROWS_LEFT - 6.0,
            y + 4.0,
            escaped(&truncated(name, MAX_LABEL_CHARS)),
            x(share.low),
            x(share.high),
            x(share.estimate)
        ));
    }
    for (share, label) in [(0.0, "0 %"), (0.5, "50 %"), (1.0, "100 %")] {
        text.push_str(&format!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>\n",
            x(share),
            bottom + 18.0
        ));
    }
    text
}

fn title(report: &Report) -> String {
    let ending = figures::ending(report.exit.reason);
    let groups = count(report.counts.groups, "group", "groups");
    match figures::candidate(report) {
        Some(candidate) => {
            let name = escaped(&truncated(&candidate.name, MAX_TITLE_CHARS));
            format!("{name}: {ending} after {groups}")
        }
        None => format!("Contest: {ending} after {groups}"),
    }
}

/// Truncates a name to fit its place.
pub(super) fn truncated(name: &str, max_chars: usize) -> String {
    if name.chars().count() > max_chars {
        name.chars().take(max_chars).chain(['…']).collect()
    } else {
        name.to_owned()
    }
}

/// Draws values over groups.
fn group_plot(plot: &GroupPlot) -> String {
    let all = || plot.marks.iter().chain(plot.lines.iter().flatten()).chain(&plot.dots);
    let low = all().copied().fold(f64::INFINITY, f64::min);
    let high = all().copied().fold(f64::NEG_INFINITY, f64::max);
    let reach = if high > low { high - low } else { 1.0 };
    let across = WIDTH - LEFT - RIGHT;
    let points = plot.lines.iter().map(Vec::len).max().unwrap_or(0);
    let steps = points.max(2) as f64 - 1.0;
    let x = |number: usize| LEFT + across * number as f64 / steps;
    let y = |value: f64| PANEL - PANEL * (value - low) / reach;
    let mut text = String::new();
    let mut add = |line: String| text.push_str(&line);
    // The minimum and the maximum get labels, unless they are close to a marked value.
    let mut labels = plot.marks.clone();
    for end in [low, high] {
        if labels.iter().all(|label| (y(*label) - y(end)).abs() > 14.0) {
            labels.push(end);
        }
    }
    for label in labels {
        add(format!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label:.2}</text>\n",
            LEFT - 6.0,
            y(label) + 4.0
        ));
    }
    for mark in &plot.marks {
        let at = y(*mark);
        let right = WIDTH - RIGHT;
        add(format!("<path class=\"bound\" d=\"M{LEFT} {at:.1}H{right}\"/>\n"));
    }
    for (number, dot) in plot.dots.iter().enumerate() {
        let (x, y) = (x(number), y(*dot));
        add(format!("<circle class=\"dots\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>\n"));
    }
    for (number, line) in plot.lines.iter().enumerate() {
        let class = if number == 0 { "line" } else { "line dashed" };
        let corners = line.iter().enumerate();
        let corners: Vec<String> =
            corners.map(|(number, value)| format!("{:.1},{:.1}", x(number), y(*value))).collect();
        add(format!("<polyline class=\"{class}\" points=\"{}\"/>\n", corners.join(" ")));
    }
    add(format!(
        "<text x=\"{LEFT}\" y=\"{0}\">group 0</text>\n\
         <text x=\"{1}\" y=\"{0}\" text-anchor=\"end\">group {2}</text>\n",
        PANEL + 18.0,
        WIDTH - RIGHT,
        plot.last_group
    ));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contest::outputs::examples_for_tests::{empty_report, hostile_report, report};

    /// Returns the elements of a well-formed document. Panics if the document is malformed.
    fn elements(svg: &str) -> Vec<String> {
        let (mut open, mut all) = (Vec::new(), Vec::new());
        for tag in svg.split('<').skip(1).map(|rest| rest.split('>').next().unwrap()) {
            let name = tag.split([' ', '/']).find(|name| !name.is_empty()).unwrap();
            if tag.starts_with('/') {
                assert_eq!(open.pop().as_deref(), Some(name), "{svg}");
                continue;
            }
            all.push(name.to_owned());
            if !tag.ends_with('/') {
                open.push(name.to_owned());
            }
        }
        assert!(open.is_empty(), "{open:?}: {svg}");
        all
    }

    #[test]
    fn the_figures_that_decide_are_drawn_for_light_and_dark() {
        let svg = text(&report());
        let elements = elements(&svg);
        let count = |name: &str| elements.iter().filter(|element| *element == name).count();
        // Four charts: the ratio, two wealths, the score with its interval, and the margin.
        assert_eq!((count("polyline"), count("circle"), count("g")), (7, 12, 4));
        assert!(svg.contains("prefers-color-scheme:dark"));
        assert!(svg.contains("mine: accepted after 12 groups"), "{svg}");
        assert!(svg.contains(">3.66</text>") && svg.contains(">-3.66</text>"), "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    #[test]
    fn a_contest_without_a_candidate_has_a_chart_of_its_standings() {
        let mut report = report();
        (report.verdict, report.series) = (None, Vec::new());
        let svg = text(&report);
        let elements = elements(&svg);
        assert_eq!(elements.iter().filter(|element| *element == "circle").count(), 2);
        assert!(svg.contains(">greedy</text>") && svg.contains(">50 %</text>"), "{svg}");
        assert!(text(&empty_report()).contains("No group is complete."));
    }

    #[test]
    fn a_drawing_has_only_harmless_elements() {
        for report in [report(), hostile_report(), empty_report()] {
            for element in elements(&text(&report)) {
                let known =
                    ["svg", "title", "style", "rect", "text", "g", "path", "circle", "polyline"];
                assert!(known.contains(&element.as_str()), "{element}");
            }
        }
    }

    #[test]
    fn a_long_contest_has_a_drawing_of_the_same_size() {
        let mut long = report();
        let point = long.series[0];
        long.series = vec![point; 100_000];
        assert!(text(&long).len() < 200_000);
    }
}
