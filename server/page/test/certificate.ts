// Generates a self-signed certificate for 127.0.0.1 and localhost.

import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** Encodes a DER element: tag, length, content. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const { length } = body;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}

const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
const octets = (part: Buffer) => der(0x04, part);
const bits = (part: Buffer) => der(0x03, Buffer.from([0]), part);
const oid = (...bytes: number[]) => der(0x06, Buffer.from(bytes));
const time = (date: string) => der(0x17, Buffer.from(date));

/** Object identifiers: ecdsa-with-SHA256, commonName and subjectAltName. */
const ECDSA = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
const COMMON_NAME = oid(0x55, 0x04, 0x03);
const OTHER_NAMES = oid(0x55, 0x1d, 0x11);

const pem = (name: string, body: Buffer) =>
  `-----BEGIN ${name}-----\n${body.toString("base64").replace(/(.{64})/g, "$1\n").trim()}\n-----END ${name}-----\n`;

/** Returns a certificate and its private key, as PEM. */
export function certificate(): { certificate: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from("bridgemaster tests")))));
  const names = sequence(der(0x82, Buffer.from("localhost")), der(0x87, Buffer.from([127, 0, 0, 1])));
  const extensions = sequence(sequence(OTHER_NAMES, octets(names)));
  const serial = Buffer.concat([Buffer.from([1]), randomBytes(8)]);
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))), der(0x02, serial), ECDSA, name,
    sequence(time("200101000000Z"), time("491231235959Z")), name,
    publicKey.export({ type: "spki", format: "der" }), der(0xa3, extensions),
  );
  return {
    certificate: pem("CERTIFICATE", sequence(body, ECDSA, bits(sign("sha256", body, privateKey)))),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}
