//! One answer to one request, whatever comes again.

use bridgemaster_proto::v1::{
    Decision, DecisionRejected, DecisionRequest, RefusalReason, decision::Choice,
    play_request::Message as FromBot, play_response::Message as FromServer,
};

use crate::{
    arena::Bout,
    catalog::section,
    failure::{Verdict, failed},
    session::Event,
    wire,
};

/// A request comes again while the bot may still think, and again after its answer.
pub(super) async fn duplicate_request(bout: &mut Bout) -> Verdict<()> {
    for request_id in [2, 3] {
        let (sequence, asked) = bout.until_request(request_id).await?;
        let again = FromServer::DecisionRequest(asked.clone());
        bout.deliver(sequence, asked).await;
        bout.session.deliver(sequence, again.clone()).await;
        let answer = bout.answer_to(request_id).await?;
        // The answer is not passed on yet: while it is open, the request may come again.
        bout.session.deliver(sequence, again).await;
        hear_out(bout).await?;
        bout.pass_answer(answer).await;
    }
    bout.finish(0).await?;
    one_answer_each(bout)
}

/// An old request comes again while the bot owes the answer to a new one.
pub(super) async fn stale_request(bout: &mut Bout) -> Verdict<()> {
    let (old_sequence, old) = bout.until_request(2).await?;
    bout.deliver(old_sequence, old.clone()).await;
    let answer = bout.answer_to(2).await?;
    bout.pass_answer(answer).await;

    let (sequence, asked) = bout.until_request(3).await?;
    let stale = FromServer::DecisionRequest(old);
    bout.deliver(sequence, asked).await;
    bout.session.deliver(old_sequence, stale).await;
    let answer = bout.answer_to(3).await?;
    hear_out(bout).await?;
    bout.pass_answer(answer).await;
    bout.finish(0).await?;
    one_answer_each(bout)
}

/// The server gets an answer that it must refuse in place of the bot's.
pub(super) async fn refused_answer(bout: &mut Bout) -> Verdict<()> {
    for request_id in [2, 4] {
        let (sequence, asked) = bout.until_request(request_id).await?;
        bout.deliver(sequence, asked).await;
        let answer = bout.answer_to(request_id).await?;
        bout.pass_answer(Decision {
            choice: Some(Choice::Index(u32::MAX)),
            ..answer
        })
        .await;
        let second = bout.answer_to(request_id).await?;
        bout.pass_answer(second).await;
    }
    bout.finish(2).await
}

/// The bot hears that an old answer was refused while it owes another.
pub(super) async fn stale_refusal(bout: &mut Bout) -> Verdict<()> {
    let (sequence, asked) = bout.until_request(3).await?;
    bout.deliver(sequence, asked).await;
    let answer = bout.answer_to(3).await?;
    let refusal = FromServer::DecisionRejected(DecisionRejected {
        request_id: 2,
        reason: RefusalReason::StaleRequest.into(),
        detail: "request 2 was answered before, with another decision".to_owned(),
        open_request_id: 3,
        ..DecisionRejected::default()
    });
    bout.session
        .put_in(|sequence| wire::encode(sequence, refusal))
        .await;
    hear_out(bout).await?;
    bout.pass_answer(answer).await;
    bout.finish(0).await?;
    one_answer_each(bout)
}

/// Gives the bot time for answers that it should not give. They are kept from the server, which
/// has no part in this.
async fn hear_out(bout: &mut Bout) -> Verdict<()> {
    let quiet = bout.session.times.quiet();
    let is_decision = |event: &Event| matches!(event, Event::FromBot(FromBot::Decision(_)));
    while bout.session.pass_for(quiet, is_decision).await?.is_some() {}
    one_answer_each(bout)
}

/// All answers to a request must mean the same decision.
fn one_answer_each(bout: &Bout) -> Verdict<()> {
    let told = &bout.session.told;
    for (request_id, answers) in &told.answers {
        let asked = told.requests.get(request_id).map(|(_, asked)| asked);
        let first = meaning(&answers[0], asked);
        let Some(other) = answers
            .iter()
            .find(|answer| meaning(answer, asked) != first)
        else {
            continue;
        };
        return Err(failed(
            format!("the same answer to request {request_id} again, or none"),
            format!("first {}, then {}", text(&answers[0]), text(other)),
            section::ANSWERING,
        ));
    }
    Ok(())
}

/// What an answer stands for: an index is a short form of the decision in the list.
fn meaning(answer: &Decision, asked: Option<&DecisionRequest>) -> Option<Choice> {
    let listed = match (&answer.choice, asked) {
        (Some(Choice::Index(index)), Some(asked)) => {
            let game = asked.game.as_ref();
            game.and_then(|game| game.legal_decision(*index as usize))
        }
        _ => None,
    };
    match listed {
        Some(decision) => Some(Choice::Decision(decision)),
        None => answer.choice.clone(),
    }
}

fn text(answer: &Decision) -> String {
    match &answer.choice {
        None => "a decision without a choice".to_owned(),
        Some(Choice::Index(index)) => format!("index {index}"),
        Some(Choice::Decision(decision)) => format!("the decision {decision:?}"),
    }
}
