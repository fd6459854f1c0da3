// A real server with its page, and house bots, as processes: for tests that play.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const ROOT = process.env["PAGE_ROOT"] ?? process.cwd();
/** The program, as cargo builds it for tests. */
const PROGRAM = process.env["BRIDGEMASTER"] ?? join(ROOT, "../../target/debug/bridgemaster");

/** A match that waits for its bots. */
export interface MadeMatch {
  matchId: string;
  /** Of each seat, in seat order. */
  links: string[];
  tickets: string[];
}

/** The first line of a process that a pattern matches, by what the pattern's group holds. */
async function told(process: ChildProcess, patterns: readonly RegExp[]): Promise<string[]> {
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

/** A server with a data folder. */
export class RealServer {
  readonly #data = mkdtempSync(join(tmpdir(), "bridgemaster-page-"));
  readonly #bots: ChildProcess[] = [];
  #process: ChildProcess | undefined;
  #listen = "127.0.0.1:0";
  #page = "127.0.0.1:0";

  get pageUrl(): string {
    return `http://${this.#page}`;
  }

  /** Starts it; again after a stop at the same addresses. */
  async start(): Promise<this> {
    this.#process = spawn(PROGRAM, ["serve", "--listen", this.#listen, "--page", this.#page, "--data", this.#data, "--survives", "kill", "--drain-time", "0"], { stdio: ["ignore", "pipe", "inherit"] });
    const [listen = "", page = ""] = await told(this.#process, [/^listening on (?:http:\/\/)?([\d.:]+)/, /^page at http:\/\/([\d.:]+)/]);
    [this.#listen, this.#page] = [listen, page];
    return this;
  }

  /** Ends the server as a crash does. */
  async kill(): Promise<void> {
    if (!this.#process) return;
    this.#process.kill("SIGKILL");
    await ended(this.#process);
  }

  create(...flags: string[]): MadeMatch {
    const text = execFileSync(PROGRAM, ["create", "--server", `http://${this.#listen}`, "--page", this.pageUrl, ...flags], { encoding: "utf8" });
    const matchId = /^match (\S+)/.exec(text)?.[1] ?? "";
    const links = [...text.matchAll(/^ {2}seat \d+ {2}(http\S+)/gm)].map(([, link = ""]) => link);
    return { matchId, links, tickets: links.map((link) => link.split("#ticket=")[1] ?? "") };
  }

  /** A house bot for a seat; it stays until the match is over, also while the server is away. */
  bot(ticket: string, name = "random"): void {
    const env = { ...process.env, BRIDGEMASTER_SERVER: `http://${this.#listen}`, BRIDGEMASTER_TICKET: ticket };
    this.#bots.push(spawn(PROGRAM, ["bot", name], { env, stdio: "ignore" }));
  }

  async stop(): Promise<void> {
    for (const bot of this.#bots) bot.kill("SIGKILL");
    await Promise.all(this.#bots.map(ended));
    await this.kill();
    rmSync(this.#data, { recursive: true, force: true });
  }
}

/** `bridgemaster demo --human`. */
export class Demo {
  readonly #process: ChildProcess;

  constructor(...flags: string[]) {
    this.#process = spawn(PROGRAM, ["demo", "--human", "--quiet", ...flags], { stdio: ["ignore", "pipe", "inherit"] });
  }

  /** The link of the player's seat. */
  async link(): Promise<string> {
    const [link = ""] = await told(this.#process, [/^play at (\S+)/]);
    return link;
  }

  async stop(): Promise<void> {
    this.#process.kill("SIGINT");
    await ended(this.#process);
  }
}
