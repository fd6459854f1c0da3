// TLS for `https://` addresses: trusted certificates and the client certificate.

import { readFileSync } from "node:fs";
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
