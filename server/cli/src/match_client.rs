//! The client of a server's match service.

use std::time::Duration;

use anyhow::Context as _;
use bridgemaster_bots::TlsArgs;
use bridgemaster_proto::v1::{
    CancelMatchRequest, CloseGroupRequest, CreateMatchRequest, CreateMatchResponse,
    GetMatchRequest, GetReplayRequest, GetServerInfoRequest, ListMatchesRequest,
    ListMatchesResponse, MatchFilter, MatchInfo, ReplaceTicketsRequest, SeatTicket,
    WatchMatchRequest, WatchMatchResponse, catalog_service_client::CatalogServiceClient,
    match_service_client::MatchServiceClient,
};
use bridgemaster_replay::{MAX_REPLAY_BYTES, PublicKey};
use bridgemaster_sdk::{
    ApiKey, DEFAULT_SERVER_URL, KEY_METADATA, KEY_VARIABLE, OptionsError, Refusal, SERVER_VARIABLE,
    TlsOptions, endpoint,
};
use clap::Args;
use tonic::{
    Request, Status, Streaming,
    metadata::{Ascii, MetadataValue},
    service::{Interceptor, interceptor::InterceptedService},
    transport::Channel,
};

use super::failure::{misuse, refused};

/// Time for a connection: a server that answers at all does so at once.
const CONNECT_TIME: Duration = Duration::from_secs(5);
/// Interval of the HTTP/2 PINGs by which a server is noticed that is gone without a word, as one is
/// whose machine lost its power.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(20);
/// Time for the answer to one.
const KEEPALIVE_TIME: Duration = Duration::from_secs(10);
/// Most times that a server sends a new match on: what servers know of each other's room is a moment
/// old.
const MOST_SENT_ON: usize = 4;
/// Bytes of an answer with a replay file around the file itself, and more.
const AROUND_A_FILE_BYTES: usize = 1024;

/// Which server a command talks to.
#[derive(Args)]
pub(super) struct ServerFlag {
    /// Address of the server
    #[arg(long = "server", value_name = "URL", env = SERVER_VARIABLE,
        default_value = DEFAULT_SERVER_URL)]
    pub(super) url: String,
    /// API key, if the server requires one
    #[arg(long, value_name = "KEY", env = KEY_VARIABLE, hide_env_values = true)]
    key: Option<ApiKey>,
    #[command(flatten)]
    tls: TlsArgs,
}

impl ServerFlag {
    /// Connects to the server.
    pub(super) async fn connect(&self) -> anyhow::Result<MatchClient> {
        let tls = self.tls.clone().into();
        MatchClient::connect_with(&self.url, self.key.as_ref(), &tls).await
    }

    /// Makes a match at the server, or at the one that it names because it has no room.
    pub(super) async fn create(
        &self,
        request: CreateMatchRequest,
    ) -> anyhow::Result<CreateMatchResponse> {
        let tls = self.tls.clone().into();
        let mut client = self.connect().await?;
        let mut sent_on = 0;
        loop {
            let refusal = match client.0.create_match(request.clone()).await {
                Ok(created) => return Ok(created.into_inner()),
                Err(refusal) => refusal,
            };
            let address = Refusal::from_status(&refusal).and_then(moved_to);
            let Some(address) = address.filter(|_| sent_on < MOST_SENT_ON) else {
                return Err(refused(&refusal));
            };
            sent_on += 1;
            // An address says nothing of TLS: the same way as here.
            let scheme = match self.url.starts_with("https://") {
                true => "https",
                false => "http",
            };
            let url = format!("{scheme}://{address}");
            client = MatchClient::connect_with(&url, self.key.as_ref(), &tls).await?;
        }
    }

    /// A connection for another service, and what shows the key on it.
    pub(super) async fn channel(&self) -> anyhow::Result<(Channel, ShowKey)> {
        let channel = connect(&self.url, &self.tls.clone().into()).await?;
        Ok((channel, ShowKey(self.key.as_ref().map(ApiKey::metadata))))
    }

    /// The public key with which the server says that it signs replays.
    pub(super) async fn signing_key(&self) -> anyhow::Result<PublicKey> {
        signing_key_of(&self.url, &self.tls.clone().into()).await
    }
}

/// Shows the key in every call.
#[derive(Clone)]
pub(super) struct ShowKey(Option<MetadataValue<Ascii>>);

impl Interceptor for ShowKey {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(key) = &self.0 {
            request.metadata_mut().insert(KEY_METADATA, key.clone());
        }
        Ok(request)
    }
}

/// A connection on which the key is shown.
pub(super) type KeyedChannel = InterceptedService<Channel, ShowKey>;

/// A connection to a server's match service.
#[derive(Clone)]
pub(super) struct MatchClient(MatchServiceClient<KeyedChannel>);

impl MatchClient {
    /// Connects to the server at `url`, which asks for no key and encrypts nothing.
    pub(super) async fn connect(url: &str) -> anyhow::Result<Self> {
        Self::connect_with(url, None, &TlsOptions::default()).await
    }

    async fn connect_with(
        url: &str,
        key: Option<&ApiKey>,
        tls: &TlsOptions,
    ) -> anyhow::Result<Self> {
        let channel = connect(url, tls).await?;
        let largest = usize::try_from(MAX_REPLAY_BYTES).unwrap_or(usize::MAX);
        let show_key = ShowKey(key.map(ApiKey::metadata));
        Ok(Self(
            MatchServiceClient::with_interceptor(channel, show_key)
                .max_decoding_message_size(largest.saturating_add(AROUND_A_FILE_BYTES)),
        ))
    }

