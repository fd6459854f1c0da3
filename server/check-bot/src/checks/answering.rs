//! Checks how a bot answers when messages are repeated, refused or from a newer protocol.

use bridgemaster_proto::v1::{
    Decision, DecisionRejected, DecisionRequest, RefusalReason, decision::Choice,
    play_request::Message as FromBot, play_response::Message as FromServer,
};

use crate::{
    bot_match::{BotMatch, Event},
    catalog::section,
    report::{Verdict, failed},
    wire,
};

/// Repeats a request while the bot might be deciding, and again after the bot's answer.
pub(super) async fn duplicate_request(bot_match: &mut BotMatch) -> Verdict<()> {
    for request_id in [2, 3] {
        let request = bot_match.wait_for_request(request_id).await?;
        bot_match.deliver_request(&request).await;
        bot_match.deliver_request(&request).await;
        let answer = bot_match.wait_for_answer(request_id).await?;
        // The answer has not been forwarded yet, so the request is still open and can be repeated.
        bot_match.deliver_request(&request).await;
        collect_extra_answers(bot_match).await?;
        bot_match.forward_answer(answer).await;
    }
    bot_match.finish(0).await?;
    check_same_answers(bot_match)
}

/// Repeats an answered request while a new request is open.
pub(super) async fn stale_request(bot_match: &mut BotMatch) -> Verdict<()> {
    let stale = bot_match.wait_for_request(2).await?;
    bot_match.deliver_request(&stale).await;
    bot_match.pass_answer(2).await?;

    let request = bot_match.wait_for_request(3).await?;
    bot_match.deliver_request(&request).await;
    bot_match.deliver_request(&stale).await;
    let answer = bot_match.wait_for_answer(3).await?;
    collect_extra_answers(bot_match).await?;
    bot_match.forward_answer(answer).await;
    bot_match.finish(0).await?;
    check_same_answers(bot_match)
}

/// Replaces the bot's answer with an illegal answer, which the server must refuse.
pub(super) async fn refused_answer(bot_match: &mut BotMatch) -> Verdict<()> {
    for request_id in [2, 4] {
        let answer = bot_match.ask(request_id).await?;
        let choice = Some(Choice::Index(u32::MAX));
        let illegal = Decision { choice, ..answer };
        bot_match.forward_answer(illegal).await;
        bot_match.pass_answer(request_id).await?;
    }
    bot_match.finish(2).await
}

/// Refuses the answer to request 2 while request 3 is open.
pub(super) async fn stale_refusal(bot_match: &mut BotMatch) -> Verdict<()> {
    let answer = bot_match.ask(3).await?;
    let refusal = FromServer::DecisionRejected(DecisionRejected {
        request_id: 2,
        reason: RefusalReason::StaleRequest.into(),
        detail: "request 2 already has another answer".to_owned(),
        open_request_id: 3,
        ..DecisionRejected::default()
    });
    bot_match.insert(|sequence| wire::encode(sequence, refusal)).await;
    collect_extra_answers(bot_match).await?;
    bot_match.forward_answer(answer).await;
    bot_match.finish(0).await?;
    check_same_answers(bot_match)
}

/// Receives the bot's extra answers for a while, without forwarding them to the server.
async fn collect_extra_answers(bot_match: &mut BotMatch) -> Verdict<()> {
    let quiet = bot_match.times.quiet;
    let is_decision = |event: &Event| matches!(event, Event::FromBot(FromBot::Decision(_)));
    while bot_match.forward_for(quiet, is_decision).await?.is_some() {}
    check_same_answers(bot_match)
}

/// Checks that all answers to a request mean the same decision.
fn check_same_answers(bot_match: &BotMatch) -> Verdict<()> {
    let transcript = &bot_match.transcript;
    for (request_id, answers) in &transcript.answers {
        let request = transcript.requests.get(request_id);
        let meaning = |answer: &Decision| normalized(answer, request.map(|(_, asked)| asked));
        let first = &answers[0];
        let differs = |answer: &&Decision| meaning(answer) != meaning(first);
        if let Some(other) = answers.iter().find(differs) {
            let (first, other) = (format_answer(first), format_answer(other));
            return Err(failed(
                format!("the same answer to request {request_id}, or none"),
                format!("first {first}, then {other}"),
                section::ANSWERING,
            ));
        }
    }
    Ok(())
}

/// Converts an index to the decision at this position in the list.
fn normalized(answer: &Decision, request: Option<&DecisionRequest>) -> Option<Choice> {
    let listed = match (&answer.choice, request) {
        (Some(Choice::Index(index)), Some(request)) => {
            let game = request.game.as_ref();
            game.and_then(|game| game.legal_decision(*index as usize))
        }
        _ => None,
    };
    match listed {
        Some(decision) => Some(Choice::Decision(decision)),
        None => answer.choice.clone(),
    }
}

fn format_answer(answer: &Decision) -> String {
    match &answer.choice {
        None => "a decision without a choice".to_owned(),
        Some(Choice::Index(index)) => format!("index {index}"),
        Some(Choice::Decision(decision)) => format!("the decision {decision:?}"),
    }
}

/// Sends messages, fields and values that a bot must ignore, between and within requests.
pub(super) async fn unknown_messages(bot_match: &mut BotMatch) -> Verdict<()> {
    for request_id in [2, 3] {
        let (sequence, asked) = bot_match.wait_for_request(request_id).await?;
        bot_match.send_raw(wire::unknown_kind(0)).await;
        bot_match.insert(wire::unknown_kind).await;
        bot_match.insert(wire::empty).await;
        let seat = bot_match.seat;
        bot_match.insert(|sequence| wire::newer_seat_status(sequence, seat)).await;
        let asked = FromServer::DecisionRequest(asked);
        bot_match.deliver_encoded(sequence, asked, wire::with_unknown_fields).await;
        let answer = bot_match.wait_for_answer(request_id).await?;
        bot_match.insert(wire::unknown_kind).await;
        bot_match.forward_answer(answer).await;
    }
    bot_match.finish(0).await
}

/// Cuts the stream after messages of an unknown kind and an answered request.
pub(super) async fn resume_after_unknown(bot_match: &mut BotMatch) -> Verdict<()> {
    let request = bot_match.wait_for_request(2).await?;
    for _ in 0..3 {
        bot_match.insert(wire::unknown_kind).await;
    }
    bot_match.deliver_request(&request).await;
    bot_match.pass_answer(2).await?;
    bot_match.reset().await;
    bot_match.wait_for_resume().await?;
    bot_match.finish(0).await
}
