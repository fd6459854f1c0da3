// Runs a real server with its page, and house bots, as processes.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { certificate } from "./certificate.ts";

const ROOT = process.env["PAGE_ROOT"] ?? process.cwd();
/** Path of the program, by default as built by `cargo test`. */
const PROGRAM = process.env["BRIDGEMASTER"] ?? join(ROOT, "../../target/debug/bridgemaster");

/** A created match that is waiting for its players. */
export interface CreatedMatch {
  matchId: string;
  /** Links to play each seat, in seat order. */
  links: string[];
  tickets: string[];
}

/** Reads standard output until each pattern has matched, and returns the groups of the first matches. */
async function readMatches(process: ChildProcess, patterns: readonly RegExp[]): Promise<string[]> {
  const found: (string | undefined)[] = patterns.map(() => undefined);
  if (!process.stdout) throw new Error("no standard output");
  for await (const line of createInterface({ input: process.stdout })) {
    patterns.forEach((pattern, index) => (found[index] ??= pattern.exec(line)?.[1]));
    if (found.every((each) => each !== undefined)) {
      process.stdout.resume();
      return found.filter((each) => each !== undefined);
    }
  }
  throw new Error(`the program ended without ${String(patterns[found.indexOf(undefined)])}`);
}

async function ended(process: ChildProcess): Promise<void> {
  if (process.exitCode === null && process.signalCode === null) await new Promise((done) => process.once("exit", done));
}

/** A server process with a temporary data folder. */
export class RealServer {
  readonly #folder = mkdtempSync(join(tmpdir(), "bridgemaster-page-"));
  readonly #data = join(this.#folder, "data");
  readonly #bots: ChildProcess[] = [];
  #process: ChildProcess | undefined;
  #listen = "127.0.0.1:0";
  #page = "127.0.0.1:0";

  readonly #secure: readonly string[];

  /** With `isSecure`, the server uses TLS and requires API keys. */
  constructor({ isSecure = false } = {}) {
    if (!isSecure) {
      this.#secure = [];
      return;
    }
    const made = certificate();
    writeFileSync(this.#file("cert.pem"), made.certificate);
    writeFileSync(this.#file("key.pem"), made.key, { mode: 0o600 });
    this.#secure = ["--tls-cert", this.#file("cert.pem"), "--tls-key", this.#file("key.pem"), "--require-keys"];
  }

  #file(name: string): string {
    return join(this.#folder, name);
  }

  #url(address: string): string {
    return `${this.#secure.length > 0 ? "https" : "http"}://${address}`;
  }

  get pageUrl(): string {
    return this.#url(this.#page);
  }

  /** Creates an API key with these scopes. */
  key(name: string, ...scopes: string[]): string {
    const flags = scopes.flatMap((scope) => ["--scope", scope]);
    const text = execFileSync(PROGRAM, ["key", "add", "--data", this.#data, name, ...flags], { encoding: "utf8" });
    return /bmk_\S+/.exec(text)?.[0] ?? "";
  }

  /** Starts the server; after a stop, at the same addresses. */
  async start(): Promise<this> {
    this.#process = spawn(PROGRAM, ["serve", "--listen", this.#listen, "--page", this.#page, "--data", this.#data, "--durability", "process", "--drain-time", "0", ...this.#secure], { stdio: ["ignore", "pipe", "inherit"] });
    const [listen = "", page = ""] = await readMatches(this.#process, [/^listening on (?:https?:\/\/)?([\d.:]+)/, /^page at https?:\/\/([\d.:]+)/]);
    [this.#listen, this.#page] = [listen, page];
    return this;
  }

  /** Kills the server, as in a crash. */
  async kill(): Promise<void> {
    if (!this.#process) return;
    this.#process.kill("SIGKILL");
    await ended(this.#process);
  }

  create(...flags: string[]): CreatedMatch {
    const text = execFileSync(PROGRAM, ["match", "create", "--server", this.#url(this.#listen), "--page", this.pageUrl, ...this.#trust(), ...flags], { encoding: "utf8" });
    const matchId = /^match (\S+)/.exec(text)?.[1] ?? "";
    const links = [...text.matchAll(/^ {2}seat \d+ {2}(http\S+)/gm)].map(([, link = ""]) => link);
    return { matchId, links, tickets: links.map((link) => link.split("#ticket=")[1] ?? "") };
  }

  /** Returns the flags for a client to trust the server's certificate. */
  #trust(): string[] {
    return this.#secure.length > 0 ? ["--ca", this.#file("cert.pem")] : [];
  }

  /** Starts a house bot for a seat. It runs until the match is over, also while the server is down. */
  bot(ticket: string, name = "random"): void {
    const env = { ...process.env, BRIDGEMASTER_SERVER: `http://${this.#listen}`, BRIDGEMASTER_TICKET: ticket };
    this.#bots.push(spawn(PROGRAM, ["bot", name], { env, stdio: "ignore" }));
  }

  async stop(): Promise<void> {
    for (const bot of this.#bots) bot.kill("SIGKILL");
    await Promise.all(this.#bots.map(ended));
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Runs a contest, and serves it with `bridgemaster contest open`. */
export class OpenedContest {
  readonly #folder = mkdtempSync(join(tmpdir(), "bridgemaster-page-"));
  readonly #process: ChildProcess;

  constructor(...flags: string[]) {
    const folder = join(this.#folder, "contest");
    // The high limit prevents annulled matches on busy machines.
    execFileSync(PROGRAM, ["contest", "--quiet", "--folder", folder, "--referee-lag-limit-ms", "10000", ...flags], { stdio: "inherit" });
    this.#process = spawn(PROGRAM, ["contest", "open", folder], { stdio: ["ignore", "pipe", "inherit"] });
  }

  async url(): Promise<string> {
    const [url = ""] = await readMatches(this.#process, [/ at (http:\S+)/]);
    return url;
  }

  async stop(): Promise<void> {
    this.#process.kill("SIGINT");
    await ended(this.#process);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Runs `bridgemaster demo --human`. */
export class Demo {
  readonly #process: ChildProcess;

  constructor(...flags: string[]) {
    this.#process = spawn(PROGRAM, ["demo", "--human", "--quiet", ...flags], { stdio: ["ignore", "pipe", "inherit"] });
  }

  /** Returns the link of the player's seat. */
  async link(): Promise<string> {
    const [link = ""] = await readMatches(this.#process, [/^play at (\S+)/]);
    return link;
  }

  async stop(): Promise<void> {
    this.#process.kill("SIGINT");
    await ended(this.#process);
  }
}
