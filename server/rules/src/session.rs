//! Positions that are kept by number, and the operations on them.

use std::collections::HashMap;

use bridgemaster_proto::v1::{RulesOperation, RulesResult, rules_operation::Operation};

use crate::{
    batch::{Batch, Playouts},
    position::{Position, check_count},
    problem::Problem,
};

/// Positions by number. Each holds a place `P`, which is given back when the position is forgotten.
#[derive(Debug)]
pub struct Session<P> {
    positions: HashMap<u16, Held<P>>,
}

#[derive(Debug)]
struct Held<P> {
    position: Position,
    _place: P,
}

impl<P> Default for Session<P> {
    fn default() -> Self {
        Self {
            positions: HashMap::new(),
        }
    }
}

impl<P> Session<P> {
    /// Does operations of a batch as long as `go_on` says so, which is asked after each operation,
    /// each playout, and each decision of a playout that takes long; whether the batch is done. `place` takes a place for one more position.
    pub fn work(
        &mut self,
        batch: &mut Batch,
        place: &mut dyn FnMut() -> Result<P, Problem>,
        go_on: &mut dyn FnMut() -> bool,
    ) -> bool {
        let mut goes_on = true;
        while let Some(next) = batch.next() {
            if !goes_on {
                return false;
            }
            let operation = &batch.operations[next];
            let result = match (&operation.operation, &mut batch.playouts) {
                (Some(Operation::PlayOut(asked)), playouts) => {
                    let mut go_on = || {
                        goes_on = go_on();
                        goes_on
                    };
                    self.play_out(operation, asked, playouts, &mut go_on)
                }
                _ => self.done(operation, place).map(Some),
            };
            match result.transpose() {
                Some(result) => batch.take(result),
                None => return false,
            }
            goes_on = goes_on && go_on();
        }
        true
    }

    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Goes on with playouts; `None` while some are left to do.
    fn play_out(
        &self,
        operation: &RulesOperation,
        asked: &bridgemaster_proto::v1::RulesPlayouts,
        under_way: &mut Option<Playouts>,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Option<RulesResult>, Problem> {
        let position = self.position("position_number", operation.position_number)?;
        let below = |problem: Problem| problem.below("play_out");
        let playouts = match under_way {
            Some(playouts) => playouts,
            None => under_way.insert(Playouts::new(asked, position).map_err(below)?),
        };
        if !playouts.work(go_on).map_err(below)? {
            return Ok(None);
        }
        let done = under_way.take();
        Ok(Some(RulesResult {
            status: Some(position.of_game.status()),
            outcomes: done.map(Playouts::into_outcomes).unwrap_or_default(),
            ..RulesResult::default()
        }))
    }

    /// Does an operation that is done at once.
    fn done(
        &mut self,
        operation: &RulesOperation,
        place: &mut dyn FnMut() -> Result<P, Problem>,
    ) -> Result<RulesResult, Problem> {
        let number = number("position_number", operation.position_number)?;
        let mut result = RulesResult::default();
        let asked = operation.operation.as_ref();
        match asked.ok_or_else(|| Problem::invalid("operation", "none is set"))? {
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
            // Done in parts.
            Operation::PlayOut(_) => {}
        }
        result.status = Some(self.position_mut(number)?.of_game.status());
        Ok(result)
    }

    /// Puts a position at a number. The place of one that was there is taken over.
    fn put(
        &mut self,
        number: u16,
        position: Position,
        place: &mut dyn FnMut() -> Result<P, Problem>,
    ) -> Result<(), Problem> {
        match self.positions.get_mut(&number) {
            Some(held) => held.position = position,
            None => {
                let held = Held {
                    position,
                    _place: place()?,
                };
                self.positions.insert(number, held);
            }
        }
        Ok(())
    }

    fn position(&self, field: &str, asked: u32) -> Result<&Position, Problem> {
        let held = self.positions.get(&number(field, asked)?);
        held.map(|held| &held.position)
            .ok_or_else(|| none_there(field, asked))
    }

    fn position_mut(&mut self, number: u16) -> Result<&mut Position, Problem> {
        let held = self.positions.get_mut(&number);
        held.map(|held| &mut held.position)
            .ok_or_else(|| none_there("position_number", number.into()))
    }
}

fn number(field: &str, asked: u32) -> Result<u16, Problem> {
    u16::try_from(asked).map_err(|_| {
        let detail = format!("{asked} is not in 0 to {}", u16::MAX);
        Problem::invalid(field, detail)
    })
}

fn none_there(field: &str, number: u32) -> Problem {
    Problem::invalid(
        field,
        format!("no position has the number {number}; load one there"),
    )
}
