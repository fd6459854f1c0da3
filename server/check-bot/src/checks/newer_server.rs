//! Checks with messages from a newer protocol.

use crate::{environment::BotMatch, failure::Verdict, wire};

use bridgemaster_proto::v1::play_response::Message as FromServer;

/// Sends messages, fields and values that a bot must ignore, between and within requests.
pub(super) async fn unknown_messages(bot_match: &mut BotMatch) -> Verdict<()> {
    for request_id in [2, 3] {
        let (sequence, asked) = bot_match.wait_for_request(request_id).await?;
        bot_match.session.send_raw(wire::unknown_kind(0)).await;
        bot_match.session.insert(wire::unknown_kind).await;
        bot_match.session.insert(wire::empty).await;
        let seat = bot_match.seat;
        bot_match
            .session
            .insert(|sequence| wire::newer_seat_status(sequence, seat))
            .await;
        let asked = FromServer::DecisionRequest(asked);
        bot_match
            .session
            .deliver_encoded(sequence, asked, wire::with_unknown_fields)
            .await;
        let answer = bot_match.wait_for_answer(request_id).await?;
        bot_match.session.insert(wire::unknown_kind).await;
        bot_match.forward_answer(answer).await;
    }
    bot_match.finish(0).await
}

/// Cuts the stream after messages of an unknown kind and an answered request.
pub(super) async fn resume_after_unknown(bot_match: &mut BotMatch) -> Verdict<()> {
    let (sequence, asked) = bot_match.wait_for_request(2).await?;
    for _ in 0..3 {
        bot_match.session.insert(wire::unknown_kind).await;
    }
    bot_match.deliver(sequence, asked).await;
    let answer = bot_match.wait_for_answer(2).await?;
    bot_match.forward_answer(answer).await;
    bot_match.session.reset().await;
    bot_match.wait_for_resume().await?;
    bot_match.finish(0).await
}
