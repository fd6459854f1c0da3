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
  /** HOST:PORT of the proxy; undefined for none. */
  readonly proxy: string | undefined;
}

/**
 * Parses an address, or several separated by commas; reads the TLS files if an address uses TLS.
 */
export function parseServers(
  addresses: string,
  files: TlsFiles,
  proxyAddress?: string,
): readonly Server[] {
  let tls: PemFiles | undefined;
  const proxy = proxyAddress ? parseProxy(proxyAddress) : undefined;
  return addresses.split(SEPARATOR).map((part) => {
    const address = part.trim();
    const { target, encrypted } = parseAddress(address);
    if (encrypted) tls ??= readTlsFiles(files);
    return { address, target, tls: encrypted ? tls : undefined, proxy };
  });
}

function parseProxy(address: string): string {
  let proxy;
  try {
    proxy = parseAddress(address);
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    throw new OptionsError(error.message.replace(/^server:/, "proxy:"));
  }
  if (proxy.encrypted) {
    throw new OptionsError(`proxy: "${address}" is not supported: the scheme must be http`);
  }
  return proxy.target;
}

/** An IPv6 address has at least two colons, and a port no leading zero. */
const HOST = /^([A-Za-z0-9._-]+|\[(?=[^\]]*:[^\]]*:)[0-9A-Fa-f:.]+\])$/;
const PORT = /^[1-9][0-9]{0,4}$/;
const MAX_PORT = 65535;

/**
 * Returns the target that gRPC dials for an address, and whether it uses TLS, as sdk/addresses.tsv
 * specifies for all SDKs.
 */
export function parseAddress(text: string): { target: string; encrypted: boolean } {
  const address = text.trim();
  const fail = (problem: string) =>
    new OptionsError(`server: "${address}" is not an address such as ${DEFAULT_SERVER}: ${problem}`);
  if (/^unix(-abstract)?:/.test(address)) throw fail("Unix sockets are not supported");
  const at = address.indexOf("://");
  const scheme = at < 0 ? "http" : address.slice(0, at).toLowerCase();
  if (scheme !== "http" && scheme !== "https") throw fail("the scheme is not http or https");
  const rest = (at < 0 ? address : address.slice(at + 3)).replace(/\/$/, "");
  if (/[/?#]/.test(rest)) throw fail("a path is not allowed");
  if (/^[^[]*:.*:/.test(rest)) throw fail("an IPv6 address needs brackets");
  const [, host, colon, digits] = /^(\[[^\]]*\]|[^:]*)(:(.*))?$/.exec(rest) ?? [];
  if (host === undefined || !HOST.test(host)) throw fail("the host is not valid");
  const defaultPort = scheme === "https" ? "443" : "80";
  const port = colon !== undefined || at < 0 ? digits : defaultPort;
  if (!port) throw fail("the port is missing");
  if (!PORT.test(port) || Number(port) > MAX_PORT) {
    throw fail(`the port is out of range (1 to ${MAX_PORT})`);
  }
  return { target: `${host}:${port}`, encrypted: scheme === "https" };
}
