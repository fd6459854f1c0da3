// Whom a bot trusts when the address of its server is an https:// one, and what it shows.

import { readFileSync } from "node:fs";
import { OptionsError } from "./errors.js";

export const CA_VARIABLE = "BRIDGEMASTER_CA";
export const CLIENT_CERT_VARIABLE = "BRIDGEMASTER_CLIENT_CERT";
export const CLIENT_KEY_VARIABLE = "BRIDGEMASTER_CLIENT_KEY";

/** Paths of PEM files. What is left out is taken from the environment variable of its name. */
export interface TlsFiles {
  /** Certificates to trust instead of the system's; `BRIDGEMASTER_CA`. */
  readonly ca?: string;
  /** The bot's own certificate, for servers that ask for one; `BRIDGEMASTER_CLIENT_CERT`. */
  readonly clientCert?: string;
  /** The private key of `clientCert`; `BRIDGEMASTER_CLIENT_KEY`. */
  readonly clientKey?: string;
}

/** What the files hold. */
export interface PemFiles {
  readonly ca: Uint8Array | undefined;
  readonly clientCert: Uint8Array | undefined;
  readonly clientKey: Uint8Array | undefined;
}

/** Where Linux systems keep the certificates that they trust; Node has a list of its own. */
const SYSTEM_LISTS = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/cert.pem",
];

/** Reads the files. Throws an `OptionsError` when one cannot be used. */
export function readTlsFiles(files: TlsFiles): PemFiles {
  const ca = read(files.ca, CA_VARIABLE);
  const clientCert = read(files.clientCert, CLIENT_CERT_VARIABLE);
  const clientKey = read(files.clientKey, CLIENT_KEY_VARIABLE);
  if ((clientCert === undefined) !== (clientKey === undefined)) {
    throw new OptionsError("a client certificate and its private key are given together");
  }
  return { ca: ca ?? systemRoots(), clientCert, clientKey };
}

/** The certificates that the system trusts; undefined for Node's own list. */
function systemRoots(): Uint8Array | undefined {
  for (const path of SYSTEM_LISTS) {
    try {
      return readFileSync(path);
    } catch {
      // Another system keeps it elsewhere.
    }
  }
  return undefined;
}

function read(given: string | undefined, variable: string): Uint8Array | undefined {
  const path = given || process.env[variable];
  if (!path) return undefined;
  try {
    return readFileSync(path);
  } catch (error) {
    throw new OptionsError(error instanceof Error ? error.message : `${path}: ${String(error)}`);
  }
}
