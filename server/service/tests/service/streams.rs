//! Functions that wait: for messages of streams, for their ends, and for conditions.

use std::time::Duration;

use tokio::time::{sleep, timeout};
use tonic::{Code, Status, Streaming};
use tonic_types::StatusExt as _;

/// The maximum time for which a test waits for an event.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// Returns the next message; `None` if the stream ended without an error.
pub(crate) async fn next<T>(stream: &mut Streaming<T>) -> Result<Option<T>, Status> {
    let message = timeout(PATIENCE, stream.message()).await;
    message.expect("the stream continues or ends")
}

/// Returns the first result that `pick` returns for one of the next messages.
pub(crate) async fn find<T, P>(
    stream: &mut Streaming<T>,
    mut pick: impl FnMut(T) -> Option<P>,
) -> P {
    loop {
        let message = next(stream).await.unwrap();
        if let Some(picked) = pick(message.expect("the stream continues")) {
            return picked;
        }
    }
}

/// Returns all messages up to the end of a stream, which must end without an error.
pub(crate) async fn rest<T>(mut stream: Streaming<T>) -> Vec<T> {
    let mut messages = Vec::new();
    while let Some(message) = next(&mut stream).await.unwrap() {
        messages.push(message);
    }
    messages
}

/// Returns the error at the end of a stream.
pub(crate) async fn end<T>(stream: &mut Streaming<T>) -> Status {
    loop {
        match next(stream).await {
            Ok(message) => assert!(message.is_some(), "the stream ends without a reason"),
            Err(status) => return status,
        }
    }
}

/// Waits until a condition holds.
pub(crate) async fn until(what: &str, mut condition: impl AsyncFnMut() -> bool) {
    let holds = async {
        while !condition().await {
            sleep(Duration::from_millis(1)).await;
        }
    };
    assert!(timeout(PATIENCE, holds).await.is_ok(), "{what}");
}

/// Returns the stable reason of a refusal.
pub(crate) fn reason(status: &Status) -> String {
    status.get_details_error_info().unwrap_or_else(|| panic!("no ErrorInfo in {status:?}")).reason
}

/// Returns the stable reason for which a call was refused, or "OK".
pub(crate) fn outcome<T>(called: Result<T, Status>) -> String {
    called.map_or_else(|refused| reason(&refused), |_| "OK".to_owned())
}

/// Returns the limit that a refusal names.
pub(crate) fn limit(status: &Status) -> String {
    assert_eq!(reason(status), "LIMIT_REACHED", "{status:?}");
    let info = status.get_details_error_info().unwrap();
    info.metadata["limit"].clone()
}

/// Asserts that a call is refused because of a field of its request.
#[track_caller]
pub(crate) fn assert_invalid<T>(called: Result<T, Status>, message: &str) {
    let refused = called.err().expect(message);
    assert_eq!(refused.code(), Code::InvalidArgument, "{refused:?}");
    assert_eq!(reason(&refused), "INVALID_FIELD", "{refused:?}");
    assert!(refused.message().starts_with(message), "{refused:?}");
}
