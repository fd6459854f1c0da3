//! Messages such as a newer server may send.

use crate::{arena::Bout, failure::Verdict, wire};

use bridgemaster_proto::v1::play_response::Message as FromServer;

/// Everything that a bot has to skip, around and within requests.
pub(super) async fn unknown_messages(bout: &mut Bout) -> Verdict<()> {
    for request_id in [2, 3] {
        let (sequence, asked) = bout.until_request(request_id).await?;
        bout.session.say(wire::unknown_kind(0)).await;
        bout.session.put_in(wire::unknown_kind).await;
        bout.session.put_in(wire::empty).await;
        let seat = bout.seat;
        bout.session
            .put_in(|sequence| wire::seat_status_of_the_future(sequence, seat))
            .await;
        let asked = FromServer::DecisionRequest(asked);
        bout.session
            .deliver_as(sequence, asked, wire::with_unknown_fields)
            .await;
        let answer = bout.answer_to(request_id).await?;
        bout.session.put_in(wire::unknown_kind).await;
        bout.pass_answer(answer).await;
    }
    bout.finish(0).await
}

/// The stream is lost after messages of an unknown kind and a request that the bot has answered.
pub(super) async fn resume_after_unknown(bout: &mut Bout) -> Verdict<()> {
    let (sequence, asked) = bout.until_request(2).await?;
    for _ in 0..3 {
        bout.session.put_in(wire::unknown_kind).await;
    }
    bout.deliver(sequence, asked).await;
    let answer = bout.answer_to(2).await?;
    bout.pass_answer(answer).await;
    bout.session.reset().await;
    bout.until_back().await?;
    bout.finish(0).await
}
