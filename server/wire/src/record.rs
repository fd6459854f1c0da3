//! Records on the wire.

use bridgemaster_proto::{
    games::WireGame,
    v1::{self, record},
};
use bridgemaster_referee::{DecidedBy, Record, RecordEntry};

use super::{message::charge_to_wire, seat::fault_to_wire, seat_to_wire};

/// A record of a match.
pub fn record_to_wire<G: WireGame>(record: &Record<G>) -> v1::Record {
    let entry = match &record.entry {
        RecordEntry::Decision(decision) => record::Record::Decision(v1::DecisionRecord {
            seat: decision.seat.number().into(),
            decision: Some(G::decision_to_wire(&decision.decision)),
            decided_by: match decision.decided_by {
                DecidedBy::Bot => v1::DecidedBy::Bot,
                DecidedBy::Referee => v1::DecidedBy::Referee,
                DecidedBy::House => v1::DecidedBy::House,
            }
            .into(),
            request_id: decision.request_id,
            charge: decision.charge.as_ref().map(charge_to_wire),
            events: decision.events.iter().map(G::event_to_wire).collect(),
            digest: decision.digest.0,
            note: String::new(),
        }),
        RecordEntry::Chance(chance) => record::Record::Chance(v1::ChanceRecord {
            stream: chance.stream,
            chance: Some(G::chance_to_wire(&chance.chance)),
            events: chance.events.iter().map(G::event_to_wire).collect(),
            digest: chance.digest.0,
        }),
        RecordEntry::Fault { seat, fault } => record::Record::Fault(v1::FaultRecord {
            seat: seat.number().into(),
            fault: Some(fault_to_wire(fault)),
        }),
        RecordEntry::Seat(info) => record::Record::Seat(v1::SeatRecord {
            seat: Some(seat_to_wire(info)),
        }),
    };
    v1::Record {
        number: record.number,
        at_ms: record.at_ms,
        record: Some(entry),
    }
}
