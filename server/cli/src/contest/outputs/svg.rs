//! Draws the test statistic and the margins, by group, as SVG. The drawing suits light and dark
//! colour schemes, and has no scripts or embedded fonts.

use bridgemaster_runner::Report;

use crate::{
    contest::{
        figures,
        outputs::{charts, model::Chart},
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

const STYLE: &str = "\
text{font:12px system-ui,sans-serif;fill:#24292f}.title{font-size:15px;font-weight:600}\
.frame{fill:none;stroke:#d0d7de}.bound{stroke:#8c959f;stroke-dasharray:4 4}\
.line{fill:none;stroke:#0969da;stroke-width:2}.dots{fill:#0969da;fill-opacity:.35}\
.ground{fill:#ffffff}\
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.frame{stroke:#30363d}\
.bound{stroke:#6e7681}.line{stroke:#58a6ff}.dots{fill:#58a6ff}.ground{fill:#0d1117}}";

/// Returns an SVG document.
pub(super) fn text(report: &Report) -> String {
    let panels: Vec<String> = charts::charts(report).iter().map(panel).collect();
    let height = TOP + panels.len() as f64 * (PANEL + BETWEEN);
    let title = title(report);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         width=\"{WIDTH}\" height=\"{height}\" role=\"img\" aria-labelledby=\"title\">\n\
         <title id=\"title\">{title}</title>\n<style>{STYLE}</style>\n\
         <rect class=\"ground\" width=\"{WIDTH}\" height=\"{height}\"/>\n\
         <text class=\"title\" x=\"{RIGHT}\" y=\"24\">{title}</text>\n"
    );
    for (number, panel) in panels.iter().enumerate() {
        let top = TOP + number as f64 * (PANEL + BETWEEN);
        svg.push_str(&format!("<g transform=\"translate(0 {top})\">\n{panel}</g>\n"));
    }
    svg + "</svg>\n"
}

fn title(report: &Report) -> String {
    let ending = figures::ending(report.exit.reason);
    let groups = count(report.counts.groups, "group", "groups");
    match figures::candidate(report) {
        Some(candidate) => {
            let name = escaped(&truncated(&candidate.name));
            format!("{name}: {ending} after {groups}")
        }
        None => format!("Contest: {ending} after {groups}"),
    }
}

/// Truncates a name to fit the title.
fn truncated(name: &str) -> String {
    const MAX_CHARS: usize = 40;
    if name.chars().count() > MAX_CHARS {
        name.chars().take(MAX_CHARS).chain(['…']).collect()
    } else {
        name.to_owned()
    }
}

/// Draws a chart, with its title and its axis.
fn panel(chart: &Chart) -> String {
    let all = || chart.marks.iter().chain(&chart.line).chain(&chart.dots);
    let low = all().copied().fold(f64::INFINITY, f64::min);
    let high = all().copied().fold(f64::NEG_INFINITY, f64::max);
    let reach = if high > low { high - low } else { 1.0 };
    let across = WIDTH - LEFT - RIGHT;
    let steps = chart.line.len().max(2) as f64 - 1.0;
    let x = |number: usize| LEFT + across * number as f64 / steps;
    let y = |value: f64| PANEL - PANEL * (value - low) / reach;
    let mut text = format!(
        "<text x=\"{LEFT}\" y=\"-8\">{}</text>\n\
         <rect class=\"frame\" x=\"{LEFT}\" y=\"0\" width=\"{across}\" height=\"{PANEL}\"/>\n",
        chart.title
    );
    let mut add = |line: String| text.push_str(&line);
    // The minimum and the maximum get labels, unless they are close to a marked value.
    let mut labels = chart.marks.clone();
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
    for mark in &chart.marks {
        let at = y(*mark);
        let right = WIDTH - RIGHT;
        add(format!("<path class=\"bound\" d=\"M{LEFT} {at:.1}H{right}\"/>\n"));
    }
    for (number, dot) in chart.dots.iter().enumerate() {
        let (x, y) = (x(number), y(*dot));
        add(format!("<circle class=\"dots\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>\n"));
    }
    let corners = chart.line.iter().enumerate();
    let corners: Vec<String> =
        corners.map(|(number, value)| format!("{:.1},{:.1}", x(number), y(*value))).collect();
    add(format!("<polyline class=\"line\" points=\"{}\"/>\n", corners.join(" ")));
    add(format!(
        "<text x=\"{LEFT}\" y=\"{0}\">group 0</text>\n\
         <text x=\"{1}\" y=\"{0}\" text-anchor=\"end\">group {2}</text>\n",
        PANEL + 18.0,
        WIDTH - RIGHT,
        chart.last_group
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
    fn both_panels_are_drawn_for_light_and_dark() {
        let svg = text(&report());
        let elements = elements(&svg);
        let count = |name: &str| elements.iter().filter(|element| *element == name).count();
        assert_eq!((count("polyline"), count("circle"), count("g")), (2, 12, 2));
        assert!(svg.contains("prefers-color-scheme:dark"));
        assert!(svg.contains("mine: accepted after 12 groups"), "{svg}");
        assert!(svg.contains(">3.66</text>") && svg.contains(">-3.66</text>"), "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
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
        assert!(text(&long).len() < 100_000);
    }
}
