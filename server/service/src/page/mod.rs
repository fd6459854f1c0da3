//! The page for people, on a listener of its own: its files, the calls of browsers as gRPC-Web, and
//! replay files that somebody opens. Everything is of one origin, and nothing of another is answered.

mod desk;
mod guard;
mod local;
mod opening;
mod reply;
mod service;

pub(crate) use desk::Desk;
pub(crate) use guard::Guard;
pub use local::{LocalPage, LocalPages, LocalServer, NoPage};
pub(crate) use service::Page;
