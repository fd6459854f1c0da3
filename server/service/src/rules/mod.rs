//! The rules by call: the threads that do the work, and what each caller may have of them.

mod low_priority;
mod queue;
mod tasks;
mod workers;

pub(crate) use tasks::{BatchTask, SamplingTask, UnaryTask};
pub(crate) use workers::Workers;
