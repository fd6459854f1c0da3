//! Converts match records to and from messages.

use bridgemaster_proto::{
    games::{Field, WireGame, Writer, field_of},
    v1::{self, record},
};
use bridgemaster_referee::{DecidedBy, DecisionRecord, Record, RecordEntry};

use super::{message::charge_to_wire, seat::fault_to_wire, seat_to_wire};

/// Converts a match record to a message.
pub fn record_to_wire<G: WireGame>(record: &Record<G>) -> v1::Record {
    let entry = match &record.entry {
        RecordEntry::Decision(decision) => record::Record::Decision(v1::DecisionRecord {
            seat: decision.seat.number().into(),
            decision: Some(G::decision_to_wire(&decision.decision)),
            decided_by: decided_by_to_wire(decision.decided_by).into(),
            request_id: decision.request_id,
            charge: decision.charge.as_ref().map(charge_to_wire),
            events: decision.events.iter().map(G::event_to_wire).collect(),
            digest: decision.digest.0,
            note: decision.note.clone(),
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

/// Encodes a match record as bytes.
pub fn write_record<G: WireGame>(record: &Record<G>, field: Field, to: &mut Writer) {
    to.message(field, |to| match &record.entry {
        RecordEntry::Decision(decision) => {
            to.number(record.number, const { field_of::<v1::Record>("number") });
            to.number(record.at_ms, const { field_of::<v1::Record>("at_ms") });
            let entry = const { field_of::<record::Record>("Decision") };
            to.message(entry, |to| write_decision(decision, to));
        }
        // All other entries are rare, so they are not written field by field.
        RecordEntry::Chance(_) | RecordEntry::Fault { .. } | RecordEntry::Seat(_) => {
            to.body(&record_to_wire(record));
        }
    });
}

fn write_decision<G: WireGame>(record: &DecisionRecord<G>, to: &mut Writer) {
    use v1::DecisionRecord as Wire;
    let DecisionRecord {
        seat,
        decision,
        decided_by,
        request_id,
        charge,
        events,
        digest,
        note,
    } = record;
    to.number(u32::from(seat.number()), const { field_of::<Wire>("seat") });
    to.message(const { field_of::<Wire>("decision") }, |to| {
        G::put_decision(decision, to);
    });
    let decided_by = i32::from(decided_by_to_wire(*decided_by));
    to.number(decided_by, const { field_of::<Wire>("decided_by") });
    to.number(*request_id, const { field_of::<Wire>("request_id") });
    if let Some(charge) = charge {
        to.prost(
            &charge_to_wire(charge),
            const { field_of::<Wire>("charge") },
        );
    }
    for event in events {
        let field = const { field_of::<Wire>("events") };
        to.message(field, |to| G::put_event(event, to));
    }
    to.fixed64(digest.0, const { field_of::<Wire>("digest") });
    to.text(note, const { field_of::<Wire>("note") });
}

fn decided_by_to_wire(by: DecidedBy) -> v1::DecidedBy {
    match by {
        DecidedBy::Bot => v1::DecidedBy::Bot,
        DecidedBy::Referee => v1::DecidedBy::Referee,
        DecidedBy::House => v1::DecidedBy::House,
        DecidedBy::Replay => v1::DecidedBy::Replay,
    }
}
