//! TLS for `https://` addresses: trusted certificates and the client certificate.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity};

use crate::{OptionsError, error::with_causes};

/// Name of the environment variable for the path of the PEM file with trusted certificates.
pub const CA_VARIABLE: &str = "BRIDGEMASTER_CA";
/// Name of the environment variable for the path of the client certificate's PEM file.
pub const CLIENT_CERT_VARIABLE: &str = "BRIDGEMASTER_CLIENT_CERT";
/// Name of the environment variable for the path of the PEM file with the client certificate's
/// private key.
pub const CLIENT_KEY_VARIABLE: &str = "BRIDGEMASTER_CLIENT_KEY";

/// PEM files for servers with an `https://` address. By default, the client trusts the operating
/// system's certificates and sends no client certificate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsOptions {
    /// PEM file with certificates to trust instead of the operating system's.
    pub ca: Option<PathBuf>,
    /// The client certificate, for servers that require one.
    pub client_cert: Option<PathBuf>,
    /// The private key of [`client_cert`](Self::client_cert).
    pub client_key: Option<PathBuf>,
}

impl TlsOptions {
    /// Reads the paths from [`CA_VARIABLE`], [`CLIENT_CERT_VARIABLE`] and [`CLIENT_KEY_VARIABLE`].
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
            _ => Err(OptionsError::IncompleteClientCertificate),
        }
    }
}

/// Creates the endpoint for `http://HOST:PORT`, or for `https://HOST:PORT` with the files in `tls`.
///
/// # Errors
/// [`OptionsError::InvalidServerUrl`], [`OptionsError::TlsFile`], [`OptionsError::Tls`], or
/// [`OptionsError::IncompleteClientCertificate`].
pub fn endpoint(server_url: &str, tls: &TlsOptions) -> Result<Endpoint, OptionsError> {
    let bad_url = || OptionsError::InvalidServerUrl {
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
                detail: with_causes(&error),
            }),
        _ => Err(bad_url()),
    }
}

/// Returns advice on a failed connection, given the text of its error and causes. Returns `None`
/// for other errors. The advice covers certificates that are missing or not trusted, and TLS on
/// only one side.
///
/// A server can close a connection before the client reads the reason, so the advice on a broken
/// connection lists all possible causes. The transport hides the TLS library's error types, so only
/// the errors' texts can be compared.
pub fn tls_hint(error: &str) -> Option<&'static str> {
    const BROKEN: &str = "the connection broke before the server answered; for a server with TLS, \
        begin the address with https://, and pass --client-cert FILE and --client-key FILE if it \
        requires client certificates";
    const HINTS: [(&str, &str); 13] = [
        (
            "CaUsedAsEndEntity",
            "the server's certificate is a CA certificate, the default of `openssl req -x509`; \
             create it with `-addext basicConstraints=critical,CA:FALSE`",
        ),
        (
            "UnknownIssuer",
            "the server's certificate is not signed by a trusted authority; pass the file to trust \
             with --ca FILE or BRIDGEMASTER_CA",
        ),
        (
            "BadSignature",
            "the server's certificate is not the trusted one; pass the right file with --ca FILE \
             or BRIDGEMASTER_CA",
        ),
        (
            "not valid for name",
            "the server's certificate is for a different name or address than the one you connect to",
        ),
        (
            "certificate expired",
            "the server's certificate has expired and must be renewed",
        ),
        (
            "fatal alert: CertificateRequired",
            "the server requires client certificates; pass yours with --client-cert FILE and \
             --client-key FILE, or BRIDGEMASTER_CLIENT_CERT and BRIDGEMASTER_CLIENT_KEY",
        ),
        (
            "fatal alert: UnknownCA",
            "the server does not trust the issuer of your client certificate (--client-cert or \
             BRIDGEMASTER_CLIENT_CERT)",
        ),
        (
            "fatal alert: CertificateExpired",
            "your client certificate (--client-cert or BRIDGEMASTER_CLIENT_CERT) has expired and \
             must be renewed",
        ),
        (
            "InvalidContentType",
            "the server does not use TLS at this address; begin the address with http://",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_connection_has_a_hint_and_an_absent_server_has_none() {
        for (error, expected) in [
            (
                "received fatal alert: CertificateRequired",
                "requires client certificates",
            ),
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
            assert!(hint.contains(expected), "{error}: {hint}");
        }
        let away = "transport error: tcp connect error: Connection refused (os error 111)";
        assert_eq!(tls_hint(away), None);
    }

    #[test]
    fn an_unusable_file_or_url_is_refused_by_name() {
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
        assert_eq!(half, OptionsError::IncompleteClientCertificate);
        for url in ["", "nonsense", "ftp://host:1", "https://"] {
            let refused = endpoint(url, &TlsOptions::default()).err().unwrap();
            assert!(
                matches!(refused, OptionsError::InvalidServerUrl { .. }),
                "{url}"
            );
        }
        // Without TLS, the TLS files are not read.
        let unused = TlsOptions {
            ca: Some("no/such/ca.pem".into()),
            ..TlsOptions::default()
        };
        assert!(endpoint("http://127.0.0.1:1", &unused).is_ok());
    }
}
