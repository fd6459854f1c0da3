//! Executes calls of `RulesService`, on worker threads with a fair queue of tasks.

mod low_priority;
mod queue;
mod tasks;
mod workers;

pub(crate) use tasks::{BatchTask, SamplingTask, UnaryTask};
pub(crate) use workers::Workers;