    /// Makes a match.
    pub(super) async fn create(
        &mut self,
        request: CreateMatchRequest,
    ) -> anyhow::Result<CreateMatchResponse> {
        let response = self.0.create_match(request).await;
        Ok(response.map_err(|status| refused(&status))?.into_inner())
    }

    /// A part of the list of matches, the newest first; it goes on at the token of the part before.
    pub(super) async fn list(
        &mut self,
        filter: MatchFilter,
        page_size: u32,
        page_token: String,
    ) -> anyhow::Result<ListMatchesResponse> {
        let request = ListMatchesRequest {
            filter: Some(filter),
            page_size,
            page_token,
        };
        let response = self.0.list_matches(request).await;
        Ok(response.map_err(|status| refused(&status))?.into_inner())
    }

    /// What is known of a match.
    pub(super) async fn get(&mut self, match_id: &str) -> anyhow::Result<MatchInfo> {
        let request = GetMatchRequest {
            match_id: match_id.to_owned(),
            ..GetMatchRequest::default()
        };
        let response = self.0.get_match(request).await;
        let response = response.map_err(|status| refused(&status))?.into_inner();
        response
            .r#match
            .context("the server told nothing of the match")
    }

    /// Gives seats new tickets: these, or all to which no bot has come.
    pub(super) async fn replace_tickets(
        &mut self,
        match_id: &str,
        seats: Vec<u32>,
    ) -> anyhow::Result<Vec<SeatTicket>> {
        let request = ReplaceTicketsRequest {
            match_id: match_id.to_owned(),
            seats,
        };
        let response = self.0.replace_tickets(request).await;
        let response = response.map_err(|status| refused(&status))?;
        Ok(response.into_inner().tickets)
    }

    /// Gives the group of a match up.
    pub(super) async fn close_group(&mut self, match_id: &str) -> anyhow::Result<()> {
        let match_id = match_id.to_owned();
        let closed = self
            .0
            .close_group(CloseGroupRequest {
                match_id,
                ..CloseGroupRequest::default()
            })
            .await;
        closed.map(|_| ()).map_err(|status| refused(&status))
    }

    /// Cancels a match.
    pub(super) async fn cancel(
        &mut self,
        match_id: &str,
        reason: String,
    ) -> anyhow::Result<MatchInfo> {
        let request = CancelMatchRequest {
            match_id: match_id.to_owned(),
            reason,
        };
        let response = self.0.cancel_match(request).await;
        let response = response.map_err(|status| refused(&status))?.into_inner();
        response
            .r#match
            .context("the server told nothing of the match")
    }

    /// Follows a match.
    pub(super) async fn watch(
        &mut self,
        match_id: &str,
    ) -> Result<Streaming<WatchMatchResponse>, Status> {
        let request = WatchMatchRequest {
            match_id: match_id.to_owned(),
        };
        Ok(self.0.watch_match(request).await?.into_inner())
    }

    /// The bytes of the replay file of a match that has ended.
    pub(super) async fn replay_file(&mut self, match_id: &str) -> anyhow::Result<Vec<u8>> {
        let request = GetReplayRequest {
            match_id: match_id.to_owned(),
            as_file: true,
        };
        let response = self
            .0
            .get_replay(request)
            .await
            .map_err(|status| refused(&status))?;
        let file = response.into_inner().file;
        anyhow::ensure!(
            !file.is_empty(),
            "the server sent no replay file; it may be of an older version"
        );
        Ok(file)
    }
}

/// Where a refusal sends the caller, if it does.
fn moved_to(mut refusal: Refusal) -> Option<String> {
    let address = refusal.metadata.remove("address");
    address.filter(|_| refusal.reason == "MOVED")
}

/// The public key with which a server says that it signs replays.
pub(super) async fn signing_key_of(url: &str, tls: &TlsOptions) -> anyhow::Result<PublicKey> {
    let mut catalog = CatalogServiceClient::new(connect(url, tls).await?);
    let info = catalog.get_server_info(GetServerInfoRequest {}).await;
    let info = info.map_err(|status| refused(&status))?.into_inner();
    PublicKey::from_bytes(&info.signing_key)
        .with_context(|| format!("the server at {url} tells no key that signs replays"))
}

/// Connects to a server, or to the first that answers of those with commas between them.
async fn connect(urls: &str, tls: &TlsOptions) -> anyhow::Result<Channel> {
    let mut failed = None;
    for url in urls.split(',') {
        match connect_to(url.trim(), tls).await {
            Ok(channel) => return Ok(channel),
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    Err(failed.unwrap_or_else(|| misuse("--server: no address is given")))
}

async fn connect_to(url: &str, tls: &TlsOptions) -> anyhow::Result<Channel> {
    let endpoint = endpoint(url, tls).map_err(|error| match error {
        OptionsError::ServerUrl { .. } => misuse(format!(
            "--server {url:?} is no address such as {DEFAULT_SERVER_URL}"
        )),
        other => misuse(other.to_string()),
    })?;
    endpoint
        .connect_timeout(CONNECT_TIME)
        .http2_keep_alive_interval(KEEPALIVE_INTERVAL)
        .keep_alive_timeout(KEEPALIVE_TIME)
        .connect()
        .await
        .with_context(|| format!("no server answers at {url}; `bridgemaster serve` starts one"))
}
