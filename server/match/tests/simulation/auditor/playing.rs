//! Replays inputs on the second referee, and derives the required effects.

use bridgemaster_match::{Closing, Entries, Origin};
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::{
    CloseReason, FaultReason, Input, Output, RecordEntry, SeatMessage, Time,
};
use bridgemaster_replay::wire::response_to_wire;

use super::{Auditor, ExpectedEffect};
use crate::{
    cancellation,
    oracle::{Violation, require},
    trace::{Trace, write_outputs},
};

impl<G: WireGame> Auditor<G> {
    /// Passes an input to the second referee and derives the required effects. Returns the outputs
    /// as text.
    pub(super) fn play(
        &mut self,
        at: Time,
        input: Input<G>,
        entry: Option<u64>,
        trace: &mut Trace,
    ) -> Result<String, Violation> {
        trace.line(at, format_args!("> {input:?}"));
        self.inputs += 1;
        let begins_history = matches!(input, Input::Restarted);
        let public_changes = self.referee.public_changes();
        self.oracle.before(at, &input);
        let mut outputs = Vec::new();
        self.referee.handle(at, input, &mut outputs);
        let must_be_stored = begins_history || self.referee.public_changes() != public_changes;
        if let Some(entry) = entry
            && (!outputs.is_empty() || must_be_stored)
        {
            self.after = Entries(entry + 1);
            if let Some(stream) = self.reporter {
                self.reported.insert(stream, self.after);
            }
            self.lag.add_waiting(self.after, at);
        }
        self.check_no_request_ran_out(&outputs, at)?;
        for output in &outputs {
            self.require(output);
        }
        if let Some(tampering) = &mut self.tampering {
            tampering.apply(&mut outputs);
        }
        let before = trace.text().len();
        write_outputs(at, &outputs, trace);
        self.oracle.after(&outputs, &self.referee)?;
        Ok(trace.since(before).to_owned())
    }

    fn require(&mut self, output: &Output<G>) {
        match output {
            Output::Send { seat, sequence, message } => {
                if self.links[seat.index()].is_none() {
                    return;
                }
                if let SeatMessage::Request(request) = message {
                    // A request without any time left expires immediately.
                    let after = match request.clock.decision_left_ms {
                        0 => Entries::NONE,
                        _ => self.after,
                    };
                    self.asked[seat.index()] = (request.request_id, after);
                }
                let Origin { id, salt, .. } = &self.origin;
                let rules = self.referee.rules();
                let response = response_to_wire(id.as_str(), rules, salt, *sequence, message);
                let seat = *seat;
                self.expected_effects.push_back(ExpectedEffect::Send { seat, response });
            }
            Output::Close { seat, reason } => {
                let closing = match reason {
                    CloseReason::MatchEnded => Closing::MatchEnded,
                    CloseReason::Forfeited(fault) => Closing::Forfeited(*fault),
                    CloseReason::Cancelled => Closing::Cancelled(cancellation().into()),
                    // The stream is lost because of the garbage.
                    CloseReason::Garbage => return,
                };
                if self.links[seat.index()].take().is_some() {
                    let seat = *seat;
                    self.expected_effects.push_back(ExpectedEffect::Close { seat, closing });
                }
            }
            Output::Record(record) => self.note_record(record),
            Output::Ended | Output::Cancelled => self.end_is_due = true,
        }
    }

    /// Checks that no request timed out before it was stored and sent.
    fn check_no_request_ran_out(&self, outputs: &[Output<G>], at: Time) -> Result<(), Violation> {
        for output in outputs {
            if let Output::Record(record) = output
                && let RecordEntry::Fault { seat, fault } = &record.entry
                && fault.reason == FaultReason::Late
            {
                let (asked, after) = self.asked[seat.index()];
                require!(
                    asked != fault.request_id || self.lag.is_stored_at(after, at),
                    "{seat} is late with request {asked}, which was not sent yet"
                );
            }
        }
        Ok(())
    }
}
