//! Answers of a server to all requests about a data folder.

use std::{collections::BTreeMap, time::Duration};

use bridgemaster_proto::v1::{
    CreateMatchRequest, Decision, GetMatchRequest, GetReplayRequest, Hello, ListMatchesRequest,
    MatchInfo, PlayRequest, PlayResponse, Replay, decision::Choice,
    match_service_client::MatchServiceClient, play_request, play_response::Message,
    play_service_client::PlayServiceClient,
};
use bridgemaster_server::identity::KEY_METADATA;
use tokio::{sync::mpsc, time::timeout};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Status, transport::Channel};
use tonic_types::StatusExt as _;

use crate::{fixture::Known, served::Served};

/// Longest wait for one answer.
const PATIENCE: Duration = Duration::from_secs(120);
/// Matches of one page of a list: several pages.
const PAGE_SIZE: u32 = 3;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Answer<T> {
    Received(T),
    /// By the name of its reason, or of its code if it has none.
    Refused(String),
}

/// All answers of a server.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answers {
    /// By identifier.
    pub(crate) matches: BTreeMap<String, Answer<MatchInfo>>,
    /// Of finished matches, by identifier.
    pub(crate) replays: BTreeMap<String, Answer<Box<Replay>>>,
    /// `None` for a match that is listed as damaged.
    pub(crate) listed: Answer<BTreeMap<String, Option<MatchInfo>>>,
    /// Messages to a bot that joins a match in play from its start, by match.
    pub(crate) seats: BTreeMap<String, Answer<Vec<PlayResponse>>>,
    /// Rights of a key to see a match and to create one, by its name.
    pub(crate) keys: BTreeMap<&'static str, [Answer<()>; 2]>,
}

impl Answers {
    /// Asks everything.
    pub(crate) fn of(server: &Served, known: &Known) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let asked = timeout(PATIENCE, ask(server, known)).await;
            asked.expect("a server answers")
        })
    }
}

async fn ask(server: &Served, known: &Known) -> Answers {
    let channel = Channel::from_shared(server.url.clone()).unwrap();
    let client = MatchClient {
        channel: channel.connect().await.unwrap(),
        known,
    };
    let reader = client.reader().await;
    let mut answers = Answers {
        matches: BTreeMap::new(),
        replays: BTreeMap::new(),
        listed: client.list(reader).await,
        seats: BTreeMap::new(),
        keys: BTreeMap::new(),
    };
    for id in known.finished.iter().chain(&known.in_play) {
        let info = client.info(reader, id).await;
        answers.matches.insert(id.clone(), info);
    }
    for id in &known.finished {
        let replay = client.replay(reader, id).await;
        answers.replays.insert(id.clone(), replay);
    }
    for &name in known.keys.keys() {
        let sees = match client.info(name, &known.finished[0]).await {
            // Who may not see a match is not to learn whether there is one.
            Answer::Refused(reason) if reason == "SCOPE_MISSING" => {
                Answer::Refused("MATCH_UNKNOWN".to_owned())
            }
            info => info.map(|_| ()),
        };
        let makes = client.try_to_make(name).await;
        answers.keys.insert(name, [sees, makes]);
    }
    for (id, (ticket, name)) in known.in_play.iter().zip(&known.seats) {
        let received = client.join(name, ticket).await;
        answers.seats.insert(id.clone(), received);
    }
    answers
}

struct MatchClient<'a> {
    channel: Channel,
    known: &'a Known,
}

