//! A contest's output files.

mod csv;
#[cfg(test)]
mod examples;
pub(super) mod html;
mod json;
mod junit;
mod markdown;
mod svg;

use std::path::PathBuf;

use bridgemaster_runner::{MatchRow, Report};
use clap::Args;

use crate::{failure::misuse, output_file::OutputFile};

/// A function that formats an output. The rows are all finished matches, in order.
type Writer = fn(&Report, &[MatchRow]) -> anyhow::Result<String>;

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
    /// Write a chart of test and margin as SVG to this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// Output files with their flags and formatters.
pub(super) struct Outputs(Vec<(&'static str, OutputFile, Writer)>);

impl OutputArgs {
    /// Checks that each file can be written. Called before the first match.
    ///
    /// # Errors
    /// Misuse, if a file cannot be written, or if two outputs go to standard output.
    pub(super) fn open(&self) -> anyhow::Result<Outputs> {
        let flags: [(&str, &Option<PathBuf>, Writer); 5] = [
            ("--json", &self.json, |report, _| json::text(report)),
            ("--junit", &self.junit, junit::xml),
            ("--markdown", &self.markdown, |report, rows| {
                Ok(markdown::text(report, rows))
            }),
            ("--csv", &self.csv, csv::text),
            ("--svg", &self.svg, |report, _| Ok(svg::text(report))),
        ];
        let mut files = Vec::new();
        for (flag, path, writer) in flags {
            if let Some(path) = path {
                files.push((flag, OutputFile::open(flag, path)?, writer));
            }
        }
        let outputs = Outputs(files);
        let on_stdout = outputs.0.iter().filter(|(_, file, _)| file.is_stdout());
        let flags: Vec<String> = on_stdout.map(|(flag, ..)| format!("{flag} -")).collect();
        match flags.len() {
            0 | 1 => Ok(outputs),
            _ => Err(misuse(format!(
                "{}: only one can be standard output",
                flags.join(" and ")
            ))),
        }
    }
}

impl Outputs {
    /// Returns whether there are no outputs.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether an output goes to standard output. The command then prints nothing else
    /// there.
    pub(super) fn use_stdout(&self) -> bool {
        self.0.iter().any(|(_, file, _)| file.is_stdout())
    }

    /// Writes all outputs, even if one of them cannot be written.
    ///
    /// # Errors
    /// The first error.
    pub(super) fn write(&self, report: &Report, rows: &[MatchRow]) -> anyhow::Result<()> {
        let written = self.0.iter().map(|(flag, file, writer)| {
            writer(report, rows)
                .and_then(|text| file.write(&text))
                .map_err(|error| error.context(*flag))
        });
        // Collected before the first error is returned, so that all outputs are written.
        let written: Vec<_> = written.collect();
        written.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use bridgemaster_proto::escape::is_printable;
    use clap::Parser;

    use super::{
        examples::{HOSTILE, hostile_report, hostile_rows},
        *,
    };

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
        outputs.write(&hostile_report(), &hostile_rows()).unwrap();
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            let raw = text.chars().find(|c| !is_printable(*c) && *c != '\n');
            assert_eq!(raw, None, "{}: {text:?}", file.display());
            if !file.ends_with("json") && !file.ends_with("csv") {
                assert!(!text.contains("<img"), "{}: {text}", file.display());
            }
            assert!(!text.contains(HOSTILE), "{}: {text}", file.display());
        }
    }

    #[test]
    fn only_one_output_can_be_standard_output() {
        let flags = |flags: &[&str]| {
            flags
                .iter()
                .map(|flag| (*flag).to_owned())
                .collect::<Vec<_>>()
        };
        assert!(open(&flags(&["--json", "-"])).unwrap().use_stdout());
        let error = open(&flags(&["--json", "-", "--csv", "-"])).err().unwrap();
        assert!(
            error.to_string().contains("--json - and --csv -"),
            "{error}"
        );
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
        let flags = [
            "--json",
            &json.display().to_string(),
            "--csv",
            &csv.display().to_string(),
        ]
        .map(str::to_owned);
        let outputs = open(&flags).unwrap();
        fs::remove_dir(&gone).unwrap();
        let error = outputs
            .write(&hostile_report(), &hostile_rows())
            .unwrap_err();
        assert_eq!(error.to_string(), "--json");
        assert!(csv.is_file());
    }
}
