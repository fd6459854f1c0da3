//! TLS for `https://` addresses: which certificates a client trusts, and which it presents.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity};

use crate::OptionsError;

/// Environment variable with a file of certificates to trust.
pub const CA_VARIABLE: &str = "BRIDGEMASTER_CA";
/// Environment variable with the file of the client's certificate.
pub const CLIENT_CERT_VARIABLE: &str = "BRIDGEMASTER_CLIENT_CERT";
/// Environment variable with the file of the private key of the client's certificate.
pub const CLIENT_KEY_VARIABLE: &str = "BRIDGEMASTER_CLIENT_KEY";

/// PEM files for servers with an `https://` address. By default the client trusts the certificates
/// of the system and presents none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsOptions {
    /// Certificates to trust instead of the system's.
    pub ca: Option<PathBuf>,
    /// The client's own certificate, for servers that require one.
    pub client_cert: Option<PathBuf>,
    /// The private key of [`client_cert`](Self::client_cert).
    pub client_key: Option<PathBuf>,
}

impl TlsOptions {
    /// The files that [`CA_VARIABLE`], [`CLIENT_CERT_VARIABLE`] and [`CLIENT_KEY_VARIABLE`] name.
    pub fn from_env() -> Self {
        let file = |variable| {
            let path = env::var_os(variable).filter(|path| !path.is_empty());
            path.map(PathBuf::from)
        };
        Self {
            ca: file(CA_VARIABLE),
            client_cert: file(CLIENT_CERT_VARIABLE),
            client_key: file(CLIENT_KEY_VARIABLE),
        }
    }

    fn config(&self) -> Result<ClientTlsConfig, OptionsError> {
        let config = match &self.ca {
            Some(ca) => ClientTlsConfig::new().ca_certificate(Certificate::from_pem(read(ca)?)),
            None => ClientTlsConfig::new().with_native_roots(),
        };
        match (&self.client_cert, &self.client_key) {
            (Some(cert), Some(key)) => {
                Ok(config.identity(Identity::from_pem(read(cert)?, read(key)?)))
            }
            (None, None) => Ok(config),
            _ => Err(OptionsError::HalfOfClientCertificate),
        }
    }
}

/// Where a client connects to: `http://HOST:PORT`, or `https://HOST:PORT` with the files of `tls`.
///
/// # Errors
/// [`OptionsError::ServerUrl`], [`OptionsError::TlsFile`], [`OptionsError::Tls`], or
/// [`OptionsError::HalfOfClientCertificate`].
pub fn endpoint(server_url: &str, tls: &TlsOptions) -> Result<Endpoint, OptionsError> {
    let bad_url = || OptionsError::ServerUrl {
        url: server_url.to_owned(),
    };
    let endpoint = Endpoint::from_shared(server_url.to_owned()).map_err(|_| bad_url())?;
    let uri = endpoint.uri();
    match (uri.scheme_str(), uri.host()) {
        (Some("http"), Some(_)) => Ok(endpoint.tcp_nodelay(true)),
        (Some("https"), Some(_)) => endpoint
            .tcp_nodelay(true)
            .tls_config(tls.config()?)
            .map_err(|error| OptionsError::Tls {
                detail: with_sources(&error),
            }),
        _ => Err(bad_url()),
    }
}

