//! Organisers' actions on a ladder: who may make them, and whom they affect.

use bridgemaster_proto::v1::{
    ActOnLadderRequest, ActOnLadderResponse, AnnulmentReason, AttendanceState, Ladder,
    LadderAction, LadderBotRef, LadderSettings, LadderState, ListLadderActionsRequest, NameList,
    ReopenLadder, Standing, UnbenchBotRequest, WatchLadderResponse, ladder_action::Action,
};
use bridgemaster_server::{
    ServerOptions,
    identity::KeyScope::{Admin, Play},
};
use tonic::Status;

use crate::{
    caller::Caller,
    ladder_fixture::{
        NAME, advance, attend_by_hand, bot, csv, get, league, make, make_housed, matches,
        standings, until, until_counted, watch,
    },
    streams::{end, find, next, outcome, reason},
    test_server::TestServer,
};

async fn try_act(caller: &Caller, action: Action) -> Result<ActOnLadderResponse, Status> {
    let action = Some(LadderAction {
        reason: "it cheats".to_owned(),
        action: Some(action),
        ..LadderAction::default()
    });
    let request = ActOnLadderRequest { ladder_id: NAME.to_owned(), action };
    Ok(caller.ladders().act_on_ladder(request).await?.into_inner())
}

async fn act(caller: &Caller, action: Action) -> LadderAction {
    try_act(caller, action).await.unwrap().action.unwrap()
}

async fn actions(caller: &Caller) -> Vec<LadderAction> {
    let ladder_id = NAME.to_owned();
    let request = ListLadderActionsRequest { ladder_id, ..ListLadderActionsRequest::default() };
    caller.ladders().list_ladder_actions(request).await.unwrap().into_inner().actions
}

async fn standing(caller: &Caller, name: &str) -> Option<Standing> {
    let all = standings(caller, false).await;
    all.into_iter().find(|standing| standing.bot_name == name)
}

async fn until_entered(caller: &Caller, name: &str) {
    let has_entered = |update: &WatchLadderResponse| {
        update.standings.iter().any(|standing| standing.bot_name == name)
    };
    until(caller, has_entered).await;
}

#[tokio::test]
async fn only_an_organiser_of_the_ladder_acts_and_a_removed_bot_stays_out() {
    let server = TestServer::locked(ServerOptions::default()).await;
    let organiser = server.caller("prof", &[Admin]).await;
    let other_admin = server.caller("dean", &[Admin]).await;
    let eve = server.caller("eve", &[Play]).await;
    make(&organiser, league()).await.unwrap();
    let mut attending = attend_by_hand(&eve, "").await.unwrap();
    until_entered(&organiser, "eve").await;
    let remove = || Action::RemoveBotName("eve".to_owned());
    for refused in [&other_admin, &eve] {
        let refused = try_act(refused, remove()).await;
        assert_eq!(outcome(refused), "SCOPE_MISSING");
    }
    assert!(actions(&eve).await.is_empty());
    let mut updates = watch(&organiser).await;
    next(&mut updates).await.unwrap().expect("all standings");
    let removed = act(&organiser, remove()).await;
    assert_eq!((removed.number, &*removed.key_name, &*removed.reason), (1, "prof", "it cheats"));
    assert!(removed.at_unix_ms > 0);
    assert_eq!(act(&organiser, remove()).await, removed, "repeated");
    // The owner gets the reason, even later.
    let ended = end(&mut attending).await;
    assert_eq!(reason(&ended), "BOT_BENCHED");
    assert!(ended.message().contains("removed by the organiser prof: it cheats"), "{ended}");
    assert_eq!(actions(&eve).await, [removed]);
    let is_removed = |standing: &Standing| standing.detail.contains("removed by the organiser");
    find(&mut updates, |update| update.standings.iter().any(is_removed).then_some(())).await;
    let confusable = server.caller("Eve", &[Play]).await;
    for refused in [&eve, &confusable] {
        let refused = attend_by_hand(refused, "").await.unwrap_err();
        assert_eq!(reason(&refused), "BOT_BENCHED");
        assert!(refused.message().contains("it cheats"), "{refused}");
    }
    attend_by_hand(&server.caller("ivan", &[Play]).await, "").await.unwrap();
    assert_eq!(standing(&organiser, "eve").await, None);
    let unbench = UnbenchBotRequest { ladder_id: NAME.to_owned(), bot: Some(bot("eve")) };
    let refused = organiser.ladders().unbench_bot(unbench).await;
    assert_eq!(outcome(refused), "BOT_BENCHED", "the action has to be reverted");
    act(&organiser, Action::RevertNumber(1)).await;
    attend_by_hand(&eve, "").await.unwrap();
    assert_eq!(actions(&eve).await[0].reverted_by, 2);
}

