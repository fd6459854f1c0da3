//! What goes wrong with servers and their database.

use crate::dice::Dice;

/// A second, in µs.
const SECOND: u64 = 1_000_000;

/// Something that goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Trouble {
    /// A process is killed; its connections are closed by its machine.
    Kill,
    /// Its machine is lost: nobody hears anything.
    LoseMachine,
    /// It stands still for longer or shorter than a lease, and wakes.
    Freeze,
    /// The machine stands still, and its clocks with it.
    Suspend,
    /// The line to the database is cut; connections to it break.
    CutLine,
    /// A connection is lost while its commit is written down, which takes a while.
    LoseCommit,
    /// It lets nothing through for a while.
    SilenceLine,
    /// Every message on it takes long.
    SlowLine,
    /// Commits take longer than a lease.
    SlowCommits,
    RestartDatabase,
    /// Somebody locks the row of a node for longer than a lease.
    HoldRow,
    /// The clock on the wall of a node jumps.
    JumpWall,
    /// The clock of the database jumps.
    JumpDatabase,
    /// The clock of the database goes at another rate.
    RateOfDatabase,
    /// A node drains, and is started again.
    Drain,
    /// Another process is started under the name of a node.
    Rival,
}

/// Kinds of trouble that are drawn.
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

    /// Whether a clock does something by it that no clock may.
    fn makes_clocks_lie(self) -> bool {
        matches!(
            self,
            Self::Suspend | Self::JumpDatabase | Self::RateOfDatabase
        )
    }

    /// Draws one. The commonest come most often.
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

/// How long somebody holds the row of a node, in µs: mostly longer than a lease, and not so long that
/// nobody waits for it any more.
pub(crate) fn holds_us(dice: &mut Dice) -> u64 {
    match dice.happens(300) {
        true => dice.within(SECOND / 10..8 * SECOND),
        false => dice.within(8 * SECOND..19 * SECOND),
    }
}

/// How long something lasts, in µs: shorter and longer than a lease.
pub(crate) fn lasts_us(dice: &mut Dice) -> u64 {
    let most = dice.pick(&[3 * SECOND, 9 * SECOND, 15 * SECOND, 30 * SECOND]);
    dice.within(SECOND / 10..most)
}
