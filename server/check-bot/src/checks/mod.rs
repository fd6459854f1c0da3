//! The scripts of the checks.

mod answering;
mod attending;
mod clocks;
mod leaving;
mod moving;
mod newer_server;
mod resuming;

pub(super) use self::leaving::{Refused, refuse_ticket, unknown_ticket};
use super::{
    arena::{Arena, Bout},
    catalog::{Check, section},
    failure::{Stop, Verdict},
    setting::Setting,
};

/// Carries a check out in a match of `game` at `seats`.
pub(super) async fn carry_out(
    check: Check,
    arena: &Arena,
    game: &'static str,
    seats: u8,
) -> Verdict<()> {
    let cap = arena.times.fast_cap().as_millis();
    let setting = Setting {
        game,
        seats,
        cap_ms: (check == Check::FastClock).then(|| u32::try_from(cap).unwrap_or(u32::MAX)),
        ask_forced: check == Check::AskForced,
        first_server_is_away: check == Check::SeveralServers,
    };
    if check == Check::Attend {
        return attending::attend(arena, setting).await;
    }
    let mut bout = arena.seat(setting).await?;
    match play(check, &mut bout, arena).await {
        Err(Stop::Failed(mut failure)) => {
            failure.stderr = bout.session.process.stderr_so_far();
            Err(Stop::Failed(failure))
        }
        other => other,
    }
}

async fn play(check: Check, bout: &mut Bout, arena: &Arena) -> Verdict<()> {
    if check == Check::Moved {
        return moving::moved(bout, arena).await;
    }
    bout.connect().await?;
    match check {
        Check::UnknownTicket | Check::Attend | Check::Moved => Err(Stop::Broken(
            "this check is carried out elsewhere".to_owned(),
        )),
        Check::WholeMatch | Check::FastClock => bout.finish(0).await,
        Check::AskForced => clocks::ask_forced(bout).await,
        Check::ExitCode => leaving::exit_code(bout).await,
        Check::Ping => clocks::ping(bout).await,
        Check::SlowClock => clocks::slow_clock(bout).await,
        Check::DuplicateRequest => answering::duplicate_request(bout).await,
        Check::StaleRequest => answering::stale_request(bout).await,
        Check::RefusedAnswer => answering::refused_answer(bout).await,
        Check::StaleRefusal => answering::stale_refusal(bout).await,
        Check::ResumeReset => resuming::after_loss(bout, resuming::Loss::Reset).await,
        Check::ResumeEof => resuming::after_loss(bout, resuming::Loss::Eof).await,
        Check::ResumeUnavailable => resuming::after_loss(bout, resuming::Loss::Unavailable).await,
        Check::ResumeSlowConsumer => resuming::after_loss(bout, resuming::Loss::SlowConsumer).await,
        Check::ResumeAnswerLost => resuming::answer_lost(bout).await,
        Check::ResumeEndMissed => resuming::end_missed(bout).await,
        Check::ResumeAfterUnknown => newer_server::resume_after_unknown(bout).await,
        Check::BeginAnew => resuming::begin_anew(bout).await,
        Check::Drain => resuming::drain(bout).await,
        Check::SeveralServers => resuming::after_loss(bout, resuming::Loss::Reset).await,
        Check::UnknownMessages => newer_server::unknown_messages(bout)
            .await
            .map_err(|stop| stop.about(section::ROOM_TO_GROW)),
        Check::Superseded => leaving::superseded(bout).await,
    }
}
