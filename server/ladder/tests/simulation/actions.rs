//! Tests of organisers' actions.

use bridgemaster_ladder::{
    Action, ActionRefused, Actions, BotSelector, BotVersion, End, EntryState, Exclusion, Ladder,
    LadderEntry, OrganiserAction, Pairing, Purpose, Results, SeatEnd, SettingsChange, Span, State,
    ratings_of,
};
use rand::{Rng, RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::{
    scenarios::{field, play, ratings},
    world::{World, fit, rules},
};

fn by_organiser(action: Action) -> OrganiserAction {
    let (key_name, reason) = ("prof".to_owned(), "a test".to_owned());
    OrganiserAction { key_name, reason, action }
}

fn selector(name: &str) -> BotSelector {
    BotSelector { name: name.to_owned(), version: None }
}

/// Returns a random action, other than a revert.
fn random_action(luck: &mut impl Rng) -> Action {
    let name = format!("bot-{:03}", luck.random_range(0..4));
    match luck.random_range(0..6) {
        0 => Action::Bench(selector(&name)),
        1 => Action::Disqualify(name),
        2 => Action::Remove(name),
        3 => Action::AnnulMatch { number: luck.random_range(0..20) },
        4 => Action::AnnulResults { bot: selector(&name), before: luck.random_range(0..20) },
        _ => {
            let max_slots = luck.random_bool(0.5).then(|| luck.random_range(1..4));
            let house_bots = luck.random_bool(0.5).then(|| vec![name]);
            Action::Edit(SettingsChange { max_slots, house_bots, ..SettingsChange::default() })
        }
    }
}

/// Everything that follows from actions, for a few bots and matches.
#[derive(Debug, PartialEq)]
struct Effects {
    settings: SettingsChange,
    exclusions: Vec<Option<Exclusion>>,
    annulled: Vec<bool>,
}

fn effects(actions: &Actions) -> Effects {
    let bots: Vec<_> = (0..4).map(|bot| BotVersion::new(format!("bot-{bot:03}"), "1")).collect();
    let exclusion = |bot| actions.exclusion(bot).map(|(exclusion, _)| exclusion);
    let pairs =
        (0..20).map(|number| (number, [bots[number % 4].clone(), bots[number / 5].clone()]));
    Effects {
        settings: actions.settings(),
        exclusions: bots.iter().map(exclusion).collect(),
        annulled: pairs
            .map(|(number, seats)| actions.annulment(number as u64, &seats).is_some())
            .collect(),
    }
}

#[test]
fn an_action_is_idempotent_and_its_revert_restores_the_effects() {
    let mut luck = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..2_000 {
        let mut actions = Actions::default();
        for _ in 0..luck.random_range(0..8) {
            let action = random_action(&mut luck);
            if actions.check(&action) == Ok(None) {
                actions.push(by_organiser(action));
            }
        }
        let before = effects(&actions);
        let action = random_action(&mut luck);
        let Ok(None) = actions.check(&action) else {
            let mut again = actions.clone();
            again.push(by_organiser(action.clone()));
            assert_eq!(effects(&again), before, "{action:?} is repeated");
            continue;
        };
        let number = actions.push(by_organiser(action.clone()));
        assert_eq!(actions.check(&action), Ok(Some(number)), "{action:?}");
        let revert = Action::Revert { number };
        assert_eq!(actions.check(&revert), Ok(None));
        let by = actions.push(by_organiser(revert.clone()));
        assert_eq!(effects(&actions), before, "{action:?}");
        assert_eq!((actions.reverted_by(number), actions.check(&revert)), (Some(by), Ok(Some(by))));
        assert_eq!(actions.check(&action), Ok(None), "{action:?} can be repeated");
    }
}

#[test]
fn exclusions_and_annulments_do_not_depend_on_the_order_of_actions() {
    let mut luck = ChaCha8Rng::seed_from_u64(2);
    for _ in 0..500 {
        let mut all: Vec<Action> = (0..6).map(|_| random_action(&mut luck)).collect();
        all.retain(|action| !matches!(action, Action::Edit(_)));
        let of = |all: &[Action]| {
            let mut actions = Actions::default();
            for action in all {
                actions.push(by_organiser(action.clone()));
            }
            effects(&actions)
        };
        let forwards = of(&all);
        all.reverse();
        assert_eq!(of(&all), forwards);
    }
}

#[test]
fn unknown_actions_and_reverts_cannot_be_reverted() {
    let mut actions = Actions::default();
    let unknown = |number| Err(ActionRefused::Unknown { number, actions: actions.len() });
    assert_eq!(actions.check(&Action::Revert { number: 0 }), unknown(0));
    assert_eq!(actions.check(&Action::Revert { number: 1 }), unknown(1));
    actions.push(by_organiser(Action::Disqualify("ada".to_owned())));
    actions.push(by_organiser(Action::Revert { number: 1 }));
    let refused = actions.check(&Action::Revert { number: 2 });
    assert_eq!(refused, Err(ActionRefused::IsRevert { number: 2 }));
}

#[test]
fn of_two_edits_the_later_one_has_precedence_until_it_is_reverted() {
    let slots = |max_slots| SettingsChange { max_slots, ..SettingsChange::default() };
    let mut actions = Actions::default();
    actions.push(by_organiser(Action::Edit(slots(Some(1)))));
    let second = actions.push(by_organiser(Action::Edit(slots(Some(2)))));
    assert_eq!(actions.settings(), slots(Some(2)));
    actions.push(by_organiser(Action::Revert { number: second }));
    assert_eq!(actions.settings(), slots(Some(1)));
}

#[test]
fn annulled_matches_count_for_no_rating() {
    let mut world = World::new(rules(2), field(6), 3);
    play(&mut world, 200);
    let mut actions = Actions::default();
    actions.push(by_organiser(Action::AnnulMatch { number: 20 }));
    let cheater = selector("bot-002");
    actions.push(by_organiser(Action::AnnulResults { bot: cheater.clone(), before: 100 }));
    let is_annulled = |number: u64, seats: &[BotVersion]| {
        number == 20 || (number < 100 && seats.iter().any(|bot| cheater.selects(bot)))
    };
    let mut expected = Results::new();
    let mut annulled = 0;
    for (number, (pairing, end)) in (0..).zip(&world.stored.matches) {
        let Some(End::Played(ends)) = end else {
            continue;
        };
        if is_annulled(number, &pairing.seats) {
            annulled += 1;
        } else if pairing.purpose == Purpose::Rated {
            let seats = pairing.seats.iter().cloned().zip(ends.iter().copied());
            expected.add(number, &Vec::from_iter(seats));
        }
    }
    let restored = world.restored_with(actions);
    let method = restored.rules().rating_method;
    assert_eq!(ratings(&restored), ratings_of(&expected, method).unwrap());
    assert_eq!(restored.counts().annulled, annulled);
}

#[test]
fn a_disqualified_bot_is_not_paired_and_takes_no_rank_but_its_results_count() {
    let mut world = World::new(rules(2), field(6), 4);
    play(&mut world, 400);
    let strongest = BotVersion::new("bot-005", "1");
    let mut actions = Actions::default();
    actions.push(by_organiser(Action::Disqualify(strongest.name.clone())));
    let mut restored = world.restored_with(actions);
    let before = ratings(&world.ladder);
    let after = ratings(&restored);
    assert_eq!(before.len(), after.len());
    let best = |table: &[bridgemaster_ladder::BotRating]| {
        let others = table.iter().filter(|rated| rated.bot != strongest);
        others.map(|rated| rated.ranks.worst).max()
    };
    assert_eq!((best(&before), best(&after)), (Some(6), Some(5)));
    let entry = restored.entry(&strongest).unwrap();
    let reason = "disqualified by the organiser prof: a test (action 1)";
    assert_eq!(entry.state(), EntryState::Benched(reason));
    fit(&mut restored);
    world.ladder = restored;
    let from = world.stored.matches.len();
    play(&mut world, from + 50);
    assert!(!world.is_paired_from(from, &strongest));
    assert!(world.ladder.admit(&world.bots[5].presence).unwrap().is_none(), "it has entered");
    world.bots[5].presence.bot.version = "2".to_owned();
    assert!(world.ladder.admit(&world.bots[5].presence).is_err(), "in no version");
}

/// Returns a ladder of `ada` and `cyd` with this action, on which they play one match.
fn with_open_match(action: Action) -> Ladder {
    let mut actions = Actions::default();
    actions.push(by_organiser(action));
    let mut ladder = Ladder::new(rules(2), State::Open).with_actions(actions);
    let seats = ["ada", "cyd"].map(|name| BotVersion::new(name, "1")).to_vec();
    for bot in &seats {
        ladder.store_entry(LadderEntry {
            bot: bot.clone(),
            owner: String::new(),
            is_validated: true,
            failed_validation: None,
            benched: None,
            forgiven_before: 0,
            excluded: None,
        });
    }
    ladder.record_pairing(&Pairing { purpose: Purpose::Rated, seats, replaces: None });
    ladder
}

#[test]
fn a_cancelled_match_is_not_annulled_by_an_organiser() {
    let mut ladder = with_open_match(Action::Remove("ada".to_owned()));
    ladder.record_end(0, &End::Cancelled { absent: vec![1] }, Span::default());
    let counts = ladder.counts();
    assert_eq!((counts.annulled, counts.cancelled), (0, 1));
}

#[test]
fn failures_of_an_excluded_version_do_not_bench_it() {
    for (name, is_benched) in [("cyd", false), ("bob", true)] {
        let mut ladder = with_open_match(Action::Bench(selector(name)));
        let seat = |forfeited| SeatEnd { place: 1, score: 0, forfeited };
        let end = End::Played(vec![seat(false), seat(true)]);
        for number in 0..3 {
            let changed = ladder.entries_after(number, &end, Span::default(), &[]);
            assert_eq!(!changed.is_empty(), is_benched && number == 2, "{changed:?}");
            ladder.record_end(number, &end, Span::default());
            let seats = ["ada", "cyd"].map(|name| BotVersion::new(name, "1")).to_vec();
            ladder.record_pairing(&Pairing { purpose: Purpose::Rated, seats, replaces: None });
        }
    }
}
