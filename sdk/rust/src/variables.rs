//! A bot's environment variables, and the default server address.

/// Environment variable for the server's address, or a cluster's comma-separated addresses.
pub const SERVER_VARIABLE: &str = "BRIDGEMASTER_SERVER";
/// Environment variable for a seat's join ticket.
pub const TICKET_VARIABLE: &str = "BRIDGEMASTER_TICKET";
/// Environment variable for the API key, for servers that require one.
pub const KEY_VARIABLE: &str = "BRIDGEMASTER_KEY";
/// The server's default address: port 50051 on the loopback interface.
pub const DEFAULT_SERVER_URL: &str = "http://127.0.0.1:50051";
/// Environment variable for the queue to attend, as an alternative to a ticket.
pub const QUEUE_VARIABLE: &str = "BRIDGEMASTER_QUEUE";
/// Environment variable for the number of matches that an attending bot plays concurrently, 1 to
/// 64.
pub const SLOTS_VARIABLE: &str = "BRIDGEMASTER_SLOTS";
