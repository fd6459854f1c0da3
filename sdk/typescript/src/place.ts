// A server, and how it is reached.

import { OptionsError } from "./errors.js";
import { readTlsFiles, type PemFiles, type TlsFiles } from "./tls.js";

export const DEFAULT_SERVER = "http://127.0.0.1:50051";
/** Between the addresses of several servers. */
const BETWEEN = ",";

/** A server, and how it is reached. */
export interface Place {
  /** Its address, as it was given. */
  readonly server: string;
  /** The same as gRPC dials it: host and port. */
  readonly target: string;
  /** Undefined for a server that is reached without TLS. */
  readonly tls: PemFiles | undefined;
}

/** The servers of an address, or of several with commas between them, in their order. */
export function placesOf(servers: string, files: TlsFiles): readonly Place[] {
  let tls: PemFiles | undefined;
  return servers.split(BETWEEN).map((named) => {
    const server = named.trim();
    const { target, encrypted } = targetOf(server);
    if (encrypted) tls ??= readTlsFiles(files);
    return { server, target, tls: encrypted ? tls : undefined };
  });
}

/**
 * The server at HOST:PORT, reached in the same way as another one, since such an address says
 * nothing of TLS; undefined when it is no address.
 */
export function placeLike({ tls }: Place, hostAndPort: string): Place | undefined {
  const server = `${tls ? "https" : "http"}://${hostAndPort}`;
  try {
    return { server, target: targetOf(server).target, tls };
  } catch (error) {
    if (error instanceof OptionsError) return undefined;
    throw error;
  }
}

/** What gRPC dials for an address, host and port, and whether TLS is spoken there. */
function targetOf(server: string): { target: string; encrypted: boolean } {
  const text = server.includes("://") ? server : `http://${server}`;
  // Unlike the class URL, this keeps a port that is the default of its scheme.
  const parts = /^(https?):\/\/(\[[0-9a-fA-F:.]+\]|[^/?#@:[\]\s]+):(\d{1,5})\/?$/.exec(text);
  const [, scheme, host, port] = parts ?? [];
  if (!host || !port || Number(port) === 0 || Number(port) > 65535) {
    throw new OptionsError(`server "${server}" is not an address such as ${DEFAULT_SERVER}`);
  }
  return { target: `${host}:${port}`, encrypted: scheme === "https" };
}
