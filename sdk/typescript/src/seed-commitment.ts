import { createHash } from "node:crypto";

/** Computes the commitment to a seed; undefined if the salt is not valid hex. */
export function seedCommitment(seed: string, seedSalt: string): string | undefined {
  if (!/^([0-9a-fA-F]{2})*$/.test(seedSalt)) return undefined;
  return createHash("sha256").update(Buffer.from(seedSalt, "hex")).update(seed).digest("hex");
}
