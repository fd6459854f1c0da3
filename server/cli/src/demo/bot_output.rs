//! Writes the standard error of a demo's bots to files and, with `--show-output`, to the terminal.

use std::{env, path::PathBuf, sync::Arc};

use bridgemaster_bot_process::StderrFile;
use bridgemaster_proto::{escape::Escaped, v1::MatchResult};

/// A function that prints a line of output. Its arguments are the bot's name and the line.
pub(super) type PrintLine = Arc<dyn Fn(&str, &str) + Send + Sync>;

/// Standard error of a match's bots.
pub(super) struct BotOutput {
    match_id: String,
    print: Option<PrintLine>,
}

impl BotOutput {
    /// Creates a match's output. `print`, if given, is called with each line.
    pub(super) fn new(match_id: &str, print: Option<PrintLine>) -> Self {
        Self {
            match_id: match_id.to_owned(),
            print,
        }
    }

    /// Returns the path of a seat's file, in the temporary folder. The file is created when the bot
    /// writes its first line.
    fn path(&self, seat: u32) -> PathBuf {
        let name = format!("bridgemaster-{}-seat{seat}.stderr.txt", self.match_id);
        env::temp_dir().join(name)
    }

    /// Returns the file for a seat's bot.
    pub(super) fn file(&self, seat: u32, bot: &str) -> StderrFile {
        let file = StderrFile::create(&self.path(seat));
        match &self.print {
            None => file,
            Some(print) => {
                let (print, name) = (Arc::clone(print), format!("seat {seat}, {bot}"));
                file.with_line_callback(Box::new(move |line| print(&name, line)))
            }
        }
    }

    /// Lists the files of bots that wrote output, one path per line.
    pub(super) fn files(&self, result: &MatchResult) -> String {
        let seats = result.seats.iter();
        let files = seats.map(|seat| (seat, self.path(seat.seat)));
        let lines = files.filter(|(_, path)| path.exists()).map(|(seat, path)| {
            format!(
                "output of seat {} ({}): {}\n",
                seat.seat,
                Escaped(&seat.bot_name),
                path.display()
            )
        });
        lines.collect()
    }
}
