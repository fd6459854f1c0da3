//! The output files of a contest. `sections`, `bot_sections` and `charts` build the content from
//! the types of `model`, and each format renders it.

pub(super) mod bot_sections;
mod charts;
mod data;
pub(super) mod html;
mod junit;
mod markdown;
mod model;
pub(super) mod sections;
mod svg;
pub(super) mod text;

use std::path::PathBuf;

use bridgemaster_runner::{MatchRow, Report};
use clap::Args;

use crate::files;

/// A function that formats an output. The rows are all finished matches, in order.
pub(super) type Writer = fn(&Report, &[MatchRow]) -> anyhow::Result<String>;

/// Flags of the outputs. `-` means standard output; the command then prints nothing else there.
#[derive(Args)]
#[command(next_help_heading = "Outputs")]
pub(super) struct OutputArgs {
    /// Write the report as JSON to this file (see docs/contest-report.schema.json)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the report as JUnit XML to this file, for CI systems
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write the report as Markdown to this file, for summaries of CI jobs
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Write all results as CSV to this file, with a row per seat and match
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write charts of test, score, margin and standings as SVG to this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// A contest's output files.
pub(super) type Outputs = files::Outputs<Writer>;

impl OutputArgs {
    /// Checks that each file can be written. Called before the first match.
    ///
    /// # Errors
    /// Returns a misuse error if a file cannot be written, or if two outputs go to standard output.
    pub(super) fn open(&self) -> anyhow::Result<Outputs> {
        Outputs::open([
            ("--json", &self.json, |report, _| data::json(report)),
            ("--junit", &self.junit, junit::xml),
            ("--markdown", &self.markdown, |report, rows| Ok(markdown::text(report, rows))),
            ("--csv", &self.csv, data::csv),
            ("--svg", &self.svg, |report, _| Ok(svg::text(report))),
        ])
    }
}

/// Writes all outputs, even if one of them cannot be written.
///
/// # Errors
/// Returns the first error.
pub(super) fn write(outputs: &Outputs, report: &Report, rows: &[MatchRow]) -> anyhow::Result<()> {
    outputs.write(|writer| writer(report, rows))
}

#[cfg(test)]
mod examples_for_tests;

#[cfg(test)]
mod tests {
    use std::fs;

    use bridgemaster_proto::escape::is_printable;
    use clap::Parser;

    use super::*;
    use crate::contest::outputs::examples_for_tests::{HOSTILE, hostile_report, hostile_rows};

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        outputs: OutputArgs,
    }

    fn open(flags: &[String]) -> anyhow::Result<Outputs> {
        let line = std::iter::once("contest").chain(flags.iter().map(String::as_str));
        Command::try_parse_from(line)?.outputs.open()
    }

    const FLAGS: [&str; 5] = ["--json", "--junit", "--markdown", "--csv", "--svg"];

    #[test]
    fn untrusted_text_breaks_no_output() {
        let folder = tempfile::tempdir().unwrap();
        let files = FLAGS.map(|flag| folder.path().join(&flag[2..]));
        let flags = FLAGS.iter().zip(&files);
        let flags = flags.flat_map(|(flag, file)| [(*flag).to_owned(), file.display().to_string()]);
        let outputs = open(&flags.collect::<Vec<_>>()).unwrap();
        assert!(!outputs.use_stdout());
        write(&outputs, &hostile_report(), &hostile_rows()).unwrap();
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            let raw = text.chars().find(|c| !is_printable(*c) && *c != '\n');
            assert_eq!(raw, None, "{}: {text:?}", file.display());
            // Markdown has such text within code, as its own tests show.
            if file.ends_with("junit") || file.ends_with("svg") {
                assert!(!text.contains("<img"), "{}: {text}", file.display());
            }
            assert!(!text.contains(HOSTILE), "{}: {text}", file.display());
        }
    }

    #[test]
    fn only_one_output_can_be_standard_output() {
        let flags =
            |flags: &[&str]| flags.iter().map(|flag| (*flag).to_owned()).collect::<Vec<_>>();
        assert!(open(&flags(&["--json", "-"])).unwrap().use_stdout());
        let error = open(&flags(&["--json", "-", "--csv", "-"])).err().unwrap();
        assert!(error.to_string().contains("--json - and --csv -"), "{error}");
    }

    #[test]
    fn a_file_that_cannot_be_written_is_reported_at_once_with_its_flag() {
        for flag in FLAGS {
            let flags = [flag.to_owned(), "no/such/folder/file".to_owned()];
            let error = open(&flags).err().unwrap();
            assert!(error.to_string().starts_with(flag), "{error}");
        }
    }

    #[test]
    fn an_output_that_fails_does_not_prevent_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let gone = folder.path().join("gone");
        fs::create_dir(&gone).unwrap();
        let (json, csv) = (gone.join("r.json"), folder.path().join("r.csv"));
        let flags = ["--json", &json.display().to_string(), "--csv", &csv.display().to_string()]
            .map(str::to_owned);
        let outputs = open(&flags).unwrap();
        fs::remove_dir(&gone).unwrap();
        let error = write(&outputs, &hostile_report(), &hostile_rows()).unwrap_err();
        assert_eq!(error.to_string(), "--json");
        assert!(csv.is_file());
    }
}
