//! How a bot comes to a match that is at another server than the one that it asks.

use std::net::SocketAddr;

use bridgemaster_proto::v1::RefusalReason;
use bridgemaster_server::Refusal;
use tokio_util::task::AbortOnDropHandle;
use tonic::Status;

use crate::{
    arena::{Arena, Bout},
    catalog::section,
    failure::Verdict,
    front::Front,
    session::Event,
};

/// The first server that the bot asks does not have its match; and while a request is open, the match
/// moves once more.
pub(super) async fn moved(bout: &mut Bout, arena: &Arena) -> Verdict<()> {
    bout.until_it_starts().await?;
    let _first = move_on(bout, arena).await?;
    until_it_is_there(bout).await?;
    let (sequence, asked) = bout.until_request(2).await?;
    bout.deliver(sequence, asked).await;
    let _second = move_on(bout, arena).await?;
    until_it_is_there(bout).await?;
    bout.finish(0).await
}

/// Moves the match to a new server, and has the one before say so: to the stream of the bot, and to
/// each that comes while what is given lives.
async fn move_on(bout: &mut Bout, arena: &Arena) -> Verdict<AbortOnDropHandle<()>> {
    let new = arena.front().await?;
    let address = new.local_addr();
    let left = std::mem::replace(&mut bout.session.front, new);
    bout.session.end_stream(Some(moved_to(address))).await;
    Ok(AbortOnDropHandle::new(tokio::spawn(send_on(left, address))))
}

async fn send_on(mut left: Front, address: SocketAddr) {
    loop {
        let arrival = left.arrival().await;
        arrival.stream.refuse(moved_to(address)).await;
    }
}

fn moved_to(address: SocketAddr) -> Status {
    let message = format!("the match is played on another server: {address}");
    let refusal = Refusal::new(RefusalReason::Moved, message);
    refusal.with("address", address.to_string()).into()
}

async fn until_it_is_there(bout: &mut Bout) -> Verdict<()> {
    let time = bout.session.times.reconnect();
    let what = format!(
        "a stream with the same ticket at the address of MOVED within {} ms",
        time.as_millis()
    );
    bout.session.wait_for(what, time, section::COMING_BACK);
    let is_there = |event: &Event| matches!(event, Event::Came(_));
    let came = bout.session.pass_until(is_there).await?;
    bout.session.pass(came).await
}
