import { createHash } from "node:crypto";

/** The commitment to a seed, given its salt in hex; undefined when that is no hex. */
export function seedCommitment(seed: string, seedSalt: string): string | undefined {
  if (!/^([0-9a-fA-F]{2})*$/.test(seedSalt)) return undefined;
  return createHash("sha256").update(Buffer.from(seedSalt, "hex")).update(seed).digest("hex");
}
