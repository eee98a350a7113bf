import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** A certificate that vouches for itself, made on the spot: a key in the repository would be one that somebody trusts some day. */
export function selfSigned(host: string): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const ecdsaWithSha256 = sequence(oid([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]));
  const name = sequence(der(0x31, sequence(oid([0x55, 0x04, 0x03]), der(0x0c, Buffer.from(host)))));
  const alternative = sequence(oid([0x55, 0x1d, 0x11]), der(0x04, sequence(der(0x82, Buffer.from(host)))));
  const body = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    name,
    sequence(der(0x17, Buffer.from("200101000000Z")), der(0x18, Buffer.from("21200101000000Z"))),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(alternative)),
  );
  const signature = sign("sha256", body, privateKey);
  const certificate = sequence(body, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature));
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString("base64")}\n-----END CERTIFICATE-----\n`,
  };
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, ...parts);
}

function oid(bytes: readonly number[]): Buffer {
  return der(0x06, Buffer.from(bytes));
}

function integer(bytes: Buffer): Buffer {
  return der(0x02, bytes);
}
