//! A proxy between a store and its database, which holds back messages of the store.

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, copy},
    net::{
        UnixListener, UnixStream,
        unix::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::Notify,
};

use crate::postgres_server::PostgresServer;

/// The version of the protocol in the first message of a session, which has no type.
const PROTOCOL: [u8; 4] = [0, 3, 0, 0];

/// The treatment of messages to the database.
#[derive(Clone, Copy)]
enum Rule {
    Forward,
    /// Holds the message with this number, and all that follow on its connection.
    Hold(usize),
    /// Closes the store's side of a connection that commits. The database receives neither the
    /// commit nor the end of the connection.
    CutCommits,
}

struct Control {
    rule: Mutex<Rule>,
    /// The number of messages since the rule was set, over all connections.
    messages: AtomicUsize,
    /// The number of messages held or cut since the rule was set.
    stopped: AtomicUsize,
    released: Notify,
}

/// A proxy for any number of connections.
pub(crate) struct Proxy {
    folder: TempDir,
    control: Arc<Control>,
}

impl Proxy {
    pub(crate) fn start(server: &PostgresServer) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(folder.path().join(".s.PGSQL.5432")).unwrap();
        let control = Arc::new(Control {
            rule: Mutex::new(Rule::Forward),
            messages: AtomicUsize::new(0),
            stopped: AtomicUsize::new(0),
            released: Notify::new(),
        });
        let (socket, shared) = (server.socket(), Arc::clone(&control));
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(serve(client, socket.clone(), Arc::clone(&shared)));
            }
        });
        Self { folder, control }
    }

    /// Returns the address of a database through the proxy.
    pub(crate) fn url(&self, server: &PostgresServer, url: &str) -> String {
        let socket = server.socket();
        let host = socket.parent().unwrap().display().to_string();
        assert!(url.contains(&host));
        url.replace(&host, &self.folder.path().display().to_string())
    }

    /// Holds the message with this number, counted from now on.
    pub(crate) fn hold(&self, message: usize) {
        self.set(Rule::Hold(message));
    }

    pub(crate) fn cut_commits(&self) {
        self.set(Rule::CutCommits);
    }

    /// Forwards the held message, and all others.
    pub(crate) fn release(&self) {
        self.set(Rule::Forward);
        self.control.released.notify_waiters();
    }

    fn set(&self, rule: Rule) {
        let mut current = self.control.rule.lock().unwrap();
        *current = rule;
        self.control.messages.store(0, Ordering::SeqCst);
        self.control.stopped.store(0, Ordering::SeqCst);
    }

    /// The number of messages held or cut since the rule was set.
    pub(crate) fn stopped(&self) -> usize {
        self.control.stopped.load(Ordering::SeqCst)
    }
}

async fn serve(client: UnixStream, socket: PathBuf, control: Arc<Control>) {
    let Ok(server) = UnixStream::connect(socket).await else {
        return;
    };
    let (from_client, mut to_client) = client.into_split();
    let (mut from_server, to_server) = server.into_split();
    let answers = tokio::spawn(async move {
        let _ = copy(&mut from_server, &mut to_client).await;
    });
    if let Some(abandoned) = forward(from_client, to_server, &control).await {
        answers.abort();
        // The session remains until the database ends it.
        std::future::pending::<()>().await;
        drop(abandoned);
    }
}

/// Forwards messages until the client closes its connection. Returns the connection to the server
/// if that of the client is cut.
async fn forward(
    mut client: OwnedReadHalf,
    mut server: OwnedWriteHalf,
    control: &Control,
) -> Option<OwnedWriteHalf> {
    let mut has_started = false;
    while let Some(message) = read_message(&mut client, &mut has_started).await {
        let released = control.released.notified();
        let number = control.messages.fetch_add(1, Ordering::SeqCst);
        let rule = *control.rule.lock().unwrap();
        match rule {
            Rule::Hold(held) if held == number => {
                control.stopped.fetch_add(1, Ordering::SeqCst);
                released.await;
            }
            Rule::CutCommits if message.windows(6).any(|text| text == b"COMMIT") => {
                control.stopped.fetch_add(1, Ordering::SeqCst);
                return Some(server);
            }
            _ => {}
        }
        server.write_all(&message).await.ok()?;
    }
    None
}

/// Reads a message of the protocol of PostgreSQL. Only messages before the start have no type.
async fn read_message(client: &mut OwnedReadHalf, has_started: &mut bool) -> Option<Vec<u8>> {
    let mut message = vec![0; if *has_started { 5 } else { 4 }];
    client.read_exact(&mut message).await.ok()?;
    let length = message[message.len() - 4..].try_into().unwrap();
    let length = u32::from_be_bytes(length) as usize;
    let start = message.len();
    message.resize(start + length - 4, 0);
    client.read_exact(&mut message[start..]).await.ok()?;
    *has_started |= message[4..].starts_with(&PROTOCOL);
    Some(message)
}
