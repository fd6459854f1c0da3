//! Notifications to systemd: the server is ready, is alive, is stopping. sd_notify(3) describes
//! them.

use std::{
    env,
    ffi::OsString,
    io,
    os::{
        linux::net::SocketAddrExt as _,
        unix::{
            ffi::OsStrExt as _,
            net::{SocketAddr, UnixDatagram},
        },
    },
    time::Duration,
};

use tokio::time::interval;
use tokio_util::sync::CancellationToken;
use tracing::warn;

/// The interval without a watchdog, whose notifications systemd then ignores.
const DEFAULT_INTERVAL: Duration = Duration::from_secs(60);

/// Notifies systemd that the server is ready, then regularly that it is alive, and finally that it
/// drains. Without `NOTIFY_SOCKET`, which systemd sets, does nothing.
pub(super) fn start(drain: CancellationToken) {
    let Some(socket) = env::var_os("NOTIFY_SOCKET") else {
        return;
    };
    let watchdog_us = env::var("WATCHDOG_USEC").ok().and_then(|text| text.parse().ok());
    // Twice within the time after which systemd restarts the server.
    let interval = watchdog_us.map_or(DEFAULT_INTERVAL, |time| Duration::from_micros(time) / 2);
    match connect(&socket) {
        Ok(systemd) => {
            tokio::spawn(notify(systemd, interval.max(Duration::from_millis(1)), drain));
        }
        Err(error) => warn!(
            error = &error as &dyn std::error::Error,
            ?socket,
            "cannot notify systemd: NOTIFY_SOCKET cannot be used"
        ),
    }
}

/// Connects to a socket. A name that begins with `@` is in the abstract namespace.
fn connect(name: &OsString) -> io::Result<UnixDatagram> {
    let systemd = UnixDatagram::unbound()?;
    systemd.set_nonblocking(true)?;
    match name.as_bytes().strip_prefix(b"@") {
        Some(name) => systemd.connect_addr(&SocketAddr::from_abstract_name(name)?)?,
        None => systemd.connect(name)?,
    }
    Ok(systemd)
}

async fn notify(systemd: UnixDatagram, period: Duration, drain: CancellationToken) {
    // A lost notification is not an error: systemd restarts a server that sends nothing.
    let send = |state: &str| drop(systemd.send(state.as_bytes()));
    send("READY=1");
    let mut ticks = interval(period);
    let mut is_draining = false;
    loop {
        tokio::select! {
            () = drain.cancelled(), if !is_draining => {
                is_draining = true;
                send("STOPPING=1");
            }
            _ = ticks.tick() => send("WATCHDOG=1"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn systemd_is_notified_that_the_server_is_ready_alive_and_stopping() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let systemd = tokio::net::UnixDatagram::bind(&path).unwrap();
        let drain = CancellationToken::new();
        let sender = connect(&path.into_os_string()).unwrap();
        let task = tokio::spawn(notify(sender, Duration::from_millis(1), drain.clone()));
        let mut text = [0; 64];
        let mut received = Vec::new();
        while received.last() != Some(&"STOPPING=1".to_owned()) {
            let length = systemd.recv(&mut text).await.unwrap();
            received.push(String::from_utf8(text[..length].to_vec()).unwrap());
            if received.len() == 2 {
                drain.cancel();
            }
        }
        task.abort();
        assert_eq!(received[..2], ["READY=1", "WATCHDOG=1"]);
    }
}
