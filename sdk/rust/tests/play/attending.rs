//! Attending a queue of a server whose answers the tests script.

use std::{
    net::SocketAddr,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use bridgemaster_sdk::{
    AttendEvent, AttendOptions, AttendanceSession, Connection,
    v1::{
        self, AttendResponse, AttendanceState, attend_response,
        lobby_service_server::{LobbyService, LobbyServiceServer},
    },
};
use tokio::{
    net::TcpListener,
    sync::{
        Semaphore,
        mpsc::{self, unbounded_channel},
    },
    task::yield_now,
};
use tokio_stream::{Stream, StreamExt as _, wrappers::TcpListenerStream};
use tonic::{Request, Response, Status, transport::Server};

use crate::scripted_server::within_timeout;

#[tokio::test]
async fn a_failed_report_of_busy_slots_is_repeated() {
    let mut lobby = Lobby::start().await;
    let mut attendance = lobby.attendance();
    lobby.answers.add_permits(1);
    let attending = async { while attendance.next().await.unwrap().is_some() {} };
    let reporting = async {
        // The server counts a busy slot, and the bot has none. The first report fails.
        for _ in 0..2 {
            let report = lobby.updates.recv().await.unwrap();
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

#[tokio::test]
async fn a_stream_is_opened_once_however_often_next_is_dropped() {
    let mut lobby = Lobby::start().await;
    let mut attendance = lobby.attendance();
    let request = within_timeout("the call", async {
        tokio::select! {
            event = attendance.next() => panic!("{event:?} before the server has answered"),
            request = lobby.attends.recv() => request.unwrap(),
        }
    });
    assert_eq!(request.await.stream_number, 1);
    for _ in 0..10 {
        tokio::select! {
            biased;
            event = attendance.next() => panic!("{event:?} before the server has answered"),
            () = yield_now() => {}
        }
    }
    lobby.answers.add_permits(2);
    let event = within_timeout("the attendance", attendance.next()).await.unwrap();
    assert!(matches!(event, Some(AttendEvent::Attendance(_))), "{event:?}");
    assert!(lobby.attends.try_recv().is_err(), "a second call");
}

/// The test's ends of the channels of a [`ScriptedLobby`].
struct Lobby {
    url: String,
    attends: mpsc::UnboundedReceiver<v1::AttendRequest>,
    updates: mpsc::UnboundedReceiver<v1::UpdateAttendanceRequest>,
    /// A call to attend is answered with a permit.
    answers: Arc<Semaphore>,
}

impl Lobby {
    async fn start() -> Self {
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let ((attends, attended), (updates, updated)) = (unbounded_channel(), unbounded_channel());
        let answers = Arc::new(Semaphore::new(0));
        let has_failed = AtomicBool::new(false);
        let lobby = ScriptedLobby { attends, updates, answers: Arc::clone(&answers), has_failed };
        let serving = Server::builder()
            .add_service(LobbyServiceServer::new(lobby))
            .serve_with_incoming(TcpListenerStream::new(listener));
        tokio::spawn(serving);
        Self { url, attends: attended, updates: updated, answers }
    }

    fn attendance(&self) -> AttendanceSession {
        let options = AttendOptions::new(&self.url, "league", "puppet");
        Connection::new(&self.url).unwrap().attendance(options).unwrap()
    }
}

/// A LobbyService that counts a busy slot, and fails the first update of the attendance.
struct ScriptedLobby {
    attends: mpsc::UnboundedSender<v1::AttendRequest>,
    updates: mpsc::UnboundedSender<v1::UpdateAttendanceRequest>,
    answers: Arc<Semaphore>,
    has_failed: AtomicBool,
}

type Responses<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

#[tonic::async_trait]
impl LobbyService for ScriptedLobby {
    type AttendStream = Responses<AttendResponse>;
    type WatchQueueStream = Responses<v1::WatchQueueResponse>;

    async fn attend(
        &self,
        request: Request<v1::AttendRequest>,
    ) -> Result<Response<Self::AttendStream>, Status> {
        self.attends
            .send(request.into_inner())
            .map_err(|_| Status::unavailable("the test is over"))?;
        self.answers.acquire().await.unwrap().forget();
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
