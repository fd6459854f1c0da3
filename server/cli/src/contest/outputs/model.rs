//! The model of a contest's report: sections of lines, tables and quoted output, and charts. Its
//! text is not trusted, so each format escapes it.

use std::borrow::Cow;

use bridgemaster_runner::IntervalReport;

use crate::contest::figures::{or_dash, share};

/// A part of the report.
pub(crate) struct Section {
    pub(crate) title: String,
    pub(crate) blocks: Vec<Block>,
}

/// The content of a section.
pub(crate) enum Block {
    /// Lines. Two spaces of indent mark a line that continues the previous one.
    Lines(Vec<String>),
    /// Lines with paths. They are never wrapped, because a path that wraps cannot be copied.
    Paths(Vec<String>),
    Table(Table),
    /// Lines that a bot wrote.
    Quote(String),
}

pub(crate) struct Table {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Vec<Cell>>,
}

pub(crate) struct Column {
    pub(crate) name: Cow<'static, str>,
    /// True if the cells are numbers.
    pub(crate) is_figure: bool,
    /// The order in which columns are hidden if the table is too wide: the largest number first.
    /// A column with 0 is never hidden.
    pub(crate) hidden: u8,
}

/// A table's cell: one item, or a list of items.
pub(crate) struct Cell(pub(crate) Vec<Item>);

#[derive(Default)]
pub(crate) struct Item {
    pub(crate) text: String,
    /// Text after `text`, which formats with little space omit.
    pub(crate) detail: String,
    /// A warning about the item, such as `annulled`, and its explanation.
    pub(crate) warning: Option<(String, String)>,
    /// The path of the item's page, for formats with links.
    pub(crate) link: Option<String>,
}

/// A chart, with its title above.
pub(crate) struct Chart {
    pub(crate) title: &'static str,
    pub(crate) plot: Plot,
}

/// The content of a chart.
pub(crate) enum Plot {
    /// Values over the numbers of groups.
    Groups(GroupPlot),
    /// A row for each item, with an estimate and its interval, and a line at a value.
    Rows { at: f64, rows: Vec<(String, IntervalReport)> },
}

/// Values over the numbers of groups.
#[derive(Default)]
pub(crate) struct GroupPlot {
    /// Values to mark with a line and a label. If the chart has no dots, its scale ends at the
    /// first and the last of them.
    pub(crate) marks: Vec<f64>,
    /// The lines; the first is drawn solid, the others are drawn dashed.
    pub(crate) lines: Vec<Vec<f64>>,
    pub(crate) dots: Vec<f64>,
    pub(crate) last_group: u64,
}

impl Section {
    pub(super) fn new(title: impl Into<String>, blocks: Vec<Block>) -> Self {
        Self { title: title.into(), blocks }
    }
}

impl Column {
    pub(super) fn text(name: &'static str) -> Self {
        Self { name: name.into(), is_figure: false, hidden: 0 }
    }

    pub(super) fn figure(name: &'static str, hidden: u8) -> Self {
        Self { name: name.into(), is_figure: true, hidden }
    }

    /// Creates a column of figures with a number in its name.
    pub(super) fn numbered(name: &str, number: usize) -> Self {
        Self { name: format!("{name}{number}").into(), is_figure: true, hidden: 0 }
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self(vec![Item { text, ..Item::default() }])
    }
}

impl Cell {
    /// An estimate, with its interval as the detail.
    pub(super) fn share(figure: Option<IntervalReport>) -> Self {
        let Some(figure) = figure else {
            return or_dash(None).into();
        };
        let whole = share(figure);
        let (text, detail) = whole.split_at(whole.find(" [").unwrap_or(whole.len()));
        Self(vec![Item { text: text.to_owned(), detail: detail.to_owned(), ..Item::default() }])
    }
}
