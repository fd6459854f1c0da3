//! Refuses and counts calls that a started bot may not make on a private server.

use std::sync::Arc;

use bridgemaster_edge::{
    identity::{CallingBot, ForbiddenForBot, PrivateAccess},
    transport::{Calls, ConnectionInfo, ConnectionSlots},
};
use bridgemaster_live::{Matches, RedeemedTicket};
use tonic::{Status, body::Body, codegen::http, metadata::MetadataMap};
use tower::service_fn;

use super::seat_authenticator::bearer_ticket;

struct PrivateServer {
    access: PrivateAccess,
    matches: Arc<Matches>,
    /// The connection slots of this port.
    slots: Arc<ConnectionSlots>,
}

/// Refuses calls that a started bot may not make. Stands in front of all services, so that a new
/// method is refused until it is listed as allowed. Without `access`, the services check keys
/// themselves or accept calls without keys. `slots` are the connection slots of the port.
pub(crate) fn with_least_privilege<S: Calls>(
    services: S,
    access: Option<PrivateAccess>,
    matches: Arc<Matches>,
    slots: Arc<ConnectionSlots>,
) -> impl Calls {
    let private = access.map(|access| Arc::new(PrivateServer { access, matches, slots }));
    service_fn(move |request: http::Request<Body>| {
        let (mut services, private) = (services.clone(), private.clone());
        async move {
            match private.map(|private| private.check(&request)) {
                Some(Err(refused)) => Ok(refused.into_http()),
                None | Some(Ok(())) => services.call(request).await,
            }
        }
    })
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
