//! Attending a queue of a server whose answers the tests script.

use std::{
    net::SocketAddr,
    pin::Pin,
    sync::atomic::{AtomicBool, Ordering},
};

use bridgemaster_sdk::{
    AttendOptions, Connection,
    v1::{
        self, AttendResponse, AttendanceState, attend_response,
        lobby_service_server::{LobbyService, LobbyServiceServer},
    },
};
use tokio::{net::TcpListener, sync::mpsc};
use tokio_stream::{Stream, StreamExt as _, wrappers::TcpListenerStream};
use tonic::{Request, Response, Status, transport::Server};

use crate::scripted_server::within_timeout;

#[tokio::test]
async fn a_failed_report_of_busy_slots_is_repeated() {
    let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (updates, mut reports) = mpsc::unbounded_channel();
    let lobby = ScriptedLobby { updates, has_failed: AtomicBool::new(false) };
    let serving = Server::builder()
        .add_service(LobbyServiceServer::new(lobby))
        .serve_with_incoming(TcpListenerStream::new(listener));
    tokio::spawn(serving);
    let connection = Connection::new(&url).unwrap();
    let options = AttendOptions::new(&url, "league", "puppet");
    let mut attendance = connection.attendance(options).unwrap();
    let attending = async { while attendance.next().await.unwrap().is_some() {} };
    let reporting = async {
        // The server counts a busy slot, and the bot has none. The first report fails.
        for _ in 0..2 {
            let report = reports.recv().await.unwrap();
            assert_eq!(report.busy_slots, Some(0));
        }
    };
    within_timeout("two reports", async {
        tokio::select! {
            () = attending => panic!("the stream has ended"),
            () = reporting => {}
        }
    })
    .await;
}

/// A LobbyService that counts a busy slot, and fails the first update of the attendance.
struct ScriptedLobby {
    updates: mpsc::UnboundedSender<v1::UpdateAttendanceRequest>,
    has_failed: AtomicBool,
}

type Responses<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

#[tonic::async_trait]
impl LobbyService for ScriptedLobby {
    type AttendStream = Responses<AttendResponse>;
    type WatchQueueStream = Responses<v1::WatchQueueResponse>;

    async fn attend(
        &self,
        _: Request<v1::AttendRequest>,
    ) -> Result<Response<Self::AttendStream>, Status> {
        let attendance = v1::Attendance {
            attendance_id: "a1".to_owned(),
            slots: 1,
            busy_slots: 1,
            state: AttendanceState::Active.into(),
            ..Default::default()
        };
        let message = Some(attend_response::Message::Attendance(attendance));
        let first = tokio_stream::once(Ok::<_, Status>(AttendResponse { message }));
        // The stream stays open.
        Ok(Response::new(Box::pin(first.chain(tokio_stream::pending()))))
    }

    async fn update_attendance(
        &self,
        request: Request<v1::UpdateAttendanceRequest>,
    ) -> Result<Response<v1::UpdateAttendanceResponse>, Status> {
        self.updates
            .send(request.into_inner())
            .map_err(|_| Status::unavailable("the test is over"))?;
        if self.has_failed.swap(true, Ordering::SeqCst) {
            return Ok(Response::new(v1::UpdateAttendanceResponse::default()));
        }
        Err(Status::unavailable("the first update fails"))
    }

    async fn leave_queue(
        &self,
        _: Request<v1::LeaveQueueRequest>,
    ) -> Result<Response<v1::LeaveQueueResponse>, Status> {
        Err(Status::unimplemented("not scripted"))
    }

    async fn decline_offer(
        &self,
        _: Request<v1::DeclineOfferRequest>,
    ) -> Result<Response<v1::DeclineOfferResponse>, Status> {
        Err(Status::unimplemented("not scripted"))
    }

    async fn create_queue(
        &self,
        _: Request<v1::CreateQueueRequest>,
    ) -> Result<Response<v1::CreateQueueResponse>, Status> {
        Err(Status::unimplemented("not scripted"))
    }

    async fn delete_queue(
        &self,
        _: Request<v1::DeleteQueueRequest>,
    ) -> Result<Response<v1::DeleteQueueResponse>, Status> {
        Err(Status::unimplemented("not scripted"))
    }

    async fn list_queues(
        &self,
        _: Request<v1::ListQueuesRequest>,
    ) -> Result<Response<v1::ListQueuesResponse>, Status> {
        Err(Status::unimplemented("not scripted"))
    }

    async fn watch_queue(
        &self,
        _: Request<v1::WatchQueueRequest>,
    ) -> Result<Response<Self::WatchQueueStream>, Status> {
        Err(Status::unimplemented("not scripted"))
    }
}