impl MatchClient<'_> {
    fn matches(&self) -> MatchServiceClient<Channel> {
        MatchServiceClient::new(self.channel.clone())
    }

    fn with_key<T>(&self, name: &str, message: T) -> Request<T> {
        let mut request = Request::new(message);
        let key = self.known.keys[name].parse().unwrap();
        request.metadata_mut().insert(KEY_METADATA, key);
        request
    }

    /// The name of a key that may still see everything: there are two, and one may be damaged.
    async fn reader(&self) -> &'static str {
        match self.info("reader", "").await {
            Answer::Refused(reason) if reason != "MATCH_UNKNOWN" => "other reader",
            _ => "reader",
        }
    }

    async fn info(&self, name: &str, id: &str) -> Answer<MatchInfo> {
        let request = GetMatchRequest {
            match_id: id.to_owned(),
            ..GetMatchRequest::default()
        };
        let got = self.matches().get_match(self.with_key(name, request)).await;
        Answer::from(got).map(|got| got.into_inner().r#match.unwrap())
    }

    async fn replay(&self, name: &str, id: &str) -> Answer<Box<Replay>> {
        let request = GetReplayRequest {
            match_id: id.to_owned(),
            as_file: false,
        };
        let got = self
            .matches()
            .max_decoding_message_size(usize::MAX)
            .get_replay(self.with_key(name, request))
            .await;
        Answer::from(got).map(|got| Box::new(got.into_inner().replay.unwrap()))
    }

    async fn list(&self, name: &str) -> Answer<BTreeMap<String, Option<MatchInfo>>> {
        let mut matches = self.matches();
        let mut listed = BTreeMap::new();
        let mut page_token = String::new();
        loop {
            let request = ListMatchesRequest {
                page_size: PAGE_SIZE,
                page_token,
                ..ListMatchesRequest::default()
            };
            let page = matches.list_matches(self.with_key(name, request)).await;
            let page = match Answer::from(page) {
                Answer::Received(page) => page.into_inner(),
                Answer::Refused(reason) => return Answer::Refused(reason),
            };
            for id in page.damaged_match_ids {
                listed.insert(id, None);
            }
            for info in page.matches {
                let id = info.match_id.clone();
                if listed.insert(id.clone(), Some(info)).is_some() {
                    return Answer::Refused(format!("{id} is listed twice"));
                }
            }
            page_token = page.next_page_token;
            if page_token.is_empty() {
                return Answer::Received(listed);
            }
        }
    }

    /// Asks for a match that cannot be: whoever may make matches is told what is wrong with it.
    async fn try_to_make(&self, name: &str) -> Answer<()> {
        let request = self.with_key(name, CreateMatchRequest::default());
        Answer::from(self.matches().create_match(request).await).map(|_| ())
    }

    /// All that a bot is told that begins anew. It answers a request that there never was: the
    /// refusal comes after everything else.
    async fn join(&self, name: &str, ticket: &str) -> Answer<Vec<PlayResponse>> {
        let (outbound, messages) = mpsc::channel(2);
        let hello = Hello {
            protocol_revision: 1,
            bot_name: name.to_owned(),
            bot_version: "1".to_owned(),
            ..Hello::default()
        };
        let first = PlayRequest {
            message: Some(play_request::Message::Hello(hello)),
        };
        let never_asked = PlayRequest {
            message: Some(play_request::Message::Decision(Decision {
                request_id: u32::MAX,
                choice: Some(Choice::Index(0)),
                ..Decision::default()
            })),
        };
        for message in [first, never_asked] {
            outbound.send(message).await.unwrap();
        }
        let mut request = self.with_key(name, ReceiverStream::new(messages));
        let bearer = format!("Bearer {ticket}").parse().unwrap();
        request.metadata_mut().insert("authorization", bearer);
        let mut player = PlayServiceClient::new(self.channel.clone());
        let mut stream = match Answer::from(player.play(request).await) {
            Answer::Received(stream) => stream.into_inner(),
            Answer::Refused(reason) => return Answer::Refused(reason),
        };
        let mut received = Vec::new();
        loop {
            match stream.message().await {
                Ok(Some(response)) => match response.message {
                    Some(Message::DecisionRejected(_)) => return Answer::Received(received),
                    _ if response.sequence > 0 => received.push(response),
                    _ => {}
                },
                Ok(None) => return Answer::Received(received),
                Err(status) => return Answer::from(Err(status)),
            }
        }
    }
}

impl<T> Answer<T> {
    /// A told one, changed.
    fn map<U>(self, change: impl FnOnce(T) -> U) -> Answer<U> {
        match self {
            Self::Received(received) => Answer::Received(change(received)),
            Self::Refused(reason) => Answer::Refused(reason),
        }
    }
}

impl<T> From<Result<T, Status>> for Answer<T> {
    fn from(result: Result<T, Status>) -> Self {
        match result {
            Ok(received) => Self::Received(received),
            Err(status) => {
                let reason = status.get_details_error_info().map(|info| info.reason);
                Self::Refused(reason.unwrap_or_else(|| format!("{:?}", status.code())))
            }
        }
    }
}
