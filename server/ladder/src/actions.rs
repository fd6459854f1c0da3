//! The actions of a ladder's organisers, and their effects.
//!
//! Actions are only ever appended. An action is in effect until a later action reverts it. The
//! effects depend only on the actions in effect, so a ladder that is restored with the same
//! actions and matches is the same.

use std::collections::{BTreeMap, BTreeSet};

use thiserror::Error;

use crate::{BotVersion, ClosingRule};

/// A recorded action.
#[derive(Clone, Debug, PartialEq)]
pub struct OrganiserAction {
    /// Name of the organiser's API key; empty on a server without keys.
    pub key_name: String,
    /// The reason that the organiser gave.
    pub reason: String,
    /// The action.
    pub action: Action,
}

/// An action of an organiser.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// A bot is not paired.
    Bench(BotSelector),
    /// The bot with this name is neither paired nor ranked.
    Disqualify(String),
    /// The bot with this name is neither paired nor listed, and all of its results are annulled.
    Remove(String),
    /// A match is annulled.
    AnnulMatch {
        /// Number of the match on the ladder.
        number: u64,
    },
    /// A bot's matches are annulled.
    AnnulResults {
        /// The bot.
        bot: BotSelector,
        /// Number of the first match that is not annulled.
        before: u64,
    },
    /// Settings are changed.
    Edit(SettingsChange),
    /// A frozen ladder is reopened.
    Reopen {
        /// Number of the first match in the closing round that the action ended.
        at_match: u64,
        /// The time at which the ladder was frozen, in ms since a fixed epoch.
        frozen_ms: u64,
    },
    /// An earlier action is reverted.
    Revert {
        /// Number of the reverted action.
        number: usize,
    },
}

/// A bot, or one of its versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotSelector {
    /// Name of the bot.
    pub name: String,
    /// The version; `None` for all versions.
    pub version: Option<String>,
}

impl BotSelector {
    /// Returns whether a version is selected.
    pub fn selects(&self, bot: &BotVersion) -> bool {
        self.name == bot.name && self.version.as_ref().is_none_or(|own| *own == bot.version)
    }
}

/// Settings to change; `None` for a setting that stays as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SettingsChange {
    /// Names of the admitted API keys.
    pub key_names: Option<Vec<String>>,
    /// The house bots, as NAME or NAME@VERSION.
    pub house_bots: Option<Vec<String>>,
    /// The maximum number of concurrent matches.
    pub max_matches: Option<u32>,
    /// The maximum number of a bot's concurrent matches.
    pub max_slots: Option<u32>,
    /// The end condition of a closing round.
    pub closing: Option<ClosingRule>,
}

impl SettingsChange {
    /// Returns both changes, of which this one has precedence.
    #[must_use]
    pub fn or(self, earlier: &Self) -> Self {
        Self {
            key_names: self.key_names.or_else(|| earlier.key_names.clone()),
            house_bots: self.house_bots.or_else(|| earlier.house_bots.clone()),
            max_matches: self.max_matches.or(earlier.max_matches),
            max_slots: self.max_slots.or(earlier.max_slots),
            closing: self.closing.or(earlier.closing),
        }
    }
}

/// The consequence of an action for a bot. Later variants are stricter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exclusion {
    /// The bot is not paired.
    Benched,
    /// The bot is neither paired nor ranked.
    Disqualified,
    /// The bot is neither paired nor listed.
    Removed,
}

/// The reason why an action is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ActionRefused {
    /// No action has this number.
    #[error("no action has the number {number}; the ladder has {actions} actions")]
    Unknown {
        /// The number in the request.
        number: usize,
        /// The number of actions.
        actions: usize,
    },
    /// The action to revert is itself a revert.
    #[error("action {number} is a revert, which cannot be reverted; repeat the reverted action")]
    IsRevert {
        /// The number in the request.
        number: usize,
    },
}

/// The actions of a ladder, numbered from 1.
#[derive(Clone, Debug, Default)]
pub struct Actions {
    all: Vec<OrganiserAction>,
    /// For each action, the number of the action that reverted it.
    reverted_by: Vec<Option<usize>>,
    /// Numbers of the actions that annul a match, by match number.
    annulled: BTreeMap<u64, Vec<usize>>,
    /// Numbers of the actions that annul matches of a bot.
    annulling: Vec<usize>,
}

impl Actions {
    /// Appends an action, and returns its number.
    pub fn push(&mut self, action: OrganiserAction) -> usize {
        let number = self.all.len() + 1;
        match &action.action {
            Action::Revert { number: reverted } => {
                if let Some(by) = self.reverted_by.get_mut(reverted.wrapping_sub(1)) {
                    by.get_or_insert(number);
                }
            }
            Action::AnnulMatch { number: of } => self.annulled.entry(*of).or_default().push(number),
            Action::AnnulResults { .. } | Action::Remove(_) => self.annulling.push(number),
            _ => {}
        }
        self.all.push(action);
        self.reverted_by.push(None);
        number
    }

    /// Returns the number of actions.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns whether there are no actions.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the action with this number.
    pub fn get(&self, number: usize) -> Option<&OrganiserAction> {
        self.all.get(number.checked_sub(1)?)
    }

    /// Returns the number of the action that reverted this action, if any.
    pub fn reverted_by(&self, number: usize) -> Option<usize> {
        self.reverted_by.get(number.checked_sub(1)?).copied().flatten()
    }

