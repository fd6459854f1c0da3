//! Entry points for a bot's `main` function. These functions read the environment, play, and report
//! the outcome.

use std::{io::Write as _, process::ExitCode};

use bridgemaster_proto::{escape::Escaped, v1};

use crate::{
    AttendOptions, Bot, Options, OptionsError, PlayError, attend_blocking, error::with_causes,
    play_blocking,
};

/// Plays the match that the environment selects (see [`Options::from_env`]), and prints the outcome
/// to standard error. Intended as the body of a bot's `main`.
///
/// Progress is logged with `tracing`. Install a subscriber to see it.
pub fn run(bot_name: &str, bot: impl Bot + 'static) -> ExitCode {
    let played = Options::from_env(bot_name)
        .map_err(PlayError::from)
        .and_then(|options| play_blocking(bot, options));
    report(bot_name, played.map(|result| placings(&result)))
}

/// Plays the match that [`TICKET_VARIABLE`] selects. If this variable is not set, attends the queue
/// that [`QUEUE_VARIABLE`] names, and plays every match that the queue offers. `new_bot` creates a
/// bot for each match.
///
/// Prints the outcome to standard error, as [`run`] does. Intended as the body of a bot's `main`.
///
/// [`TICKET_VARIABLE`]: crate::TICKET_VARIABLE
/// [`QUEUE_VARIABLE`]: crate::QUEUE_VARIABLE
pub fn run_each<B: Bot + 'static>(bot_name: &str, mut new_bot: impl FnMut() -> B) -> ExitCode {
    let attending = match Options::from_env(bot_name) {
        Err(OptionsError::MissingTicket) => AttendOptions::from_env(bot_name),
        _ => Ok(None),
    };
    match attending {
        Ok(Some(options)) => {
            let left = format!("left the queue {}", options.queue);
            let attended = attend_blocking(new_bot, options);
            report(bot_name, attended.map(|()| left))
        }
        Ok(None) => run(bot_name, new_bot()),
        Err(error) => report(bot_name, Err(error.into())),
    }
}

/// Prints a bot's outcome as one line on standard error, and returns the exit code.
fn report(bot_name: &str, outcome: Result<String, PlayError>) -> ExitCode {
    let (line, code) = match outcome {
        Ok(line) => (line, ExitCode::SUCCESS),
        Err(error) => (format!("error: {}", with_causes(&error)), ExitCode::FAILURE),
    };
    // Errors are ignored, since a closed standard error must not change the exit code.
    #[allow(clippy::disallowed_methods, reason = "text from the server is escaped")]
    let _ = writeln!(std::io::stderr(), "{bot_name}: {}", Escaped(line));
    code
}

/// Formats a match's places on one line.
fn placings(result: &v1::MatchResult) -> String {
    let mut seats: Vec<&v1::SeatResult> = result.seats.iter().collect();
    seats.sort_by_key(|seat| seat.place);
    let places = seats.iter().map(|seat| {
        format!("{}. {} (seat {}) {}", seat.place, seat.bot_name, seat.seat, seat.score)
    });
    format!("match {} is over: {}", result.match_id, places.collect::<Vec<_>>().join(", "))
}
