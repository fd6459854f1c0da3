//! Sessions: positions stored by number, and operations on them.

use std::collections::HashMap;

use bridgemaster_proto::v1::{RulesOperation, RulesResult, rules_operation::Operation};

use crate::{
    batch::{Batch, Playouts},
    position::{Position, check_count},
    problem::Problem,
};

/// A session's positions, by number. Each position owns a permit `P`, which is released when the
/// position is dropped.
#[derive(Debug)]
pub struct Session<P> {
    positions: HashMap<u16, StoredPosition<P>>,
}

#[derive(Debug)]
struct StoredPosition<P> {
    position: Position,
    _permit: P,
}

impl<P> Default for Session<P> {
    fn default() -> Self {
        Self { positions: HashMap::new() }
    }
}

impl<P> Session<P> {
    /// Executes a batch's operations until all are done or `keep_going` returns `false`.
    /// `keep_going` is called after each operation, each playout, and each slow decision of a
    /// playout. Returns `true` if the batch is done. `place` acquires the permit for one more
    /// position.
    pub fn work(
        &mut self,
        batch: &mut Batch,
        place: &mut dyn FnMut() -> Result<P, Problem>,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> bool {
        let mut continues = true;
        while let Some(next) = batch.next() {
            if !continues {
                return false;
            }
            let operation = &batch.operations[next];
            let result = match (&operation.operation, &mut batch.playouts) {
                (Some(Operation::PlayOut(requested)), playouts) => {
                    let mut keep_going = || {
                        continues = keep_going();
                        continues
                    };
                    self.play_out(operation, requested, playouts, &mut keep_going)
                }
                _ => self.execute(operation, place).map(Some),
            };
            match result.transpose() {
                Some(result) => batch.record(result),
                None => return false,
            }
            continues = continues && keep_going();
        }
        true
    }

    /// Returns the number of positions.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Returns `true` if there is no position.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Continues with playouts. Returns `None` while some playouts are not done.
    fn play_out(
        &self,
        operation: &RulesOperation,
        requested: &bridgemaster_proto::v1::RulesPlayouts,
        in_progress: &mut Option<Playouts>,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<Option<RulesResult>, Problem> {
        let position = self.position("position_number", operation.position_number)?;
        let below = |problem: Problem| problem.below("play_out");
        let playouts = match in_progress {
            Some(playouts) => playouts,
            None => in_progress.insert(Playouts::new(requested, position).map_err(below)?),
        };
        if !playouts.work(keep_going).map_err(below)? {
            return Ok(None);
        }
        let done = in_progress.take();
        Ok(Some(RulesResult {
            status: Some(position.of_game.status()),
            outcomes: done.map(Playouts::into_outcomes).unwrap_or_default(),
            ..RulesResult::default()
        }))
    }

    /// Executes an operation that is not split into steps.
    fn execute(
        &mut self,
        operation: &RulesOperation,
        place: &mut dyn FnMut() -> Result<P, Problem>,
    ) -> Result<RulesResult, Problem> {
        let number = number("position_number", operation.position_number)?;
        let mut result = RulesResult::default();
        let requested = operation.operation.as_ref();
        match requested.ok_or_else(|| Problem::invalid("operation", "must be set"))? {
            Operation::Load(message) => {
                let position = Position::rebuild(message);
                let position = position.map_err(|problem| problem.below("load"))?;
                self.put(number, position, place)?;
            }
            Operation::CopyFromNumber(from) => {
                let position = self.position("copy_from_number", *from)?.clone();
                self.put(number, position, place)?;
            }
            Operation::Apply(apply) => {
                let below = |problem: Problem| problem.below("apply");
                check_count(apply.decisions.len()).map_err(below)?;
                let position = self.position_mut(number)?;
                let applied = position.of_game.apply(&apply.decisions, None);
                applied.map_err(below)?;
            }
            Operation::ListLegal(list) => {
                let position = self.position_mut(number)?;
                let listed = position.of_game.legal(list.seat);
                let listed = listed.map_err(|problem| problem.below("list_legal"))?;
                (result.legal_decisions, result.legal_decisions_cut) = listed;
            }
            Operation::Observe(observe) => {
                let position = self.position_mut(number)?;
                let observed = position.of_game.observe(observe.seat);
                let observed = observed.map_err(|problem| problem.below("observe.seat"))?;
                result.observation = Some(observed);
            }
            Operation::Forget(_) => {
                self.positions.remove(&number);
                return Ok(result);
            }
            // `work` executes playouts step by step.
            Operation::PlayOut(_) => {}
        }
        result.status = Some(self.position_mut(number)?.of_game.status());
        Ok(result)
    }

    /// Stores a position under a number. A position with the same number is replaced, and its
    /// permit is reused.
    fn put(
        &mut self,
        number: u16,
        position: Position,
        place: &mut dyn FnMut() -> Result<P, Problem>,
    ) -> Result<(), Problem> {
        match self.positions.get_mut(&number) {
            Some(held) => held.position = position,
            None => {
                let held = StoredPosition { position, _permit: place()? };
                self.positions.insert(number, held);
            }
        }
        Ok(())
    }

    fn position(&self, field: &str, requested: u32) -> Result<&Position, Problem> {
        let held = self.positions.get(&number(field, requested)?);
        held.map(|held| &held.position).ok_or_else(|| no_such_position(field, requested))
    }

    fn position_mut(&mut self, number: u16) -> Result<&mut Position, Problem> {
        let held = self.positions.get_mut(&number);
        held.map(|held| &mut held.position)
            .ok_or_else(|| no_such_position("position_number", number.into()))
    }
}

fn number(field: &str, requested: u32) -> Result<u16, Problem> {
    u16::try_from(requested).map_err(|_| {
        let detail = format!("{requested} is out of range (0..={})", u16::MAX);
        Problem::invalid(field, detail)
    })
}

fn no_such_position(field: &str, number: u32) -> Problem {
    Problem::invalid(field, format!("no position has the number {number}; load one first"))
}
