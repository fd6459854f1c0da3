//! Calls to a server's ladder service that several commands make.

use anyhow::Context as _;
use bridgemaster_proto::v1::{
    ExportResultsRequest, GetLadderRequest, Ladder, ListStandingsRequest, Standing,
    ladder_service_client::LadderServiceClient,
};
use tonic::Streaming;

use crate::{
    failure::refused,
    match_client::{KeyedChannel, ServerFlag, all_pages, message},
};

/// Number of entries that are requested per page.
pub(super) const PAGE_SIZE: u32 = 500;

/// Client for a ladder service.
pub(super) type LadderClient = LadderServiceClient<KeyedChannel>;

/// Connects to the server's ladder service.
pub(super) async fn connect(server: &ServerFlag) -> anyhow::Result<LadderClient> {
    let (channel, key) = server.channel().await?;
    Ok(LadderServiceClient::with_interceptor(channel, key))
}

/// Returns a streamed file's next chunk. Returns `None` at the end of the file.
pub(super) async fn next_part<T>(parts: &mut Streaming<T>) -> anyhow::Result<Option<T>> {
    parts.message().await.map_err(|status| refused(&status))
}

/// Returns the ladder in a response.
pub(super) fn ladder_of(ladder: Option<Ladder>) -> anyhow::Result<Ladder> {
    ladder.context("the server sent no information about the ladder")
}

/// Requests the ladder with this id from the server.
pub(super) async fn get(client: &mut LadderClient, ladder_id: &str) -> anyhow::Result<Ladder> {
    let ladder_id = ladder_id.to_owned();
    let response = client.get_ladder(GetLadderRequest { ladder_id }).await;
    ladder_of(message(response)?.ladder)
}

/// Returns a ladder's standings, strongest bot first.
pub(super) async fn standings(
    client: &mut LadderClient,
    ladder_id: &str,
    all_versions: bool,
) -> anyhow::Result<Vec<Standing>> {
    all_pages(async |page_token| {
        let request = ListStandingsRequest {
            ladder_id: ladder_id.to_owned(),
            all_versions,
            page_size: PAGE_SIZE,
            page_token,
        };
        let page = message(client.list_standings(request).await)?;
        Ok((page.standings, page.next_page_token))
    })
    .await
}

/// Returns all results as a CSV file.
pub(super) async fn results(client: &mut LadderClient, ladder_id: &str) -> anyhow::Result<Vec<u8>> {
    let ladder_id = ladder_id.to_owned();
    let export = client.export_results(ExportResultsRequest { ladder_id });
    let mut parts = message(export.await)?;
    let mut file = Vec::new();
    while let Some(part) = next_part(&mut parts).await? {
        file.extend(part.chunk);
    }
    Ok(file)
}
