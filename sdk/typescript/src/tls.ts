// TLS for `https://` addresses: trusted certificates and the client certificate.

import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { OptionsError } from "./errors.js";

export const CA_VARIABLE = "BRIDGEMASTER_CA";
export const CLIENT_CERT_VARIABLE = "BRIDGEMASTER_CLIENT_CERT";
export const CLIENT_KEY_VARIABLE = "BRIDGEMASTER_CLIENT_KEY";

/** Paths of PEM files. Omitted paths are taken from their environment variables. */
export interface TlsFiles {
  /** Certificates to trust instead of the system's. Default: `BRIDGEMASTER_CA`. */
  readonly ca?: string;
  /** The client certificate, for servers that require one. Default: `BRIDGEMASTER_CLIENT_CERT`. */
  readonly clientCert?: string;
  /** The private key of `clientCert`. Default: `BRIDGEMASTER_CLIENT_KEY`. */
  readonly clientKey?: string;
}

/** Contents of the PEM files. */
export interface PemFiles {
  readonly ca: Uint8Array | undefined;
  readonly clientCert: Uint8Array | undefined;
  readonly clientKey: Uint8Array | undefined;
}

/** Paths of the trusted certificates on Linux systems; by default Node uses a built-in list. */
const SYSTEM_LISTS = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/cert.pem",
];

/** Reads the files. Throws an `OptionsError` if a file cannot be used. */
export function readTlsFiles(files: TlsFiles): PemFiles {
  const ca = read(files.ca, CA_VARIABLE);
  const clientCert = read(files.clientCert, CLIENT_CERT_VARIABLE);
  const clientKey = read(files.clientKey, CLIENT_KEY_VARIABLE);
  if ((clientCert === undefined) !== (clientKey === undefined)) {
    throw new OptionsError(
      "a client certificate requires its private key, and a private key its certificate",
    );
  }
  return { ca: ca ?? systemRoots(), clientCert, clientKey };
}

/** Returns the certificates that the system trusts; undefined for Node's built-in list. */
function systemRoots(): Uint8Array | undefined {
  for (const path of SYSTEM_LISTS) {
    try {
      return readFileSync(path);
    } catch {
      // Other systems use another path.
    }
  }
  return undefined;
}

function read(option: string | undefined, variable: string): Uint8Array | undefined {
  const path = option || process.env[variable];
  if (!path) return undefined;
  try {
    return readFileSync(path);
  } catch (error) {
    throw new OptionsError(error instanceof Error ? error.message : `${path}: ${String(error)}`);
  }
}

const UNTRUSTED =
  "the server's certificate is not signed by a trusted authority; pass the file to trust as the " +
  `option tls.ca or ${CA_VARIABLE}`;
/** Parts of the errors of Node's TLS, and the mistakes that cause them. */
const MISTAKES: readonly (readonly [RegExp, string])[] = [
  [
    /certificate has expired/,
    "the server's certificate has expired and must be renewed; if it is self-signed, pass the new " +
      `file as the option tls.ca or ${CA_VARIABLE}`,
  ],
  [
    /certificate is not yet valid/,
    "the server's certificate is not valid yet; check the clocks of both machines",
  ],
  [/self.signed certificate|unable to (get|verify)|signature failure|\binvalid ca\b/i, UNTRUSTED],
  [
    /does not match certificate's altnames/,
    "the server's certificate is for a different name or address than the one you connect to; use " +
      `that name, or trust another certificate with ${CA_VARIABLE}`,
  ],
  [
    /wrong version number|packet length too long/,
    "the server does not use TLS at this address; begin the address with http://, and " +
      `${CA_VARIABLE} is not needed`,
  ],
  [
    /alert (certificate required|unknown ca|bad certificate)/i,
    "the server requires a client certificate that it trusts; pass yours as the options " +
      `tls.clientCert and tls.clientKey, or ${CLIENT_CERT_VARIABLE} and ${CLIENT_KEY_VARIABLE}`,
  ],
];
const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/** Maximum time of the check whether a server requires TLS. */
const PROBE_TIMEOUT_MS = 2_000;

/** Returns the TLS mistake that made a connection fail, given the text of gRPC's error. */
export function tlsMistake(failure: string): string | undefined {
  return MISTAKES.find(([sign]) => sign.test(failure))?.[1];
}

/**
 * Returns the mistake if a server with an `http` address requires TLS. Such a server closes the
 * connection, without an error that gRPC reports. But it answers the HTTP/2 preface with a TLS alert
 * or, if it is a proxy, with an error page.
 */
export async function requiredTls(target: string): Promise<string | undefined> {
  const colon = target.lastIndexOf(":");
  const host = target.slice(0, colon).replace(/^\[|\]$/g, "");
  const socket = connect(Number(target.slice(colon + 1)), host);
  const answer = await new Promise<Buffer>((resolve) => {
    const none = () => resolve(Buffer.alloc(0));
    socket.setTimeout(PROBE_TIMEOUT_MS, none);
    socket.on("error", none).on("close", none).once("data", resolve);
    socket.write(PREFACE);
  });
  socket.destroy();
  const isAlert = answer[0] === 0x15 && answer[1] === 0x03;
  if (!isAlert && !answer.includes("HTTPS")) return undefined;
  return (
    "the server requires TLS; begin the address with https://, and if its certificate is not " +
    "signed by an authority that the system trusts, pass the file to trust as the option tls.ca " +
    `or ${CA_VARIABLE}`
  );
}
