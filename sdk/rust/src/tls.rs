//! TLS for `https://` addresses: trusted certificates and the client certificate.

use std::{
    env, fs, io,
    path::{self, Path, PathBuf},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity};

use crate::{OptionsError, address, error::with_causes};

/// Name of the environment variable for the path of the PEM file with trusted certificates.
pub const CA_VARIABLE: &str = "BRIDGEMASTER_CA";
/// Name of the environment variable for the path of the client certificate's PEM file.
pub const CLIENT_CERT_VARIABLE: &str = "BRIDGEMASTER_CLIENT_CERT";
/// Name of the environment variable for the path of the PEM file with the client certificate's
/// private key.
pub const CLIENT_KEY_VARIABLE: &str = "BRIDGEMASTER_CLIENT_KEY";

/// Maximum time of the check whether a server requires TLS.
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);

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

    /// Returns the environment variables from which another process reads the same options. The
    /// paths are absolute, because the process can have another working directory.
    ///
    /// # Errors
    /// Returns an error if a path cannot be made absolute, for example because it is empty.
    pub fn variables(&self) -> io::Result<Vec<(&'static str, PathBuf)>> {
        let files = [
            (CA_VARIABLE, &self.ca),
            (CLIENT_CERT_VARIABLE, &self.client_cert),
            (CLIENT_KEY_VARIABLE, &self.client_key),
        ];
        let given = files.into_iter().filter_map(|(name, file)| Some((name, file.as_ref()?)));
        given.map(|(name, file)| Ok((name, path::absolute(file)?))).collect()
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

/// Creates the endpoint for an address, for `https` with the files in `tls`.
///
/// # Errors
/// Returns [`OptionsError::InvalidServerUrl`], [`OptionsError::TlsFile`], [`OptionsError::Tls`], or
/// [`OptionsError::IncompleteClientCertificate`].
pub fn endpoint(server_url: &str, tls: &TlsOptions) -> Result<Endpoint, OptionsError> {
    let invalid = |problem| OptionsError::InvalidServerUrl { url: server_url.to_owned(), problem };
    let url = address::parse(server_url).map_err(invalid)?;
    let is_encrypted = url.starts_with("https:");
    let endpoint = Endpoint::from_shared(url).map_err(|_| invalid("the host is not valid"))?;
    let endpoint = endpoint.tcp_nodelay(true);
    if !is_encrypted {
        return Ok(endpoint);
    }
    let encrypted = endpoint.tls_config(tls.config()?);
    encrypted.map_err(|error| OptionsError::Tls { detail: with_causes(&error) })
}

/// Advice on an `http` address of a server with TLS.
const REQUIRES_TLS: &str = "the server requires TLS; begin the address with https://, and if its \
    certificate is not signed by an authority that the system trusts, pass the file to trust with \
    --ca FILE or BRIDGEMASTER_CA";

/// Returns the TLS mistake that made a connection fail, given the text of its error and causes.
/// Returns `None` for other errors. Another attempt would fail in the same way.
///
/// The transport hides the TLS library's error types, so only the errors' texts can be compared.
pub(crate) fn tls_mistake(error: &str) -> Option<&'static str> {
    const MISTAKES: [(&str, &str); 9] = [
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
            "the server's certificate is for a different name or address than the one you connect \
             to; use that name, or trust another certificate with --ca FILE or BRIDGEMASTER_CA",
        ),
        (
            "certificate expired",
            "the server's certificate has expired and must be renewed; if it is self-signed, pass \
             the new file with --ca FILE or BRIDGEMASTER_CA",
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
            "the server does not use TLS at this address; begin the address with http://, and \
             BRIDGEMASTER_CA is not needed",
        ),
    ];
    let mistake = MISTAKES.iter().find(|(sign, _)| error.contains(sign));
    mistake.map(|(_, advice)| *advice)
}

/// Returns advice on a failed connection, given the text of its error and causes. Returns `None`
/// for other errors, and if the text already has the advice.
///
/// A server can close a connection before the client reads the reason, so the advice on a broken
/// connection lists all possible causes.
pub fn tls_hint(error: &str) -> Option<&'static str> {
    const BROKEN: &str = "the connection broke before the server answered; for a server with TLS, \
        begin the address with https://, pass the file to trust with --ca FILE or BRIDGEMASTER_CA \
        if the system does not trust its certificate, and pass --client-cert FILE and \
        --client-key FILE if it requires client certificates";
    const SIGNS: [&str; 4] =
        ["http2 error", "operation was canceled", "connection error", "broken pipe"];
    let is_broken =
        || SIGNS.iter().any(|sign| error.contains(sign)) || error.ends_with("transport error");
    let hint = tls_mistake(error).or_else(|| is_broken().then_some(BROKEN))?;
    let is_explained = error.contains(hint) || error.contains(REQUIRES_TLS);
    (!is_explained).then_some(hint)
}

/// Returns [`REQUIRES_TLS`] if a server with an `http` address requires TLS. Such a server closes
/// the connection, without an error that the transport reports. But it answers the HTTP/2 preface
/// with a TLS alert or, if it is a proxy, with an error page.
pub(crate) async fn required_tls(server_url: &str) -> Option<&'static str> {
    const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    let url = address::parse(server_url).ok()?;
    let target = url.strip_prefix("http://")?;
    let answer = async {
        let mut stream = TcpStream::connect(target).await?;
        stream.write_all(PREFACE).await?;
        let mut answer = vec![0; 512];
        let bytes = stream.read(&mut answer).await?;
        answer.truncate(bytes);
        io::Result::Ok(answer)
    };
    let answer = timeout(PROBE_TIMEOUT, answer).await.ok()?.ok()?;
    let is_alert = answer.starts_with(b"\x15\x03");
    let is_page = answer.windows(5).any(|text| text == b"HTTPS");
    (is_alert || is_page).then_some(REQUIRES_TLS)
}

fn read(path: &Path) -> Result<Vec<u8>, OptionsError> {
    fs::read(path)
        .map_err(|error| OptionsError::TlsFile { path: path.to_owned(), detail: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_connection_has_a_hint_and_an_absent_server_has_none() {
        for (error, expected) in [
            ("received fatal alert: CertificateRequired", "requires client certificates"),
            ("transport error: http2 error: received fatal alert: UnknownCA", "does not trust"),
            ("the connection failed: transport error", "https://"),
            ("the connection failed: operation was canceled", "--client-cert"),
        ] {
            let hint = tls_hint(error).unwrap();
            assert!(hint.contains(expected), "{error}: {hint}");
        }
        let away = "transport error: tcp connect error: Connection refused (os error 111)";
        assert_eq!(tls_hint(away), None);
        let explained = format!("UnknownIssuer: {}", tls_mistake("UnknownIssuer").unwrap());
        assert_eq!(tls_hint(&explained), None);
    }

    #[test]
    fn an_unusable_file_or_url_is_refused_by_name() {
        let with = |tls| endpoint("https://127.0.0.1:1", &tls).err().unwrap();
        let missing =
            with(TlsOptions { ca: Some("no/such/ca.pem".into()), ..TlsOptions::default() });
        assert!(missing.to_string().contains("no/such/ca.pem"), "{missing}");
        let half =
            with(TlsOptions { client_cert: Some("cert.pem".into()), ..TlsOptions::default() });
        assert_eq!(half, OptionsError::IncompleteClientCertificate);
        // Without TLS, the TLS files are not read.
        let unused = TlsOptions { ca: Some("no/such/ca.pem".into()), ..TlsOptions::default() };
        assert!(endpoint("http://127.0.0.1:1", &unused).is_ok());
    }
}
