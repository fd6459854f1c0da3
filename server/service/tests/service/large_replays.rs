//! Replays that are much larger than those of ordinary matches.

use bridgemaster_proto::v1::GetReplayRequest;
use bridgemaster_replay::{decode, encode_unsigned};
use bridgemaster_server::Limits;
use bridgemaster_store::Write;

use crate::test_server::{TestServer, memory, without_bots};

const MIB: usize = 1024 * 1024;

#[tokio::test]
async fn replays_of_two_mebibytes_are_read_in_full_also_concurrently() {
    let played = memory();
    let mut server = TestServer::over(&played, Limits::default()).await;
    let match_id = server.create(without_bots()).await.match_id;
    server.result(&match_id).await;
    server.crash().await;
    let finished = played.finished(None, 1).await.unwrap().matches;
    let finished = finished.into_iter().next().unwrap();
    let replay = played.replay(&finished.match_id).await.unwrap().unwrap();
    let mut replay = decode(&replay).unwrap().replay;
    replay.server_version = "x".repeat(2 * MIB);
    let large = encode_unsigned(&replay);
    assert!(large.len() > 2 * MIB);

    let store = memory();
    let open = Write::OpenMatch {
        match_id: finished.match_id.clone(),
        opened_at_unix_ms: finished.opened_at_unix_ms,
        header: Vec::new(),
    };
    let finish = Write::FinishMatch {
        match_id: finished.match_id,
        ended_at_unix_ms: finished.ended_at_unix_ms,
        summary: finished.summary,
        replay: large.clone(),
        parties: Vec::new(),
        index_keys: Vec::new(),
    };
    store.commit(vec![open, finish]).await.unwrap();
    let server = TestServer::over(&store, Limits::default()).await;
    let client = server.matches();
    // Together they exceed the limit on unread bytes of one connection, so they are read in turns.
    let reads = (0..6).map(|n| {
        let (mut client, match_id) = (client.clone(), match_id.clone());
        let request = GetReplayRequest { match_id, as_file: n % 2 == 0 };
        tokio::spawn(async move { client.get_replay(request).await })
    });
    for read in reads.collect::<Vec<_>>() {
        let answer = read.await.unwrap().unwrap().into_inner();
        match answer.replay {
            Some(read) => assert_eq!(read.server_version, replay.server_version),
            None => assert!(answer.file == large, "{} bytes", answer.file.len()),
        }
    }
}
