//! The screen content for a watched match or ladder: status, table and events, cut to the terminal.

use std::collections::VecDeque;

use bridgemaster_proto::escape::escape_lines;
use console::{Style, truncate_str};

use crate::{
    output::{self, Screen},
    table::wrapped,
};

/// Moves the cursor to the top left corner.
const HOME: &str = "\x1b[H";
/// Clears the line to the right of the cursor.
const CLEAR_LINE: &str = "\x1b[K";
/// Clears the screen below the cursor.
const CLEAR_BELOW: &str = "\x1b[J";
/// The height and width assumed for a terminal that does not report its size.
pub(crate) const DEFAULT_SIZE: (u16, u16) = (24, 80);

/// Maximum number of stored events, which fill a large terminal.
const MAX_EVENTS: usize = 200;
/// Number of lines reserved for events if the table is large.
const MIN_EVENT_LINES: usize = 5;

/// Line below a table that does not fit.
const TOO_SMALL: &str = "the terminal is too small for the table; --plain prints line by line";

/// The screen's content.
#[derive(Default)]
pub(crate) struct Board {
    status: String,
    table: Vec<String>,
    events: VecDeque<String>,
    notice: Option<String>,
}

/// The part of the content that fits the terminal.
pub(crate) struct Page {
    pub(crate) lines: Vec<String>,
    /// A notice below the lines.
    pub(crate) footer: Option<String>,
}

impl Board {
    pub(crate) fn set_status(&mut self, text: &str) {
        self.status = escape_lines(text).into_owned();
    }

    pub(crate) fn set_table(&mut self, text: &str) {
        let text = escape_lines(text);
        self.table = text.lines().map(|line| line.trim_end().to_owned()).collect();
    }

    pub(crate) fn add_event(&mut self, line: &str) {
        if self.events.len() == MAX_EVENTS {
            self.events.pop_front();
        }
        self.events.push_back(escape_lines(line).into_owned());
    }

    pub(crate) fn set_notice(&mut self, notice: Option<String>) {
        self.notice = notice;
    }

    /// Draws the part that fits the terminal over the previous drawing.
    pub(crate) fn draw(&self) -> anyhow::Result<()> {
        // The user might have resized the terminal.
        let (height, width) = output::terminal_size().unwrap_or(DEFAULT_SIZE);
        // The last line of the terminal is left free for the cursor.
        let page = self.page(usize::from(height).saturating_sub(1), width.into());
        let mut screen = Screen::default();
        screen.control(HOME);
        for line in page.lines {
            screen.text(&line);
            screen.control(CLEAR_LINE);
            screen.text("\n");
        }
        screen.control(CLEAR_BELOW);
        if let Some(footer) = page.footer {
            screen.styled(&footer, &Style::new().reverse());
        }
        Ok(output::print_screen(&screen)?)
    }

    /// Returns the part that fits a terminal of `height` lines and `width` columns: the status, the
    /// top left of the table, and the latest events.
    pub(crate) fn page(&self, height: usize, width: usize) -> Page {
        let width = width.max(1);
        let cut = |line: &str| truncate_str(line, width, "").into_owned();
        let mut lines = wrapped(&self.status, width);
        let events: Vec<String> =
            self.events.iter().flat_map(|line| wrapped(line, width)).collect();
        let fixed = lines.len() + 1 + events.len().min(MIN_EVENT_LINES);
        let is_cut = fixed + self.table.len() > height
            || self.table.iter().any(|line| cut(line).len() < line.len());
        let footer = self.notice.as_deref().or(is_cut.then_some(TOO_SMALL)).map(cut);
        let height = height.saturating_sub(usize::from(footer.is_some()));
        let table_height = self.table.len().min(height.saturating_sub(fixed));
        lines.extend(self.table[..table_height].iter().map(|line| cut(line)));
        lines.push(String::new());
        let free = height.saturating_sub(lines.len());
        lines.extend_from_slice(&events[events.len().saturating_sub(free)..]);
        lines.truncate(height);
        Page { lines, footer }
    }
}

#[cfg(test)]
mod tests {
    use console::measure_text_width;

    use super::*;

    const SIZES: [(usize, usize); 5] = [(23, 80), (19, 60), (49, 200), (10, 40), (3, 9)];

    /// Returns a board whose cells contain their positions.
    fn board(rows: usize, columns: usize, events: usize) -> Board {
        let mut board = Board::default();
        board.set_status("match 0123: running; seat 0 greedy, seat 1 random, seat 2 random");
        let row = |row| (0..columns).map(|column| format!("{row:03}.{column:03} ")).collect();
        board.set_table(&(0..rows).map(row).collect::<Vec<String>>().join("\n"));
        for number in 0..events {
            board.add_event(&format!("event{number} of seat 1, which gains £2 and 界界 tiles"));
        }
        board
    }

    #[test]
    fn a_page_fits_terminals_of_any_size() {
        for (height, width) in SIZES {
            for (rows, columns, events) in [(0, 0, 0), (4, 5, 2), (60, 40, 100), (12, 3, 1)] {
                let page = board(rows, columns, events).page(height, width);
                let lines = page.lines.iter().chain(&page.footer);
                assert!(lines.clone().count() <= height, "{height} lines");
                for line in lines {
                    assert!(measure_text_width(line) <= width, "{width} columns: {line:?}");
                }
            }
        }
    }

    #[test]
    fn the_latest_event_is_visible_beside_a_table_that_does_not_fit() {
        let page = board(60, 40, 100).page(23, 80);
        let text = page.lines.join("\n");
        assert!(text.contains("000.000") && text.contains("event99"), "{text}");
        assert_eq!(page.footer.as_deref(), Some(TOO_SMALL));
    }

    #[test]
    fn a_page_that_fits_has_no_footer_except_a_notice() {
        let mut board = board(4, 5, 2);
        assert_eq!(board.page(23, 80).footer, None);
        board.set_notice(Some("the server does not answer".to_owned()));
        let footer = board.page(23, 80).footer.unwrap_or_default();
        assert_eq!(footer, "the server does not answer");
    }
}
