//! The reasons why contests end, with their exit codes.

use serde::{Deserialize, Serialize};

/// The reason why a contest ended, with the exit code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exit {
    /// The reason, as a stable identifier.
    pub reason: ExitReason,
    /// The reason's exit code: [`ExitReason::code`].
    pub code: u8,
    /// A message for people, with advice.
    pub sentence: String,
    /// The name of the bot that could not play at all; `None` if no bot ended the contest this way.
    #[serde(default)]
    pub bot: Option<String>,
}

/// The reason why a contest ended, or the fact that it has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExitReason {
    /// The test accepted the candidate.
    Accepted,
    /// All matches of a contest without a test were played.
    Finished,
    /// The test rejected the candidate.
    Rejected,
    /// The test reached no verdict before the last group was played, the seeds were used up, or the
    /// contest was stopped.
    Undecided,
    /// A contest without a test was stopped before its end.
    Stopped,
    /// The contest is not complete, and might be running.
    Running,
    /// A requirement is not met.
    RequirementNotMet,
    /// A bot had a fault that ends the contest, a bot declined its seat too often, or every match
    /// was forfeited.
    BotFault,
    /// A bot cannot be started: its program does not exist or cannot be executed.
    BotNotStarted,
    /// A bot exited before it ever took a seat.
    BotEnded,
    /// A bot that has never taken a seat did not connect in time.
    BotNeverConnected,
    /// A bot does not play the game.
    BotOfOtherGames,
    /// A bot ran out of memory before it ever took a seat, or all bots that forfeited ran out of
    /// memory.
    BotOutOfMemory,
    /// A bot file changed, so the results would mix two different bots.
    BotChanged,
    /// The referee failed: the server is unavailable, or a match was annulled too often.
    RefereeFault,
}

impl ExitReason {
    /// All reasons, in declaration order.
    pub const ALL: [Self; 15] = [
        Self::Accepted,
        Self::Finished,
        Self::Rejected,
        Self::Undecided,
        Self::Stopped,
        Self::Running,
        Self::RequirementNotMet,
        Self::BotFault,
        Self::BotNotStarted,
        Self::BotEnded,
        Self::BotNeverConnected,
        Self::BotOfOtherGames,
        Self::BotOutOfMemory,
        Self::BotChanged,
        Self::RefereeFault,
    ];

    /// Returns whether a bot caused the contest to end.
    pub fn is_bot_failure(self) -> bool {
        matches!(
            self,
            Self::BotFault
                | Self::BotNotStarted
                | Self::BotEnded
                | Self::BotNeverConnected
                | Self::BotOfOtherGames
                | Self::BotOutOfMemory
                | Self::BotChanged
        )
    }

    /// Returns the command's exit code: 0 accepted or finished, 1 rejected, 3 not decided, 4
    /// requirement not met, 5 bot fault, 6 referee failure. Codes 51 to 55 mean that a bot cannot
    /// play at all, and 56 that a bot changed. Code 2 is a usage error, which creates no report.
    pub fn code(self) -> u8 {
        match self {
            Self::Accepted | Self::Finished => 0,
            Self::Rejected => 1,
            Self::Undecided | Self::Stopped | Self::Running => 3,
            Self::RequirementNotMet => 4,
            Self::BotFault => 5,
            Self::BotNotStarted => 51,
            Self::BotEnded => 52,
            Self::BotNeverConnected => 53,
            Self::BotOfOtherGames => 54,
            Self::BotOutOfMemory => 55,
            Self::BotChanged => 56,
            Self::RefereeFault => 6,
        }
    }
}
