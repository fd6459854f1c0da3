//! The responses of a server to all requests about a data folder.

use std::collections::BTreeMap;

use bridgemaster_proto::v1::{
    CreateMatchRequest, GetReplayRequest, ListMatchesRequest, MatchInfo, PlayResponse, Replay,
    match_service_client::MatchServiceClient, play_response::Message,
};
use tokio::{runtime::Builder, time::timeout};
use tonic::{Request, Status, transport::Channel};

use super::fixture::Known;
use crate::kit::{
    calls::{get_request, reason, showing},
    program::PATIENCE,
    seat_stream::{SeatStream, hello},
    served::Served,
};

/// Matches per page of a list, so that there are several pages.
const PAGE_SIZE: u32 = 3;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Answer<T> {
    Received(T),
    /// The reason of the refusal, or its code if it has none.
    Refused(String),
}

/// All answers of a server.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answers {
    /// Infos of matches, by identifier.
    pub(crate) matches: BTreeMap<String, Answer<MatchInfo>>,
    /// Replays of finished matches, by identifier.
    pub(crate) replays: BTreeMap<String, Answer<Box<Replay>>>,
    /// `None` for a match that is listed as damaged.
    pub(crate) listed: Answer<BTreeMap<String, Option<MatchInfo>>>,
    /// Messages to a bot that joins a match in play and starts over, by match.
    pub(crate) seats: BTreeMap<String, Answer<Vec<PlayResponse>>>,
    /// Whether a key may see a match and create one, by the name of the key.
    pub(crate) keys: BTreeMap<&'static str, [Answer<()>; 2]>,
}

impl Answers {
    /// Makes all requests to the server.
    pub(crate) fn of(server: &Served, known: &Known) -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let asked = timeout(PATIENCE, ask(server, known)).await;
            asked.expect("a server answers")
        })
    }
}

async fn ask(server: &Served, known: &Known) -> Answers {
    let channel = server.channel().await;
    let client = Client { channel, known };
    // Two keys may read everything, since one of them may be damaged.
    let reader = match client.info("reader", "").await {
        Answer::Refused(reason) if reason != "MATCH_UNKNOWN" => "other reader",
        _ => "reader",
    };
    let mut answers = Answers {
        matches: BTreeMap::new(),
        replays: BTreeMap::new(),
        listed: Answer::of(client.list(reader).await),
        seats: BTreeMap::new(),
        keys: BTreeMap::new(),
    };
    for id in known.finished.iter().chain(&known.in_play) {
        answers.matches.insert(id.clone(), client.info(reader, id).await);
    }
    for id in &known.finished {
        answers.replays.insert(id.clone(), Answer::of(client.replay(reader, id).await));
    }
    for &name in known.keys.keys() {
        let sees = match client.info(name, &known.finished[0]).await {
            // A caller that may not read a match must not find out whether it exists.
            Answer::Refused(reason) if reason == "SCOPE_MISSING" => {
                Answer::Refused("MATCH_UNKNOWN".to_owned())
            }
            Answer::Refused(reason) => Answer::Refused(reason),
            Answer::Received(_) => Answer::Received(()),
        };
        let makes = Answer::of(client.try_to_make(name).await);
        answers.keys.insert(name, [sees, makes]);
    }
    for (id, (ticket, name)) in known.in_play.iter().zip(&known.seats) {
        let received = Answer::of(client.join(name, ticket).await);
        answers.seats.insert(id.clone(), received);
    }
    answers
}

struct Client<'a> {
    channel: Channel,
    known: &'a Known,
}

impl Client<'_> {
    fn matches(&self) -> MatchServiceClient<Channel> {
        MatchServiceClient::new(self.channel.clone()).max_decoding_message_size(usize::MAX)
    }

    fn with_key<T>(&self, name: &str, message: T) -> Request<T> {
        showing(message, "", &self.known.keys[name])
    }

    async fn info(&self, name: &str, id: &str) -> Answer<MatchInfo> {
        let got = self.matches().get_match(self.with_key(name, get_request(id))).await;
        Answer::of(got.map(|got| got.into_inner().r#match.unwrap()))
    }

    async fn replay(&self, name: &str, id: &str) -> Result<Box<Replay>, Status> {
        let request = GetReplayRequest { match_id: id.to_owned(), as_file: false };
        let got = self.matches().get_replay(self.with_key(name, request)).await?;
        Ok(Box::new(got.into_inner().replay.unwrap()))
    }

    async fn list(&self, name: &str) -> Result<BTreeMap<String, Option<MatchInfo>>, Status> {
        let mut listed = BTreeMap::new();
        let mut page_token = String::new();
        loop {
            let request = ListMatchesRequest {
                page_size: PAGE_SIZE,
                page_token,
                ..ListMatchesRequest::default()
            };
            let page = self.matches().list_matches(self.with_key(name, request)).await?;
            let page = page.into_inner();
            listed.extend(page.damaged_match_ids.into_iter().map(|id| (id, None)));
            for info in page.matches {
                let id = info.match_id.clone();
                if listed.insert(id.clone(), Some(info)).is_some() {
                    return Err(Status::internal(format!("{id} is listed twice")));
                }
            }
            page_token = page.next_page_token;
            if page_token.is_empty() {
                return Ok(listed);
            }
        }
    }

    /// Tries to create an invalid match. A key that may create matches is refused because of the
    /// field.
    async fn try_to_make(&self, name: &str) -> Result<(), Status> {
        let request = self.with_key(name, CreateMatchRequest::default());
        self.matches().create_match(request).await.map(|_| ())
    }

    /// Returns all messages to a bot that starts over. The bot answers a request that does not
    /// exist, and the refusal follows all other messages.
    async fn join(&self, name: &str, ticket: &str) -> Result<Vec<PlayResponse>, Status> {
        let (channel, key) = (self.channel.clone(), &self.known.keys[name]);
        let mut stream = SeatStream::open(channel, ticket, key, hello(name)).await?;
        // A lost stream is noticed when its messages are read.
        let _ = stream.decide(u32::MAX, 0).await;
        let mut received = Vec::new();
        while let Some(response) = stream.next().await? {
            match response.message {
                Some(Message::DecisionRejected(_)) => break,
                _ if response.sequence > 0 => received.push(response),
                _ => {}
            }
        }
        Ok(received)
    }
}

impl<T> Answer<T> {
    fn of(result: Result<T, Status>) -> Self {
        match result {
            Ok(received) => Self::Received(received),
            Err(status) => Self::Refused(reason(&status)),
        }
    }
}
