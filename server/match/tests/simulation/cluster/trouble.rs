//! Troubles of servers and their database.

use crate::dice::Dice;

/// One second, in µs.
const SECOND: u64 = 1_000_000;

/// A kind of trouble.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Trouble {
    /// A process is killed, and its machine closes the connections.
    Kill,
    /// A machine is lost, and connections to it time out.
    LoseMachine,
    /// A process freezes for longer or shorter than a lease, and wakes.
    Freeze,
    /// A machine is suspended with its clocks.
    Suspend,
    /// The network to the database is cut, and connections break.
    CutLine,
    /// A connection is lost during a slow commit.
    LoseCommit,
    /// The network to the database lets nothing through for a while.
    SilenceLine,
    /// Every message to the database is slow.
    SlowLine,
    /// Commits take longer than a lease.
    SlowCommits,
    RestartDatabase,
    /// A third party locks the row of a node for longer than a lease.
    HoldRow,
    /// The wall clock of a node jumps.
    JumpWall,
    /// The clock of the database jumps.
    JumpDatabase,
    /// The clock of the database changes its rate.
    RateOfDatabase,
    /// A node drains and is restarted.
    Drain,
    /// Another process is started under the name of a node.
    Rival,
}

/// The kinds of trouble, in order of their weights.
pub(crate) const TROUBLES: usize = 16;

impl Trouble {
    pub(crate) const ALL: [Self; TROUBLES] = [
        Self::Kill,
        Self::LoseMachine,
        Self::Freeze,
        Self::Suspend,
        Self::CutLine,
        Self::LoseCommit,
        Self::SilenceLine,
        Self::SlowLine,
        Self::SlowCommits,
        Self::RestartDatabase,
        Self::HoldRow,
        Self::JumpWall,
        Self::JumpDatabase,
        Self::RateOfDatabase,
        Self::Drain,
        Self::Rival,
    ];

    /// Returns whether it violates the assumptions about clocks.
    fn makes_clocks_lie(self) -> bool {
        matches!(
            self,
            Self::Suspend | Self::JumpDatabase | Self::RateOfDatabase
        )
    }

    /// Chooses a kind by its weight.
    pub(crate) fn draw(clocks_hold: bool, dice: &mut Dice) -> Self {
        loop {
            let drawn = match dice.happens(300) {
                true => dice.pick(&[Self::Kill, Self::Freeze, Self::LoseCommit, Self::CutLine]),
                false => dice.pick(&Self::ALL),
            };
            if !clocks_hold || !drawn.makes_clocks_lie() {
                return drawn;
            }
        }
    }

    pub(crate) fn place(self) -> Option<usize> {
        Self::ALL.iter().position(|trouble| *trouble == self)
    }
}

/// Duration of a third party's row lock, in µs: mostly longer than a lease, but shorter than the
/// lock timeout.
pub(crate) fn holds_us(dice: &mut Dice) -> u64 {
    match dice.happens(300) {
        true => dice.within(SECOND / 10..8 * SECOND),
        false => dice.within(8 * SECOND..19 * SECOND),
    }
}

/// Duration of a trouble, in µs: shorter or longer than a lease.
pub(crate) fn lasts_us(dice: &mut Dice) -> u64 {
    let most = dice.pick(&[3 * SECOND, 9 * SECOND, 15 * SECOND, 30 * SECOND]);
    dice.within(SECOND / 10..most)
}
