//! The network between bots and server: cuts connections on order, and knows each of them.

use std::{
    collections::BTreeMap,
    io,
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, copy_bidirectional},
    net::{TcpListener, TcpStream},
    select,
    sync::{oneshot, watch},
    time::{sleep, timeout},
};
use tokio_util::task::AbortOnDropHandle;

/// Pause after a connection that could not be taken.
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

/// Ways to cut a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Both ends get a reset at once; data in transit is lost.
    Reset,
    /// Each end sees the other close normally, although it did not; data in transit is lost.
    Close,
    /// No data passes any more, and neither end notices: the connection is half-open,
    /// but both ends consider it established.
    Silence {
        /// Time after which both ends get a reset; `None` for never.
        then_reset: Option<Duration>,
    },
}

impl Cut {
    /// Name in the summary.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Reset => "reset",
            Self::Close => "closed",
            Self::Silence {
                then_reset: Some(_),
            } => "silent for a while",
            Self::Silence { then_reset: None } => "silent for ever",
        }
    }
}

/// A listener in front of the server.
pub(crate) struct Proxy {
    pub(crate) url: String,
    shared: Arc<Shared>,
    /// Address of the server; `None` while there is none.
    server: watch::Sender<Option<String>>,
    _accepting: AbortOnDropHandle<()>,
}

#[derive(Default)]
struct Shared {
    links: Mutex<Links>,
    count: watch::Sender<usize>,
}

#[derive(Default)]
struct Links {
    accepted: u64,
    /// Senders that cut a connection, by number. A connection that is cut or silent has none.
    open: BTreeMap<u64, Option<oneshot::Sender<Cut>>>,
}

impl Proxy {
    pub(crate) async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let shared = Arc::new(Shared::default());
        let (server, known) = watch::channel(None);
        let accepting = tokio::spawn(accept(listener, Arc::clone(&shared), known));
        Ok(Self {
            url,
            shared,
            server,
            _accepting: AbortOnDropHandle::new(accepting),
        })
    }

    /// From now on connections lead there; with `None` they are reset at once, as without a
    /// server.
    pub(crate) fn lead_to(&self, server: Option<String>) {
        self.server.send_replace(server);
    }

    /// Returns a receiver of the server's address.
    pub(crate) fn server(&self) -> watch::Receiver<Option<String>> {
        self.server.subscribe()
    }

    /// Cuts one of the open links. Returns false if there is none.
    pub(crate) fn cut(&self, pick: u32, how: Cut) -> bool {
        let mut links = self.shared.links.lock().unwrap();
        let whole: Vec<u64> = links
            .open
            .iter()
            .filter_map(|(number, order)| order.as_ref().map(|_| *number))
            .collect();
        if whole.is_empty() {
            return false;
        }
        let number = whole[pick as usize % whole.len()];
        let order = links.open.get_mut(&number).and_then(Option::take);
        order.is_some_and(|order| order.send(how).is_ok())
    }

    /// Connections that bots have made.
    pub(crate) fn accepted(&self) -> u64 {
        self.shared.links.lock().unwrap().accepted
    }

    /// Waits until no link is left.
    pub(crate) async fn wait_until_empty(&self) {
        let mut count = self.shared.count.subscribe();
        // The sender lives as long as the proxy.
        let _ = count.wait_for(|count| *count == 0).await;
    }
}

async fn accept(
    listener: TcpListener,
    shared: Arc<Shared>,
    server: watch::Receiver<Option<String>>,
) {
    loop {
        let Ok((bot, _)) = listener.accept().await else {
            // A connection that was gone before it was taken, or too many open files for now.
            sleep(ACCEPT_PAUSE).await;
            continue;
        };
        let (order, ordered) = oneshot::channel();
        let number = shared.add(order);
        let (shared, address) = (Arc::clone(&shared), server.borrow().clone());
        tokio::spawn(async move {
            match dial(address).await {
                Some(server) => carry(bot, server, ordered).await,
                None => reset(&bot),
            }
            shared.remove(number);
        });
    }
}

impl Shared {
    fn add(&self, order: oneshot::Sender<Cut>) -> u64 {
        let mut links = self.links.lock().unwrap();
        links.accepted += 1;
        let number = links.accepted;
        links.open.insert(number, Some(order));
        self.count.send_replace(links.open.len());
        number
    }

    fn remove(&self, number: u64) {
        let mut links = self.links.lock().unwrap();
        links.open.remove(&number);
        self.count.send_replace(links.open.len());
    }
}

/// A connection to the server, if there is one.
async fn dial(server: Option<String>) -> Option<TcpStream> {
    let stream = TcpStream::connect(server?).await.ok()?;
    // Without a listener, a connection from the same port can connect to itself.
    (stream.local_addr().ok()? != stream.peer_addr().ok()?).then_some(stream)
}

async fn carry(mut bot: TcpStream, mut server: TcpStream, ordered: oneshot::Receiver<Cut>) {
    // Small messages are not held back here, as they are not by the ends themselves.
    let _ = (bot.set_nodelay(true), server.set_nodelay(true));
    let cut = select! {
        carried = copy_bidirectional(&mut bot, &mut server) => match carried {
            Ok(_) => return,
            Err(_) => Cut::Reset,
        },
        cut = ordered => cut.unwrap_or(Cut::Reset),
    };
    match cut {
        Cut::Close => return,
        Cut::Reset => {}
        Cut::Silence { then_reset } => {
            let silent = async {
                tokio::join!(swallow(&mut bot), swallow(&mut server));
            };
            match then_reset {
                // Both ends get a reset next.
                Some(time) => drop(timeout(time, silent).await),
                None => silent.await,
            }
        }
    }
    reset(&bot);
    reset(&server);
}

/// Reads until the end and passes nothing on.
async fn swallow(from: &mut TcpStream) {
    let mut nowhere = [0; 4096];
    while let Ok(1..) = from.read(&mut nowhere).await {}
}

/// Makes the close of a stream a reset.
fn reset(stream: &TcpStream) {
    // Fails for a stream that is gone.
    let _ = stream.set_zero_linger();
}
