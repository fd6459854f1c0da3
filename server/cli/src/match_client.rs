//! Client for a server's match service.

use anyhow::Context as _;
use bridgemaster_bots::TlsArgs;
use bridgemaster_proto::v1::{
    GetMatchRequest, GetReplayRequest, GetServerInfoRequest, MatchInfo,
    catalog_service_client::CatalogServiceClient, match_service_client::MatchServiceClient,
};
use bridgemaster_replay::{MAX_REPLAY_BYTES, PublicKey};
use bridgemaster_sdk::{
    ApiKey, ApiKeyInterceptor, Connection, DEFAULT_SERVER_URL, KEY_VARIABLE, OptionsError,
    SERVER_VARIABLE, TlsOptions,
};
use clap::Args;
use tonic::{Response, Status, service::interceptor::InterceptedService, transport::Channel};

use super::failure::{misuse, refused};

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
    pub(super) key: Option<ApiKey>,
    #[command(flatten)]
    pub(super) tls: TlsArgs,
}

impl ServerFlag {
    /// Connects to the server's match service.
    pub(super) async fn connect(&self) -> anyhow::Result<MatchClient> {
        let tls = self.tls.clone().into();
        connect_with(&self.url, self.key.as_ref(), &tls).await
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
pub(super) type MatchClient = MatchServiceClient<KeyedChannel>;

/// Connects to a private server with its API key.
pub(super) async fn connect_privately(url: &str, key: &ApiKey) -> anyhow::Result<MatchClient> {
    connect_with(url, Some(key), &TlsOptions::default()).await
}

async fn connect_with(
    url: &str,
    key: Option<&ApiKey>,
    tls: &TlsOptions,
) -> anyhow::Result<MatchClient> {
    let channel = connect(url, tls).await?;
    let largest = usize::try_from(MAX_REPLAY_BYTES).unwrap_or(usize::MAX);
    let client = MatchServiceClient::with_interceptor(channel, ApiKeyInterceptor::new(key));
    Ok(client.max_decoding_message_size(largest.saturating_add(RESPONSE_OVERHEAD_BYTES)))
}

/// Returns the message of a call's response.
pub(super) fn message<T>(response: Result<Response<T>, Status>) -> anyhow::Result<T> {
    Ok(response.map_err(|status| refused(&status))?.into_inner())
}

/// Returns the match in a response.
pub(super) fn match_of(info: Option<MatchInfo>) -> anyhow::Result<MatchInfo> {
    info.context("the server sent no information about the match")
}

/// Returns the current state of a match.
pub(super) async fn get_match(
    client: &mut MatchClient,
    match_id: &str,
) -> anyhow::Result<MatchInfo> {
    let request = GetMatchRequest { match_id: match_id.to_owned(), ..GetMatchRequest::default() };
    match_of(message(client.get_match(request).await)?.r#match)
}

/// Returns the bytes of a finished match's replay file.
pub(super) async fn replay_file(
    client: &mut MatchClient,
    match_id: &str,
) -> anyhow::Result<Vec<u8>> {
    let request = GetReplayRequest { match_id: match_id.to_owned(), as_file: true };
    let file = message(client.get_replay(request).await)?.file;
    anyhow::ensure!(
        !file.is_empty(),
        "the server sent no replay file; its version might be too old"
    );
    Ok(file)
}

/// Returns the items of all pages. `page` fetches the page with a token, and returns its items and
/// the token of the next page.
pub(super) async fn all_pages<T>(
    page: impl AsyncFnMut(String) -> anyhow::Result<(Vec<T>, String)>,
) -> anyhow::Result<Vec<T>> {
    first_items(usize::MAX, page).await
}

/// Like [`all_pages`], but stops after the page with which there are at least `count` items.
pub(super) async fn first_items<T>(
    count: usize,
    mut page: impl AsyncFnMut(String) -> anyhow::Result<(Vec<T>, String)>,
) -> anyhow::Result<Vec<T>> {
    let (mut found, mut token) = (Vec::new(), String::new());
    loop {
        let (items, next) = page(token).await?;
        found.extend(items);
        if next.is_empty() || found.len() >= count {
            return Ok(found);
        }
        token = next;
    }
}

/// Returns the public key with which a server signs replays.
pub(super) async fn signing_key_of(url: &str, tls: &TlsOptions) -> anyhow::Result<PublicKey> {
    let mut catalog = CatalogServiceClient::new(connect(url, tls).await?);
    let info = message(catalog.get_server_info(GetServerInfoRequest {}).await)?;
    PublicKey::from_bytes(&info.signing_key)
        .with_context(|| format!("the server at {url} has no key that signs replays"))
}

/// Connects to the first server of a comma-separated list that answers.
async fn connect(urls: &str, tls: &TlsOptions) -> anyhow::Result<Channel> {
    let connection = Connection::with_tls(urls, tls).map_err(|error| match error {
        OptionsError::InvalidServerUrl { url, problem } => misuse(format!(
            "--server {url:?}: {problem}; use an address such as {DEFAULT_SERVER_URL}"
        )),
        other => misuse(other.to_string()),
    })?;
    connection.connect().await.with_context(|| {
        format!("no server answers at {urls}; start one with `bridgemaster serve`")
    })
}
