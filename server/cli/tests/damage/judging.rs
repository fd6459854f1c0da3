//! Judges the effects of a damage.

use std::fs;

use bridgemaster_proto::v1::{MatchConfig, MatchInfo, MatchState};

use crate::{
    answers::{Answer, Answers},
    fixture::{Base, Known},
    served::{Folders, bridgemaster},
};

/// Reasons of refusals that say that the server cannot tell.
const TELLING: &[&str] = &["DATA_DAMAGED", "STORAGE_FAILED", "KEYS_UNREADABLE"];

/// Effect of a damage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// No server came up, and it said why.
    Refused,
    /// Nothing is missing or different, and nothing was said.
    Unchanged,
    /// The server reported everything that is missing or different.
    Said,
    /// Each of these was not.
    Silent(Vec<String>),
}

/// A difference to the truth.
struct Difference {
    what: String,
    /// Identifier of a match or a key: said is what a line of the log names.
    subject: String,
    /// Identifier of the key that was shown, where it is not that of a reader.
    key: Option<String>,
    /// The value is an earlier state, as after a loss.
    is_of_old: bool,
    /// The server answers that there is no such value.
    is_absent: bool,
}

/// Returns whether a line concerns a value whose identifier is damaged, too.
fn names_nobody(line: &str, known: &Known) -> bool {
    let ids = known.finished.iter().chain(&known.in_play).cloned();
    let mut ids = ids.chain(known.keys.keys().map(|name| known.key_id(name)));
    line.contains("cannot") && !ids.any(|id| line.contains(&id))
}

/// Judges what a server answered over damaged folders, and what it said.
pub(crate) fn judge(base: &Base, known: &Known, answers: &Answers, said: &str) -> Outcome {
    let complaints: Vec<&str> = said
        .lines()
        .filter(|line| line.contains("WARN") || line.contains("ERROR"))
        // These tell of the machine.
        .filter(|line| !line.contains("the server lagged") && !line.contains("the store is slow"))
        .collect();
    let is_loss_said = complaints
        .iter()
        .any(|line| line.contains("the stored data is truncated"));
    let differences = differences(&base.truth, answers, known);
    if differences.is_empty() {
        return match complaints.is_empty() {
            true => Outcome::Unchanged,
            false => Outcome::Said,
        };
    }
    let silent: Vec<String> = differences
        .into_iter()
        .filter(|difference| {
            let is_named = complaints.iter().any(|line| {
                line.contains(&difference.subject)
                    || difference
                        .key
                        .as_ref()
                        .is_some_and(|key| line.contains(key))
                    || (difference.is_absent && names_nobody(line, known))
            });
            let is_said = is_named || (difference.is_of_old && is_loss_said);
            !is_said
        })
        .map(|difference| difference.what)
        .collect();
    match silent.is_empty() {
        true => Outcome::Said,
        false => Outcome::Silent(silent),
    }
}

fn differences(truth: &Answers, answers: &Answers, known: &Known) -> Vec<Difference> {
    let mut found = Vec::new();
    for (id, info) in &truth.matches {
        let received = &answers.matches[id];
        compare(
            info,
            received,
            &format!("match {id}"),
            id,
            is_earlier,
            &mut found,
        );
    }
    for (id, replay) in &truth.replays {
        let received = &answers.replays[id];
        let never = |_: &_, _: &_| false;
        compare(
            replay,
            received,
            &format!("replay of {id}"),
            id,
            never,
            &mut found,
        );
    }
    for (id, (_, name)) in known.in_play.iter().zip(&known.seats) {
        let (seat, received) = (&truth.seats[id], &answers.seats[id]);
        let any = |_: &_, _: &_| true;
        let before = found.len();
        compare(
            seat,
            received,
            &format!("seat in {id}"),
            id,
            any,
            &mut found,
        );
        for difference in &mut found[before..] {
            difference.key = Some(known.key_id(name));
        }
    }
    for (name, may) in &truth.keys {
        let any = |_: &(), _: &()| true;
        for (one, received) in may.iter().zip(&answers.keys[name]) {
            let key = known.key_id(name);
            compare(
                one,
                received,
                &format!("key {name:?}"),
                &key,
                any,
                &mut found,
            );
        }
    }
    match (&truth.listed, &answers.listed) {
        (Answer::Received(listed), Answer::Received(received)) => {
            for (id, info) in listed {
                let [info, received] = [Some(info), received.get(id)].map(|info| match info {
                    Some(Some(info)) => Answer::Received(info.clone()),
                    Some(None) => Answer::Refused("DATA_DAMAGED".to_owned()),
                    None => Answer::Refused("missing".to_owned()),
                });
                compare(
                    &info,
                    &received,
                    &format!("listed {id}"),
                    id,
                    is_earlier,
                    &mut found,
                );
            }
            let more = received.iter().filter(|(id, _)| !listed.contains_key(*id));
            for (id, _) in more.filter(|(_, info)| info.is_some()) {
                found.push(Difference {
                    what: format!("listed {id}: there is no such match"),
                    subject: id.clone(),
                    key: None,
                    is_of_old: false,
                    is_absent: false,
                });
            }
        }
        (truth, received) => compare(
            truth,
            received,
            "the list",
            "the list",
            |_, _| false,
            &mut found,
        ),
    }
    found
}

fn compare<T: PartialEq>(
    truth: &Answer<T>,
    received: &Answer<T>,
    what: &str,
    subject: &str,
    is_of_old: impl Fn(&T, &T) -> bool,
    found: &mut Vec<Difference>,
) {
    if truth == received {
        return;
    }
    let mut difference = Difference {
        what: String::new(),
        subject: subject.to_owned(),
        key: None,
        is_of_old: true,
        is_absent: false,
    };
    let problem = match (truth, received) {
        (_, Answer::Refused(reason)) if TELLING.contains(&reason.as_str()) => return,
        (_, Answer::Refused(reason)) => {
            difference.is_absent = reason.ends_with("_UNKNOWN") || reason == "missing";
            reason.clone()
        }
        (Answer::Received(truth), Answer::Received(received)) => {
            difference.is_of_old = is_of_old(truth, received);
            "differs".to_owned()
        }
        (Answer::Refused(reason), Answer::Received(_)) => format!("answered instead of {reason}"),
    };
    difference.what = format!("{what}: {problem}");
    found.push(difference);
}

/// Returns whether this is an earlier state of a match.
fn is_earlier(truth: &MatchInfo, received: &MatchInfo) -> bool {
    let ended = MatchState::Ended;
    // The seed is told when the match has ended.
    let config = |info: &MatchInfo| {
        let config = info.config.clone();
        config.map(|config| MatchConfig {
            seed: None,
            ..config
        })
    };
    config(truth) == config(received)
        && truth.seed_commitment == received.seed_commitment
        && received.decisions <= truth.decisions
        && (received.state() != ended || received == truth)
}

/// Replay files that are not what they were, though `replay verify` takes them and a check does not
/// name them. A server that was killed may not have written all: then they are to become those of
/// `complete`.
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
        let true_files =
            [base, complete].map(|base| fs::read(base.folders.replays.join(&name)).ok());
        if true_files.contains(&fs::read(&file).ok()) || checked.contains(&name) {
            continue;
        }
        let verify = ["replay", "verify", file.to_str().unwrap()];
        let mut verify = bridgemaster(verify);
        if verify.output().unwrap().status.success() {
            changed.push(format!("{name} holds, and is another"));
        }
    }
    changed
}