/// What to do about a connection that failed, as far as the text of its error and of its causes
/// tells: a certificate that is not trusted or missing, or TLS on one side only. `None` for anything
/// else. A server may close a connection before the reason for it is read, so the hint about one that
/// broke names all that it can be.
///
/// The errors of the TLS library are behind types of the transport, so their text is what there is.
pub fn tls_hint(error: &str) -> Option<&'static str> {
    const BROKEN: &str = "the connection broke before the server answered: if the server speaks TLS \
        there, its address begins with https://; if it asks clients for certificates, name yours \
        with --client-cert FILE and --client-key FILE";
    const HINTS: [(&str, &str); 13] = [
        (
            "CaUsedAsEndEntity",
            "the server's certificate is one for signing others, as `openssl req -x509` makes it by \
             itself; add `-addext basicConstraints=critical,CA:FALSE` when you make it",
        ),
        (
            "UnknownIssuer",
            "nobody that is trusted has signed the server's certificate; name the file to trust \
             with --ca FILE or BRIDGEMASTER_CA",
        ),
        (
            "BadSignature",
            "the server shows another certificate than the one to trust; name the right file with \
             --ca FILE or BRIDGEMASTER_CA",
        ),
        (
            "not valid for name",
            "the server's certificate is for another name or address than the one that you \
             connect to",
        ),
        (
            "certificate expired",
            "the server's certificate has to be made anew",
        ),
        (
            "fatal alert: CertificateRequired",
            "the server asks clients for certificates; name yours with --client-cert FILE and \
             --client-key FILE, or BRIDGEMASTER_CLIENT_CERT and BRIDGEMASTER_CLIENT_KEY",
        ),
        (
            "fatal alert: UnknownCA",
            "the server does not trust who signed the certificate of --client-cert or \
             BRIDGEMASTER_CLIENT_CERT",
        ),
        (
            "fatal alert: CertificateExpired",
            "the certificate of --client-cert or BRIDGEMASTER_CLIENT_CERT has to be made anew",
        ),
        (
            "InvalidContentType",
            "the server does not speak TLS there: its address begins with http://",
        ),
        ("http2 error", BROKEN),
        ("operation was canceled", BROKEN),
        ("connection error", BROKEN),
        ("broken pipe", BROKEN),
    ];
    let hint = HINTS.iter().find(|(sign, _)| error.contains(sign));
    let without_cause = error.ends_with("transport error").then_some(BROKEN);
    hint.map(|(_, hint)| *hint).or(without_cause)
}

fn read(path: &Path) -> Result<Vec<u8>, OptionsError> {
    fs::read(path).map_err(|error| OptionsError::TlsFile {
        path: path.to_owned(),
        detail: error.to_string(),
    })
}

/// The message of the innermost cause of an error.
fn with_sources(error: &dyn std::error::Error) -> String {
    let sources = std::iter::successors(Some(error), |error| error.source());
    let texts: Vec<String> = sources.map(ToString::to_string).collect();
    texts.join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_connection_is_explained_and_a_server_that_is_not_there_is_not() {
        for (error, told) in [
            ("received fatal alert: CertificateRequired", "asks clients"),
            (
                "transport error: http2 error: received fatal alert: UnknownCA",
                "does not trust",
            ),
            ("the connection failed: transport error", "https://"),
            (
                "the connection failed: operation was canceled",
                "--client-cert",
            ),
        ] {
            let hint = tls_hint(error).unwrap();
            assert!(hint.contains(told), "{error}: {hint}");
        }
        let away = "transport error: tcp connect error: Connection refused (os error 111)";
        assert_eq!(tls_hint(away), None);
    }

    #[test]
    fn what_cannot_be_used_is_refused_by_name() {
        let with = |tls| endpoint("https://127.0.0.1:1", &tls).err().unwrap();
        let missing = with(TlsOptions {
            ca: Some("no/such/ca.pem".into()),
            ..TlsOptions::default()
        });
        assert!(missing.to_string().contains("no/such/ca.pem"), "{missing}");
        let half = with(TlsOptions {
            client_cert: Some("cert.pem".into()),
            ..TlsOptions::default()
        });
        assert_eq!(half, OptionsError::HalfOfClientCertificate);
        for url in ["", "nonsense", "ftp://host:1", "https://"] {
            let refused = endpoint(url, &TlsOptions::default()).err().unwrap();
            assert!(matches!(refused, OptionsError::ServerUrl { .. }), "{url}");
        }
        // The files are not looked at where nothing is encrypted.
        let unused = TlsOptions {
            ca: Some("no/such/ca.pem".into()),
            ..TlsOptions::default()
        };
        assert!(endpoint("http://127.0.0.1:1", &unused).is_ok());
    }
}