#[tokio::test]
async fn a_ladder_with_several_organisers_obeys_each_of_them_only() {
    let server = TestServer::locked(ServerOptions::default()).await;
    let [first, second, third] =
        ["prof", "tutor", "dean"].map(|name| server.caller(name, &[Admin]));
    let (first, second, third) = (first.await, second.await, third.await);
    let organiser_key_names = ["prof", "tutor"].map(str::to_owned).to_vec();
    make(&first, Ladder { organiser_key_names, ..league() }).await.unwrap();
    assert_eq!(outcome(advance(&third, LadderState::Frozen).await), "SCOPE_MISSING");
    advance(&second, LadderState::Frozen).await.unwrap();
    let reopened = try_act(&first, Action::Reopen(ReopenLadder {})).await.unwrap();
    assert_eq!(reopened.ladder.unwrap().state(), LadderState::Open);
    act(&second, Action::RevertNumber(1)).await;
    assert_eq!(get(&first).await.state(), LadderState::Frozen);
    advance(&first, LadderState::Closed).await.unwrap();
    let refused = try_act(&first, Action::Reopen(ReopenLadder {})).await;
    assert_eq!(outcome(refused), "LADDER_CLOSED");
}

#[tokio::test]
async fn edited_settings_apply_at_once_and_survive_a_restart() {
    let mut server = TestServer::stored().await;
    let _house = make_housed(&server).await;
    let (edited, house_bots) = (1, vec!["house".to_owned(), "tutor".to_owned()]);
    let edit = LadderSettings {
        max_matches: Some(edited),
        house_bots: Some(NameList { names: house_bots.clone() }),
        ..LadderSettings::default()
    };
    let done = try_act(&server, Action::Edit(edit)).await.unwrap();
    let ladder = done.ladder.unwrap();
    assert_eq!((ladder.max_matches, &ladder.house_bots), (edited, &house_bots));
    for bad in [
        LadderSettings::default(),
        LadderSettings { max_matches: Some(0), ..LadderSettings::default() },
        LadderSettings { max_slots: Some(65), ..LadderSettings::default() },
        LadderSettings {
            key_names: Some(NameList { names: vec!["ada".to_owned()] }),
            ..LadderSettings::default()
        },
    ] {
        let refused = try_act(&server, Action::Edit(bad)).await.unwrap_err();
        assert!(refused.message().contains("action.edit"), "{refused}");
    }
    server.restart().await;
    let again = get(&server).await;
    assert_eq!((again.max_matches, again.house_bots), (edited, house_bots));
    act(&server, Action::RevertNumber(1)).await;
    assert_eq!(get(&server).await.max_matches, 16);
}

#[tokio::test]
async fn bots_that_are_no_longer_admitted_leave_and_others_stay() {
    let server = TestServer::locked(ServerOptions::default()).await;
    let organiser = server.caller("prof", &[Admin]).await;
    let [ada, eve] = ["ada", "eve"].map(|name| server.caller(name, &[Play]));
    let (ada, eve) = (ada.await, eve.await);
    // The validation of a bot without seats is cancelled after this time.
    let mut short = league();
    let config = short.config.get_or_insert_default();
    config.clock.get_or_insert_default().startup_ms = Some(500);
    make(&organiser, short).await.unwrap();
    let _ada = attend_by_hand(&ada, "").await.unwrap();
    let mut of_eve = attend_by_hand(&eve, "").await.unwrap();
    until_entered(&organiser, "eve").await;
    let key_names = Some(NameList { names: vec!["ada".to_owned()] });
    act(&organiser, Action::Edit(LadderSettings { key_names, ..LadderSettings::default() })).await;
    while next(&mut of_eve).await.unwrap().is_some() {}
    assert_eq!(outcome(attend_by_hand(&eve, "").await), "QUEUE_UNKNOWN");
    let ada = standing(&organiser, "ada").await.unwrap();
    assert_ne!(ada.state(), AttendanceState::Absent);
}

#[tokio::test]
async fn an_annulled_match_counts_no_more_and_is_listed_with_its_reason() {
    let server = TestServer::open().await;
    let mut two = league();
    two.house_bots = ["ada", "bob"].map(str::to_owned).to_vec();
    make(&server, two).await.unwrap();
    let bots = ["ada", "bob"].map(|name| server.attend(NAME, name, "1", 1));
    until_counted(&server, 2).await;
    advance(&server, LadderState::Closed).await.unwrap();
    bots.iter().for_each(|bot| bot.abort());
    let closed = |update: &WatchLadderResponse| {
        update.ladder.as_ref().is_some_and(|ladder| ladder.state() == LadderState::Closed)
    };
    until(&server, closed).await;
    let first = matches(&server, "").await.pop().unwrap().r#match.unwrap().match_id;
    act(&server, Action::AnnulMatchId(first.clone())).await;
    let annulled = matches(&server, "").await.pop().unwrap().r#match.unwrap();
    let annulment = annulled.annulment.unwrap();
    assert_eq!(annulment.reason(), AnnulmentReason::Organizer);
    assert!(annulment.detail.contains("it cheats (action 1)"), "{}", annulment.detail);
    let results = csv(&server).await;
    let lines = results.lines().filter(|line| line.contains(&first));
    assert!(lines.clone().all(|line| line.contains(",annulled,")), "{results}");
    assert_eq!(lines.count(), 2);
    let unknown = try_act(&server, Action::AnnulMatchId("none".to_owned())).await.unwrap_err();
    assert!(unknown.message().contains("not a finished match"), "{unknown}");
    let bot = LadderBotRef { bot_name: "nobody".to_owned(), ..LadderBotRef::default() };
    let unknown = try_act(&server, Action::Bench(bot)).await.unwrap_err();
    assert!(unknown.message().contains("no bot named"), "{unknown}");
}
