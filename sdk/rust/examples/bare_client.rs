//! Answers an `instant_server` with only the gRPC library. This is the baseline with which
//! `.ci/languages` compares the SDK.

use std::{env, error::Error};

use bridgemaster_sdk::v1::{
    self, decision::Choice, play_request, play_response, play_service_client::PlayServiceClient,
};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Channel;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = env::var("BRIDGEMASTER_SERVER")?;
    let channel = Channel::from_shared(server)?.connect().await?;
    let (outbound, requests) = mpsc::channel(4);
    let send = async |message| {
        let request = v1::PlayRequest { message: Some(message) };
        outbound.send(request).await
    };
    send(play_request::Message::Hello(v1::Hello::default())).await?;
    let mut client = PlayServiceClient::new(channel);
    let call = client.play(ReceiverStream::new(requests)).await?;
    let mut responses = call.into_inner();
    while let Some(response) = responses.message().await? {
        match response.message {
            Some(play_response::Message::DecisionRequest(asked)) => {
                let decision = v1::Decision {
                    request_id: asked.request_id,
                    choice: Some(Choice::Index(asked.legal_count / 2)),
                    ..Default::default()
                };
                send(play_request::Message::Decision(decision)).await?;
            }
            Some(play_response::Message::MatchEnded(_)) => break,
            _ => {}
        }
    }
    Ok(())
}
