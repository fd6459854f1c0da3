//! Where a database is, and how it is spoken to.

use std::{fmt, net::IpAddr, str::FromStr as _};

use sqlx::{
    ConnectOptions as _, PgConnection,
    postgres::{PgConnectOptions, PgPool, PgPoolOptions, PgSslMode},
};
use tokio::time::timeout;

use super::{certificates, failure::Fault};
use crate::{
    Durability, StoreError,
    limits::{
        POSTGRES_CONNECT_TIMEOUT, POSTGRES_IDLE_TIMEOUT, POSTGRES_LOCK_TIMEOUT,
        POSTGRES_STATEMENT_TIMEOUT,
    },
};

/// Where a database is, with what opens it.
#[derive(Clone)]
pub(super) struct Address {
    options: PgConnectOptions,
    shown: String,
    durability: Durability,
}

/// What it holds is a password.
impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Address").field(&self.shown).finish()
    }
}

impl Address {
    /// Reads `postgres://USER:PASSWORD@HOST:PORT/DATABASE?...`. A database on another machine is
    /// reached by TLS and its certificate is checked, unless the address says otherwise.
    pub(super) fn parse(url: &str, durability: Durability) -> Result<Self, StoreError> {
        let refused = |detail: String| StoreError::BadAddress { detail };
        if !["postgres://", "postgresql://"]
            .iter()
            .any(|scheme| url.starts_with(scheme))
        {
            return Err(refused("it does not begin with postgres://".to_owned()));
        }
        // What the parser says does not repeat the address, which may have a password.
        let mut options =
            PgConnectOptions::from_str(url).map_err(|error| refused(error.to_string()))?;
        // Not the password, which may say so too.
        let said = url.split_once('?').map_or("", |(_, said)| said);
        options = certificates::read(options, said).map_err(refused)?;
        let says_tls = said.contains("sslmode=") || said.contains("ssl-mode=");
        let is_local = options.get_socket().is_some()
            || is_loopback(options.get_host())
            || options.get_host().starts_with('/');
        if !says_tls && std::env::var_os("PGSSLMODE").is_none() {
            options = options.ssl_mode(match is_local {
                true => PgSslMode::Prefer,
                false => PgSslMode::VerifyFull,
            });
        }
        let shown = shown(&options);
        let millis = |limit: std::time::Duration| limit.as_millis().to_string();
        options = options
            .application_name("bridgemaster")
            .options([
                // What waits for a lock must see what was committed meanwhile.
                ("default_transaction_isolation", "read committed".to_owned()),
                ("statement_timeout", millis(POSTGRES_STATEMENT_TIMEOUT)),
                ("lock_timeout", millis(POSTGRES_LOCK_TIMEOUT)),
                (
                    "idle_in_transaction_session_timeout",
                    millis(POSTGRES_IDLE_TIMEOUT),
                ),
            ])
            .disable_statement_logging();
        Ok(Self {
            options,
            shown,
            durability,
        })
    }

    /// It, without its password.
    pub(super) fn shown(&self) -> &str {
        &self.shown
    }

    pub(super) fn durability(&self) -> Durability {
        self.durability
    }

    /// Connects, to write.
    pub(super) async fn connect(&self) -> Result<PgConnection, Fault> {
        let connecting = timeout(POSTGRES_CONNECT_TIMEOUT, self.options.connect());
        let mut connection = connecting.await.map_err(|_| Fault::NoAnswer)??;
        let setting = match self.durability {
            // A primary that waits for its standby goes on to do so.
            Durability::Power => {
                "SELECT set_config('synchronous_commit', 'on', false)
                 WHERE current_setting('synchronous_commit') = 'off'"
            }
            Durability::Process => "SELECT set_config('synchronous_commit', 'off', false)",
        };
        sqlx::query(setting).execute(&mut connection).await?;
        Ok(connection)
    }

    /// Connections that read, made when they are needed.
    pub(super) fn readers(&self, most: u32) -> PgPool {
        PgPoolOptions::new()
            .max_connections(most)
            .acquire_timeout(POSTGRES_CONNECT_TIMEOUT)
            .connect_lazy_with(self.options.clone())
    }
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse().is_ok_and(|addr: IpAddr| addr.is_loopback())
}

/// An address without what is secret.
fn shown(options: &PgConnectOptions) -> String {
    let database = options
        .get_database()
        .unwrap_or_else(|| options.get_username());
    match options.get_socket() {
        Some(socket) => format!("postgres:///{database}?host={}", socket.display()),
        None => format!(
            "postgres://{}:{}/{database}",
            options.get_host(),
            options.get_port()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown_of(url: &str) -> String {
        let address = Address::parse(url, Durability::Power).unwrap();
        assert!(!format!("{address:?}").contains("hush"), "{address:?}");
        address.shown().to_owned()
    }

    #[test]
    fn an_address_is_shown_without_its_password() {
        assert_eq!(
            shown_of("postgres://north:hush@db.example:5433/games"),
            "postgres://db.example:5433/games"
        );
        assert_eq!(
            shown_of("postgresql://north:hush@localhost/games?host=/run/postgresql"),
            "postgres:///games?host=/run/postgresql"
        );
    }

    #[test]
    fn what_is_no_address_of_postgresql_is_refused_without_its_password() {
        for url in ["mysql://north:hush@db/games", "postgres://north:hush@db:x/"] {
            let refused = Address::parse(url, Durability::Power).unwrap_err();
            let text = refused.to_string();
            assert!(matches!(refused, StoreError::BadAddress { .. }), "{text}");
            assert!(!text.contains("hush"), "{text}");
        }
    }

    #[test]
    fn a_file_of_certificates_that_cannot_be_read_is_named_with_its_setting() {
        for (setting, named) in [
            (
                "sslrootcert=/no/such.crt",
                "sslrootcert: /no/such.crt: No such file",
            ),
            (
                "ssl-ca=%2Fno%2Fsuch.crt",
                "sslrootcert: /no/such.crt: No such file",
            ),
            ("sslcert=/no/own.crt", "sslcert: /no/own.crt: No such file"),
            ("sslkey=/no/own.key", "sslkey: /no/own.key: No such file"),
        ] {
            let url = format!("postgres://north:hush@db/games?sslmode=verify-ca&{setting}");
            let refused = Address::parse(&url, Durability::Power).unwrap_err();
            let text = refused.to_string();
            assert!(text.contains(named), "{text}");
            assert!(!text.contains("hush"), "{text}");
        }
    }

    #[test]
    fn certificates_are_read_before_there_is_a_connection() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("authority.crt");
        let pem = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n";
        std::fs::write(&file, pem).unwrap();
        let url = format!("postgres://n@db/g?sslrootcert={}", file.display());
        let address = Address::parse(&url, Durability::Power).unwrap();
        std::fs::remove_file(&file).unwrap();
        let options = format!("{:?}", address.options);
        assert!(options.contains("ssl_root_cert: Some(Inline("), "{options}");
    }

    #[test]
    fn another_machine_is_asked_for_its_certificate_unless_the_address_says_otherwise() {
        let mode = |url| {
            let address = Address::parse(url, Durability::Power).unwrap();
            format!("{:?}", address.options.get_ssl_mode())
        };
        assert_eq!(mode("postgres://north@db.example/games"), "VerifyFull");
        assert_eq!(mode("postgres://north@127.0.0.1/games"), "Prefer");
        assert_eq!(mode("postgres://n@db.example/g?sslmode=require"), "Require");
        assert_eq!(mode("postgres://n:sslmode=x@db.example/g"), "VerifyFull");
    }
}
