//! Judges the effects of damage.

use std::fs;

use bridgemaster_proto::v1::{MatchConfig, MatchInfo, MatchState};

use super::{
    answers::{Answer, Answers},
    fixture::{Base, Folders, Known},
};
use crate::kit::program::run;

/// Refusal reasons that report damaged or unreadable data.
const DAMAGE_REASONS: &[&str] = &["DATA_DAMAGED", "STORAGE_FAILED", "KEYS_UNREADABLE"];
/// Warnings that concern the machine.
const MACHINE_WARNINGS: [&str; 2] = ["the server lagged", "the store is slow"];

/// Effect of damage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The server did not start, and stated the reason.
    Refused,
    /// Nothing is missing or different, and nothing was reported.
    Unchanged,
    /// The server reported everything that is missing or different.
    Reported,
    /// Differences that the server did not report.
    Silent(Vec<String>),
}

/// A difference from the responses for the undamaged folder.
struct Difference {
    what: String,
    /// Identifier of a match or a key. A log line with this identifier reports the difference.
    subject: String,
    /// Identifier of the presented key, unless it is the key of a reader.
    key: Option<String>,
    /// Whether the value is an earlier state, as after a loss.
    is_of_old: bool,
    /// Whether the server states that there is no such value.
    is_absent: bool,
}

impl Difference {
    /// Returns whether a line of the log reports this difference.
    fn is_named(&self, line: &str, known: &Known) -> bool {
        let names_key = self.key.as_ref().is_some_and(|key| line.contains(key));
        let is_nameless = self.is_absent && names_nobody(line, known);
        line.contains(&self.subject) || names_key || is_nameless
    }
}

/// Returns whether a line reports a value whose identifier is damaged too.
fn names_nobody(line: &str, known: &Known) -> bool {
    let ids = known.finished.iter().chain(&known.in_play).cloned();
    let mut ids = ids.chain(known.keys.keys().map(|name| known.key_id(name)));
    line.contains("cannot") && !ids.any(|id| line.contains(&id))
}

/// Judges the responses and the log of a server over damaged folders.
pub(crate) fn judge(base: &Base, known: &Known, answers: &Answers, log: &str) -> Outcome {
    let lines = log.lines().filter(|line| line.contains("WARN") || line.contains("ERROR"));
    let of_server = |line: &&str| !MACHINE_WARNINGS.iter().any(|text| line.contains(text));
    let complaints: Vec<&str> = lines.filter(of_server).collect();
    let is_loss_said = complaints.iter().any(|line| line.contains("the stored data is truncated"));
    let mut differences = differences(&base.truth, answers, known);
    if differences.is_empty() && complaints.is_empty() {
        return Outcome::Unchanged;
    }
    differences.retain(|difference| {
        let is_named = complaints.iter().any(|line| difference.is_named(line, known));
        !(is_named || difference.is_of_old && is_loss_said)
    });
    if differences.is_empty() {
        return Outcome::Reported;
    }
    Outcome::Silent(differences.into_iter().map(|difference| difference.what).collect())
}

fn differences(truth: &Answers, answers: &Answers, known: &Known) -> Vec<Difference> {
    let mut found = Vec::new();
    for (id, info) in &truth.matches {
        let what = format!("match {id}");
        found.extend(compare(info, &answers.matches[id], what, id, is_earlier));
    }
    for (id, replay) in &truth.replays {
        let what = format!("replay of {id}");
        found.extend(compare(replay, &answers.replays[id], what, id, |_, _| false));
    }
    for (id, (_, name)) in known.in_play.iter().zip(&known.seats) {
        let what = format!("seat in {id}");
        let difference = compare(&truth.seats[id], &answers.seats[id], what, id, |_, _| true);
        found.extend(
            difference.map(|difference| Difference { key: Some(known.key_id(name)), ..difference }),
        );
    }
    for (name, may) in &truth.keys {
        for (one, received) in may.iter().zip(&answers.keys[name]) {
            let what = format!("key {name:?}");
            found.extend(compare(one, received, what, &known.key_id(name), |_, _| true));
        }
    }
    let (Answer::Received(listed), Answer::Received(received)) = (&truth.listed, &answers.listed)
    else {
        let what = "the list".to_owned();
        found.extend(compare(&truth.listed, &answers.listed, what, "the list", |_, _| false));
        return found;
    };
    for (id, info) in listed {
        let [info, received] = [Some(info), received.get(id)].map(|info| match info {
            Some(Some(info)) => Answer::Received(info.clone()),
            Some(None) => Answer::Refused("DATA_DAMAGED".to_owned()),
            None => Answer::Refused("missing".to_owned()),
        });
        found.extend(compare(&info, &received, format!("listed {id}"), id, is_earlier));
    }
    let more = received.iter().filter(|(id, info)| info.is_some() && !listed.contains_key(*id));
    found.extend(more.map(|(id, _)| Difference {
        what: format!("listed {id}: there is no such match"),
        subject: id.clone(),
        key: None,
        is_of_old: false,
        is_absent: false,
    }));
    found
}

fn compare<T: PartialEq>(
    truth: &Answer<T>,
    received: &Answer<T>,
    what: String,
    subject: &str,
    is_of_old: impl Fn(&T, &T) -> bool,
) -> Option<Difference> {
    if truth == received {
        return None;
    }
    let (problem, is_of_old, is_absent) = match (truth, received) {
        (_, Answer::Refused(reason)) if DAMAGE_REASONS.contains(&reason.as_str()) => return None,
        (_, Answer::Refused(reason)) => {
            let is_absent = reason.ends_with("_UNKNOWN") || reason == "missing";
            (reason.clone(), true, is_absent)
        }
        (Answer::Received(truth), Answer::Received(received)) => {
            ("differs".to_owned(), is_of_old(truth, received), false)
        }
        (Answer::Refused(reason), Answer::Received(_)) => {
            (format!("answered instead of {reason}"), true, false)
        }
    };
    Some(Difference {
        what: format!("{what}: {problem}"),
        subject: subject.to_owned(),
        key: None,
        is_of_old,
        is_absent,
    })
}

/// Returns whether this is an earlier state of a match.
fn is_earlier(truth: &MatchInfo, received: &MatchInfo) -> bool {
    // The seed is public once the match has ended.
    let config = |info: &MatchInfo| {
        let config = info.config.clone();
        config.map(|config| MatchConfig { seed: None, ..config })
    };
    config(truth) == config(received)
        && truth.seed_commitment == received.seed_commitment
        && received.decisions <= truth.decisions
        && (received.state() != MatchState::Ended || received == truth)
}

/// Returns replay files that have changed although `replay verify` accepts them and no check names
/// them. If a killed server has not written all files, they must become those of `complete`.
pub(crate) fn changed_replay_files(
    base: &Base,
    complete: &Base,
    folders: &Folders,
    known: &Known,
    checked: &str,
) -> Vec<String> {
    let mut changed = Vec::new();
    for id in &known.finished {
        let name = format!("{id}.replay.binpb");
        let file = folders.replays.join(&name);
        let true_files = [base, complete].map(|base| base.folders.replays.join(&name));
        let true_files = true_files.map(|file| fs::read(file).ok());
        if true_files.contains(&fs::read(&file).ok()) || checked.contains(&name) {
            continue;
        }
        if run(format!("replay verify {}", file.display())).code == Some(0) {
            changed.push(format!("{name} is valid, but differs"));
        }
    }
    changed
}