    /// Returns the actions in effect with their numbers, the oldest first.
    pub fn in_effect(&self) -> impl DoubleEndedIterator<Item = (usize, &OrganiserAction)> {
        let numbered = self.all.iter().zip(&self.reverted_by).enumerate();
        let in_effect = numbered.filter(|(_, (_, reverted))| reverted.is_none());
        in_effect.map(|(index, (action, _))| (index + 1, action))
    }

    /// Checks an action. Returns the number of an earlier action if this one would change nothing.
    ///
    /// # Errors
    /// Returns an error if the action cannot be reverted.
    pub fn check(&self, action: &Action) -> Result<Option<usize>, ActionRefused> {
        match action {
            Action::Revert { number } => match self.get(*number).map(|one| &one.action) {
                None => Err(ActionRefused::Unknown { number: *number, actions: self.len() }),
                Some(Action::Revert { .. }) => Err(ActionRefused::IsRevert { number: *number }),
                Some(_) => Ok(self.reverted_by(*number)),
            },
            Action::Edit(change) => {
                let now = self.settings();
                let mut edits = self.in_effect().rev();
                let last = edits.find(|(_, one)| matches!(one.action, Action::Edit(_)));
                Ok(last.map(|(number, _)| number).filter(|_| change.clone().or(&now) == now))
            }
            action => {
                let mut in_effect = self.in_effect();
                Ok(in_effect.find(|(_, one)| one.action == *action).map(|(number, _)| number))
            }
        }
    }

    /// Returns the settings that the actions change.
    pub fn settings(&self) -> SettingsChange {
        let newest_first = self.in_effect().rev();
        newest_first.fold(SettingsChange::default(), |settings, (_, one)| match &one.action {
            Action::Edit(change) => settings.or(change),
            _ => settings,
        })
    }

    /// Returns the strictest exclusion of a version, with the number of its action.
    pub fn exclusion(&self, bot: &BotVersion) -> Option<(Exclusion, usize)> {
        let of = |(number, one): (usize, &OrganiserAction)| {
            let exclusion = match &one.action {
                Action::Bench(selector) if selector.selects(bot) => Exclusion::Benched,
                Action::Disqualify(name) if *name == bot.name => Exclusion::Disqualified,
                Action::Remove(name) if *name == bot.name => Exclusion::Removed,
                _ => return None,
            };
            Some((exclusion, number))
        };
        // Of equal ones, the first.
        self.in_effect()
            .filter_map(of)
            .max_by_key(|(exclusion, number)| (*exclusion, std::cmp::Reverse(*number)))
    }

    /// Describes for people why a version is excluded, with the action and its organiser.
    pub fn exclusion_reason(&self, bot: &BotVersion) -> Option<String> {
        let (exclusion, number) = self.exclusion(bot)?;
        let what = match exclusion {
            Exclusion::Benched => "benched",
            Exclusion::Disqualified => "disqualified",
            Exclusion::Removed => "removed",
        };
        Some(format!("{what} {}", self.attribution(number)))
    }

    /// Describes for people who made an action and why.
    pub fn attribution(&self, number: usize) -> String {
        let Some(OrganiserAction { key_name, reason, .. }) = self.get(number) else {
            return String::new();
        };
        let who = if key_name.is_empty() { String::new() } else { format!(" {key_name}") };
        format!("by the organiser{who}: {reason} (action {number})")
    }

    /// Returns the names of removed bots.
    pub fn removed(&self) -> impl Iterator<Item = &str> {
        self.in_effect().filter_map(|(_, one)| match &one.action {
            Action::Remove(name) => Some(&**name),
            _ => None,
        })
    }

    /// Returns the names of disqualified bots.
    pub(crate) fn disqualified(&self) -> BTreeSet<String> {
        let names = self.in_effect().filter_map(|(_, one)| match &one.action {
            Action::Disqualify(name) => Some(name.clone()),
            _ => None,
        });
        names.collect()
    }

    /// Returns the number of an action in effect that annuls a match with these seats.
    pub fn annulment(&self, number: u64, seats: &[BotVersion]) -> Option<usize> {
        let mut annulling = self.annulling_actions(number, seats);
        annulling.find(|action| self.reverted_by(*action).is_none())
    }

    /// Returns whether any action annuls or annulled a match with these seats.
    pub fn has_annulled(&self, number: u64, seats: &[BotVersion]) -> bool {
        self.annulling_actions(number, seats).next().is_some()
    }

    /// Returns whether any action annuls or annulled matches.
    pub fn has_annulments(&self) -> bool {
        !self.annulled.is_empty() || !self.annulling.is_empty()
    }

    fn annulling_actions(&self, number: u64, seats: &[BotVersion]) -> impl Iterator<Item = usize> {
        let is_of_bot = move |action: &&usize| match self.get(**action).map(|one| &one.action) {
            Some(Action::Remove(name)) => seats.iter().any(|bot| bot.name == *name),
            Some(Action::AnnulResults { bot, before }) => {
                number < *before && seats.iter().any(|seated| bot.selects(seated))
            }
            _ => false,
        };
        let of_match = self.annulled.get(&number).into_iter().flatten();
        of_match.chain(self.annulling.iter().filter(is_of_bot)).copied()
    }
}
