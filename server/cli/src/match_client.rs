//! Client for a server's match service.

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
    ApiKey, ApiKeyInterceptor, DEFAULT_SERVER_URL, KEY_VARIABLE, OptionsError, Refusal,
    SERVER_VARIABLE, TlsOptions, endpoint,
};
use clap::Args;
use tonic::{Status, Streaming, service::interceptor::InterceptedService, transport::Channel};

use super::failure::{misuse, refused};

/// Timeout of a connection attempt. A healthy server accepts connections at once.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Interval between HTTP/2 PINGs. They detect a server that disappeared without closing the
/// connection, for example after a power failure.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(20);
/// Maximum time until a PING is acknowledged.
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum number of times that a request to create a match is redirected. Several redirects can
/// occur, since a node learns other nodes' load only with a delay.
const MAX_REDIRECTS: usize = 4;
/// Maximum size of a response in bytes, not counting its replay file.
const RESPONSE_OVERHEAD_BYTES: usize = 1024;

/// The server that a command connects to.
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
    /// Connects to the server's match service.
    pub(super) async fn connect(&self) -> anyhow::Result<MatchClient> {
        let tls = self.tls.clone().into();
        MatchClient::connect_with(&self.url, self.key.as_ref(), &tls).await
    }

    /// Creates a match on the server, or on the node to which the server redirects.
    pub(super) async fn create(
        &self,
        request: CreateMatchRequest,
    ) -> anyhow::Result<CreateMatchResponse> {
        let tls = self.tls.clone().into();
        let mut client = self.connect().await?;
        let mut redirects = 0;
        loop {
            let refusal = match client.0.create_match(request.clone()).await {
                Ok(created) => return Ok(created.into_inner()),
                Err(refusal) => refusal,
            };
            let address = Refusal::from_status(&refusal).and_then(redirect_address);
            let Some(address) = address.filter(|_| redirects < MAX_REDIRECTS) else {
                return Err(refused(&refusal));
            };
            redirects += 1;
            // The redirect address has no scheme, since either all nodes use TLS or none does.
            let scheme = if self.url.starts_with("https://") {
                "https"
            } else {
                "http"
            };
            let url = format!("{scheme}://{address}");
            client = MatchClient::connect_with(&url, self.key.as_ref(), &tls).await?;
        }
    }

    /// Opens a connection for another service, with an interceptor that adds the API key to each
    /// call.
    pub(super) async fn channel(&self) -> anyhow::Result<(Channel, ApiKeyInterceptor)> {
        let channel = connect(&self.url, &self.tls.clone().into()).await?;
        Ok((channel, ApiKeyInterceptor::new(self.key.as_ref())))
    }

    /// Returns the public key with which the server signs replays.
    pub(super) async fn signing_key(&self) -> anyhow::Result<PublicKey> {
        signing_key_of(&self.url, &self.tls.clone().into()).await
    }
}

/// A connection that adds the API key to every call.
pub(super) type KeyedChannel = InterceptedService<Channel, ApiKeyInterceptor>;

/// Client for a match service.
#[derive(Clone)]
pub(super) struct MatchClient(MatchServiceClient<KeyedChannel>);

impl MatchClient {
    /// Connects to a private server with its API key.
    pub(super) async fn connect(url: &str, key: &ApiKey) -> anyhow::Result<Self> {
        Self::connect_with(url, Some(key), &TlsOptions::default()).await
    }

    async fn connect_with(
        url: &str,
        key: Option<&ApiKey>,
        tls: &TlsOptions,
    ) -> anyhow::Result<Self> {
        let channel = connect(url, tls).await?;
        let largest = usize::try_from(MAX_REPLAY_BYTES).unwrap_or(usize::MAX);
        let key_interceptor = ApiKeyInterceptor::new(key);
        Ok(Self(
            MatchServiceClient::with_interceptor(channel, key_interceptor)
                .max_decoding_message_size(largest.saturating_add(RESPONSE_OVERHEAD_BYTES)),
        ))
    }

    pub(super) async fn create(
        &mut self,
        request: CreateMatchRequest,
    ) -> anyhow::Result<CreateMatchResponse> {
        let response = self.0.create_match(request).await;
        Ok(response.map_err(|status| refused(&status))?.into_inner())
    }

    /// Returns one page of matches, newest first. `token` is the page token of the previous
    /// response.
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

    /// Returns the current state of a match.
    pub(super) async fn get(&mut self, match_id: &str) -> anyhow::Result<MatchInfo> {
        let request = GetMatchRequest {
            match_id: match_id.to_owned(),
            ..GetMatchRequest::default()
        };
        let response = self.0.get_match(request).await;
        let response = response.map_err(|status| refused(&status))?.into_inner();
        response
            .r#match
            .context("the server sent no information about the match")
    }

    /// Issues new tickets for these seats, or for all vacant seats if the list is empty.
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

    /// Closes a match's group.
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

    /// Cancels a match and returns it.
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
            .context("the server sent no information about the match")
    }

    /// Opens a stream of a match's updates.
    pub(super) async fn watch(
        &mut self,
        match_id: &str,
    ) -> Result<Streaming<WatchMatchResponse>, Status> {
        let request = WatchMatchRequest {
            match_id: match_id.to_owned(),
        };
        Ok(self.0.watch_match(request).await?.into_inner())
    }

    /// Returns the bytes of an ended match's replay file.
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
            "the server sent no replay file; its version might be too old"
        );
        Ok(file)
    }
}

/// Returns the address of another node if the refusal is a redirect.
fn redirect_address(mut refusal: Refusal) -> Option<String> {
    let address = refusal.metadata.remove("address");
    address.filter(|_| refusal.reason == "MOVED")
}

/// Returns the public key with which a server signs replays.
pub(super) async fn signing_key_of(url: &str, tls: &TlsOptions) -> anyhow::Result<PublicKey> {
    let mut catalog = CatalogServiceClient::new(connect(url, tls).await?);
    let info = catalog.get_server_info(GetServerInfoRequest {}).await;
    let info = info.map_err(|status| refused(&status))?.into_inner();
    PublicKey::from_bytes(&info.signing_key)
        .with_context(|| format!("the server at {url} has no key that signs replays"))
}

/// Connects to the first server of a comma-separated list that answers.
async fn connect(urls: &str, tls: &TlsOptions) -> anyhow::Result<Channel> {
    let mut first_error = None;
    for url in urls.split(',') {
        match connect_to(url.trim(), tls).await {
            Ok(channel) => return Ok(channel),
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    Err(first_error.unwrap_or_else(|| misuse("--server: the address is empty")))
}

async fn connect_to(url: &str, tls: &TlsOptions) -> anyhow::Result<Channel> {
    let endpoint = endpoint(url, tls).map_err(|error| match error {
        OptionsError::InvalidServerUrl { .. } => misuse(format!(
            "--server {url:?} is not a URL; use an address such as {DEFAULT_SERVER_URL}"
        )),
        other => misuse(other.to_string()),
    })?;
    endpoint
        .connect_timeout(CONNECT_TIMEOUT)
        .http2_keep_alive_interval(KEEPALIVE_INTERVAL)
        .keep_alive_timeout(KEEPALIVE_TIMEOUT)
        .connect()
        .await
        .with_context(|| format!("no server answers at {url}; start one with `bridgemaster serve`"))
}
