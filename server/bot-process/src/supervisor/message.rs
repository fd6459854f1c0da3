//! Messages that the start stages send to the parent, one per line.

use std::fmt;

use crate::Isolation;

/// A message to the process that started the bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Message {
    /// The isolation of the bot's processes.
    Isolation(Isolation),
    /// The bot was not started, because only this isolation was available but a stronger one is
    /// required.
    TooWeak(Isolation),
    /// Namespaces were created but cannot be set up. The bot can be started without namespaces.
    NamespacesRefused,
    /// The program is running.
    Started,
    /// The program cannot be started, with this errno.
    Failed(i32),
    /// The bot's first process ended with this wait status.
    Ended(i32),
}

impl Message {
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let (name, value) = line.split_once(' ').unwrap_or((line, ""));
        match name {
            "isolation" => Isolation::from_name(value).map(Self::Isolation),
            "too-weak" => Isolation::from_name(value).map(Self::TooWeak),
            "namespaces-refused" => Some(Self::NamespacesRefused),
            "started" => Some(Self::Started),
            "failed" => value.parse().ok().map(Self::Failed),
            "ended" => value.parse().ok().map(Self::Ended),
            _ => None,
        }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Isolation(isolation) => writeln!(f, "isolation {}", isolation.name()),
            Self::TooWeak(isolation) => writeln!(f, "too-weak {}", isolation.name()),
            Self::NamespacesRefused => writeln!(f, "namespaces-refused"),
            Self::Started => writeln!(f, "started"),
            Self::Failed(number) => writeln!(f, "failed {number}"),
            Self::Ended(status) => writeln!(f, "ended {status}"),
        }
    }
}
