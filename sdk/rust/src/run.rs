//! The body of a bot's `main`.

use std::{io::Write as _, process::ExitCode};

use bridgemaster_proto::{outside::Outside, v1};

use crate::{AttendOptions, Bot, Options, OptionsError, PlayError, attend_blocking, play_blocking};

/// The body of a bot's `main`: plays the match that the environment names (see
/// [`Options::from_env`]) and reports on standard error how it ended. Progress goes to `tracing`:
/// install a subscriber to see it.
pub fn run(bot_name: &str, bot: impl Bot + 'static) -> ExitCode {
    let played = Options::from_env(bot_name)
        .map_err(PlayError::from)
        .and_then(|options| play_blocking(bot, options));
    tell(bot_name, played.map(|result| standings(&result)))
}

/// The body of the `main` of a bot that can attend: plays the match of [`TICKET_VARIABLE`], or
/// attends the queue of [`QUEUE_VARIABLE`] and plays what it is offered there. `new_bot` makes the
/// bot of each match. Reports as [`run`] does.
///
/// [`TICKET_VARIABLE`]: crate::TICKET_VARIABLE
/// [`QUEUE_VARIABLE`]: crate::QUEUE_VARIABLE
pub fn run_each<B: Bot + 'static>(bot_name: &str, mut new_bot: impl FnMut() -> B) -> ExitCode {
    let attending = match Options::from_env(bot_name) {
        Err(OptionsError::NoTicket) => AttendOptions::from_env(bot_name),
        _ => Ok(None),
    };
    match attending {
        Ok(Some(options)) => {
            let left = format!("the queue {} is left", options.queue);
            let attended = attend_blocking(new_bot, options);
            tell(bot_name, attended.map(|()| left))
        }
        Ok(None) => run(bot_name, new_bot()),
        Err(error) => tell(bot_name, Err(error.into())),
    }
}

/// Reports how a bot ended.
fn tell(bot_name: &str, ended: Result<String, PlayError>) -> ExitCode {
    let (line, code) = match ended {
        Ok(line) => (line, ExitCode::SUCCESS),
        Err(error) => (format!("error: {}", with_causes(&error)), ExitCode::FAILURE),
    };
    // Without a standard error there is nobody to tell.
    #[allow(clippy::disallowed_methods, reason = "what the server says is escaped")]
    let _ = writeln!(std::io::stderr(), "{bot_name}: {}", Outside(line));
    code
}

/// The places of a match on one line.
fn standings(result: &v1::MatchResult) -> String {
    let mut seats: Vec<&v1::SeatResult> = result.seats.iter().collect();
    seats.sort_by_key(|seat| seat.place);
    let places = seats.iter().map(|seat| {
        format!(
            "{}. {} (seat {}) {}",
            seat.place, seat.bot_name, seat.seat, seat.score
        )
    });
    format!(
        "match {} is over: {}",
        result.match_id,
        places.collect::<Vec<_>>().join(", ")
    )
}

/// An error and its causes on one line.
fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(": ")
}
