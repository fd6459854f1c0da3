//! Refuses and counts calls that a started bot may not make on a private server.

use std::{
    convert::Infallible,
    future::ready,
    sync::Arc,
    task::{Context, Poll},
};

use bridgemaster_edge::{
    identity::{CallingBot, ForbiddenForBot, PrivateAccess},
    transport::{ConnectionInfo, ConnectionSlots},
};
use bridgemaster_live::{Matches, RedeemedTicket};
use tonic::{
    Status,
    body::Body,
    codegen::{BoxFuture, Service, http},
    metadata::MetadataMap,
};

use super::seat_authenticator::bearer_ticket;

/// Middleware in front of all services, so that a new method is refused until it is listed as
/// allowed.
#[derive(Clone)]
pub(crate) struct LeastPrivilege<S> {
    services: S,
    /// `None` if the services check keys themselves or accept calls without keys.
    private: Option<Arc<PrivateServer>>,
}

struct PrivateServer {
    access: PrivateAccess,
    matches: Arc<Matches>,
    /// The connection slots of this port.
    slots: Arc<ConnectionSlots>,
}

impl<S> LeastPrivilege<S> {
    pub(crate) fn new(
        services: S,
        access: Option<PrivateAccess>,
        matches: &Arc<Matches>,
        slots: &Arc<ConnectionSlots>,
    ) -> Self {
        let private = |access| {
            let (matches, slots) = (Arc::clone(matches), Arc::clone(slots));
            Arc::new(PrivateServer { access, matches, slots })
        };
        let private = access.map(private);
        Self { services, private }
    }
}

impl<S> Service<http::Request<Body>> for LeastPrivilege<S>
where
    S: Service<http::Request<Body>, Response = http::Response<Body>, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Infallible>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.services.poll_ready(context)
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        match self.private.as_ref().map(|private| private.check(&request)) {
            Some(Err(refused)) => Box::pin(ready(Ok(refused.into_http()))),
            None | Some(Ok(())) => Box::pin(self.services.call(request)),
        }
    }
}

impl PrivateServer {
    fn check(&self, request: &http::Request<Body>) -> Result<(), Status> {
        let path = request.uri().path();
        let connection: Option<&ConnectionInfo> = request.extensions().get();
        let seat = self.presented_seat(request.headers());
        match self.access.check_method(request.headers(), path) {
            Ok(is_organiser) => {
                if let Some(connection) = connection {
                    self.record_owner(connection, is_organiser, seat);
                }
                Ok(())
            }
            Err(refused) => {
                let ForbiddenForBot { bot, refusal } = *refused;
                let bot = match (seat, bot) {
                    (Some(seat), _) => seat,
                    (None, CallingBot::Unknown) => connection
                        .and_then(|connection| connection.bot.get())
                        .unwrap_or(CallingBot::Unknown),
                    (None, known) => known,
                };
                self.access.record_refused(bot, path);
                Err(refusal.into())
            }
        }
    }

    /// Records the owner of a connection. The organiser's connection is protected from eviction: a
    /// bot that opens many connections must not block the organiser's calls.
    fn record_owner(
        &self,
        connection: &ConnectionInfo,
        is_organiser: bool,
        seat: Option<CallingBot>,
    ) {
        if is_organiser {
            let mut mark = [0; 32];
            mark[..2].copy_from_slice(&connection.peer.port().to_be_bytes());
            let peer = connection.peer;
            connection.protection.start(&self.slots, peer, mark);
        }
        if let Some(seat) = seat {
            connection.bot.set(seat);
        }
    }

    /// Returns the seat of the ticket that a call presents; `None` without a ticket.
    fn presented_seat(&self, headers: &http::HeaderMap) -> Option<CallingBot> {
        if !headers.contains_key(http::header::AUTHORIZATION) {
            return None;
        }
        let ticket = bearer_ticket(&MetadataMap::from_headers(headers.clone())).ok()?;
        let redeemed = RedeemedTicket::redeem(&self.matches, &ticket).ok()?;
        let (match_id, seat) = redeemed.match_and_seat();
        Some(CallingBot::Seat {
            match_id: match_id.as_str().to_owned(),
            seat: seat.number().into(),
        })
    }
}
