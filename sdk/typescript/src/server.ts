// Servers and their addresses.

import { OptionsError } from "./errors.js";
import { readTlsFiles, type PemFiles, type TlsFiles } from "./tls.js";

export const DEFAULT_SERVER = "http://127.0.0.1:50051";
/** Separates the addresses of a cluster. */
const SEPARATOR = ",";

/** A server and how to connect to it. */
export interface Server {
  /** The address as given in the options. */
  readonly address: string;
  /** The address as gRPC dials it: HOST:PORT. */
  readonly target: string;
  /** Undefined for a connection without TLS. */
  readonly tls: PemFiles | undefined;
}

/**
 * Parses an address, or several separated by commas; reads the TLS files if an address uses TLS.
 */
export function parseServers(addresses: string, files: TlsFiles): readonly Server[] {
  let tls: PemFiles | undefined;
  return addresses.split(SEPARATOR).map((part) => {
    const address = part.trim();
    const { target, encrypted } = parseAddress(address);
    if (encrypted) tls ??= readTlsFiles(files);
    return { address, target, tls: encrypted ? tls : undefined };
  });
}

/** Returns the target that gRPC dials for an address, and whether it uses TLS. */
function parseAddress(address: string): { target: string; encrypted: boolean } {
  const text = address.includes("://") ? address : `http://${address}`;
  // Unlike the class URL, this keeps a port that is the default of its scheme.
  const parts = /^(https?):\/\/(\[[0-9a-fA-F:.]+\]|[^/?#@:[\]\s]+):(\d{1,5})\/?$/.exec(text);
  const [, scheme, host, port] = parts ?? [];
  if (!host || !port || Number(port) === 0 || Number(port) > 65535) {
    throw new OptionsError(`server: "${address}" is not an address such as ${DEFAULT_SERVER}`);
  }
  return { target: `${host}:${port}`, encrypted: scheme === "https" };
}
