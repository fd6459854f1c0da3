//! Addresses of servers, as `sdk/addresses.tsv` specifies them for all SDKs.

/// Parses an address. Returns a URL with a scheme, a host and a port.
///
/// # Errors
/// Returns a description of the problem.
pub(crate) fn parse(address: &str) -> Result<String, &'static str> {
    let address = address.trim();
    let is_unix = |scheme: &&str| address.starts_with(*scheme);
    if ["unix:", "unix-abstract:"].iter().any(is_unix) {
        return Err("Unix sockets are not supported");
    }
    let (scheme, rest, default_port) = match address.split_once("://") {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => ("http", rest, Some("80")),
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("https") => {
            ("https", rest, Some("443"))
        }
        Some(_) => return Err("the scheme is not http or https"),
        None => ("http", address, None),
    };
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    if rest.contains(['/', '?', '#']) {
        return Err("a path is not allowed");
    }
    let (host, port) = split_host(rest)?;
    let port = match (port, default_port) {
        (None, Some(port)) => port,
        (None | Some(""), _) => return Err("the port is missing"),
        (Some(port), _) => port,
    };
    let is_number = port.bytes().all(|byte| byte.is_ascii_digit()) && !port.starts_with('0');
    if !is_number || port.parse::<u16>().is_err() {
        return Err("the port is out of range (1 to 65535)");
    }
    Ok(format!("{scheme}://{host}:{port}"))
}

/// Splits `HOST:PORT` or `[IPV6]:PORT`. The port is `None` without a colon.
fn split_host(text: &str) -> Result<(&str, Option<&str>), &'static str> {
    const INVALID_HOST: &str = "the host is not valid";
    if let Some(bracketed) = text.strip_prefix('[') {
        let (inner, port) = bracketed.split_once(']').ok_or(INVALID_HOST)?;
        let is_address_byte = |byte: u8| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.');
        let is_valid = inner.matches(':').count() >= 2 && inner.bytes().all(is_address_byte);
        let host = &text[..inner.len() + 2];
        return match (is_valid, port.strip_prefix(':')) {
            (true, None) if port.is_empty() => Ok((host, None)),
            (true, Some(port)) => Ok((host, Some(port))),
            _ => Err(INVALID_HOST),
        };
    }
    let (host, port) = match text.split_once(':') {
        Some((_, port)) if port.contains(':') => return Err("an IPv6 address needs brackets"),
        Some((host, port)) => (host, Some(port)),
        None => (text, None),
    };
    let is_host_byte =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    if host.is_empty() || !host.bytes().all(is_host_byte) {
        return Err(INVALID_HOST);
    }
    Ok((host, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_parsed_as_specified() {
        let table = include_str!("../../addresses.tsv");
        for line in table.lines().filter(|line| !line.starts_with('#')) {
            let (address, expected) = line.split_once('\t').unwrap();
            let parsed = match parse(address) {
                Ok(url) => url.replacen("://", " ", 1),
                Err(problem) => format!("error {problem}"),
            };
            assert_eq!(parsed, expected, "{address:?}");
        }
    }
}
