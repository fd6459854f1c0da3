//! The checks' scripts. Each script runs in one of the bot's matches.

mod answering;
mod attending;
mod clocks;
mod leaving;
mod resuming;

use bridgemaster_proto::v1::RefusalReason;
use tonic::Status;

pub(super) use self::leaving::unknown_ticket;
use self::resuming::StreamLoss;
use super::{
    bot_match::{BotMatch, refusal},
    catalog::{Check, section},
    environment::CheckEnvironment,
    match_settings::MatchSettings,
    report::{StopReason, Verdict},
};

/// Runs a check in a match of `game` with `seats` seats.
pub(super) async fn run_check(
    check: Check,
    environment: &CheckEnvironment,
    game: &'static str,
    seats: u8,
) -> Verdict<()> {
    let cap = environment.times.fast_cap.as_millis();
    let settings = MatchSettings {
        game,
        seats,
        cap_ms: (check == Check::FastClock).then(|| u32::try_from(cap).unwrap_or(u32::MAX)),
        ask_forced: check == Check::AskForced,
        first_server_is_absent: check == Check::SeveralServers,
    };
    if check == Check::Attend {
        return attending::attend(environment, settings).await;
    }
    let mut bot_match = environment.create_match(settings).await?;
    let verdict = play(check, &mut bot_match).await;
    verdict.map_err(|stop| stop.with_stderr_of(&bot_match.process))
}

async fn play(check: Check, bot_match: &mut BotMatch) -> Verdict<()> {
    bot_match.connect().await?;
    match check {
        Check::UnknownTicket | Check::Attend => {
            Err(StopReason::Broken("this check has its own entry point".to_owned()))
        }
        Check::WholeMatch | Check::FastClock => bot_match.finish(0).await,
        Check::AskForced => clocks::ask_forced(bot_match).await,
        Check::ExitCode => leaving::exit_code(bot_match).await,
        Check::Ping => clocks::ping(bot_match).await,
        Check::SlowClock => clocks::slow_clock(bot_match).await,
        Check::DuplicateRequest => answering::duplicate_request(bot_match).await,
        Check::StaleRequest => answering::stale_request(bot_match).await,
        Check::RefusedAnswer => answering::refused_answer(bot_match).await,
        Check::StaleRefusal => answering::stale_refusal(bot_match).await,
        Check::ResumeReset | Check::SeveralServers => {
            resuming::after_loss(bot_match, StreamLoss::Reset).await
        }
        Check::ResumeEof => resuming::after_loss(bot_match, StreamLoss::End(None)).await,
        Check::ResumeUnavailable => {
            let status = Status::unavailable("stream closed by a check");
            resuming::after_loss(bot_match, StreamLoss::End(Some(status))).await
        }
        Check::ResumeSlowConsumer => {
            let status = refusal(RefusalReason::SlowConsumer);
            resuming::after_loss(bot_match, StreamLoss::End(Some(status))).await
        }
        Check::ResumeAnswerLost => resuming::answer_lost(bot_match).await,
        Check::ResumeEndMissed => resuming::end_missed(bot_match).await,
        Check::ResumeAfterUnknown => answering::resume_after_unknown(bot_match).await,
        Check::StartOver => resuming::start_over(bot_match).await,
        Check::Drain => resuming::drain(bot_match).await,
        Check::UnknownMessages => answering::unknown_messages(bot_match)
            .await
            .map_err(|stop| stop.with_section(section::COMPATIBILITY)),
        Check::Superseded => leaving::superseded(bot_match).await,
    }
}
