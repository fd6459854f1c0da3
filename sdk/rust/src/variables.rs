//! Environment variables of a bot, and the default address.

/// Environment variable with the address of the server, or those of a cluster with commas between
/// them.
pub const SERVER_VARIABLE: &str = "BRIDGEMASTER_SERVER";
/// Environment variable with the join ticket of a seat.
pub const TICKET_VARIABLE: &str = "BRIDGEMASTER_TICKET";
/// Environment variable with the API key, for servers that require one.
pub const KEY_VARIABLE: &str = "BRIDGEMASTER_KEY";
/// Default address of the server.
pub const DEFAULT_SERVER_URL: &str = "http://127.0.0.1:50051";
/// Environment variable with the queue that a bot attends, instead of a ticket.
pub const QUEUE_VARIABLE: &str = "BRIDGEMASTER_QUEUE";
/// Environment variable with the matches that an attending bot plays at once.
pub const SLOTS_VARIABLE: &str = "BRIDGEMASTER_SLOTS";
