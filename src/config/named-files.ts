import { X509Certificate } from "node:crypto";

import type { Finding } from "../engine/finding.ts";
import type { Platform } from "../platform/platform.ts";
import type { ConfigFiles } from "./disk.ts";
import { namedSetting, wrongValue } from "./findings.ts";
import type { Wish, Wishes } from "./wishes.ts";

/** What settings point to must be there and be what it is taken for, before anything is begun. */
export async function lookAtNamedFiles(
  { values, chart, caBundle }: Wishes,
  files: ConfigFiles,
  platform: Platform,
): Promise<readonly Finding[]> {
  const findings = await Promise.all([
    judge("values", values, platform, async (path) => whyNotValues(path, files)),
    judge("chart", chart, platform, async (path) => whyNotChart(path, files, platform)),
    judge("caBundle", caBundle, platform, async (path) => whyNotCertificates(path, files)),
  ]);
  return findings.flat();
}

async function judge(
  key: "values" | "chart" | "caBundle",
  wish: Wish<string | undefined>,
  platform: Platform,
  whyNot: (path: string) => Promise<string | undefined>,
): Promise<readonly Finding[]> {
  const why = wish.value === undefined ? undefined : await whyNot(wish.value);
  return why === undefined
    ? []
    : [{ ...wrongValue(namedSetting(key), wish, { why }, platform), reason: "CONFIG_UNREADABLE" }];
}

async function whyNotValues(path: string, files: ConfigFiles): Promise<string | undefined> {
  const read = await readOrCode(path, files);
  if ("code" in read) return whyUnreadable(read.code);
  const { readValues } = await import("./yaml-file.ts");
  const seen = readValues(read.text);
  return "values" in seen ? undefined : `cannot be used: line ${seen.flaw.line} ${seen.flaw.why}`;
}

/** Handed to everything that runs in the cluster, so that a key has no place in it. */
async function whyNotCertificates(path: string, files: ConfigFiles): Promise<string | undefined> {
  const read = await readOrCode(path, files);
  if ("code" in read) return read.code === "EILSEQ" ? "is not PEM" : whyUnreadable(read.code);
  if (/PRIVATE KEY-----/.test(read.text)) return "holds a private key";
  const found = read.text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  try {
    const certificates = found.map((pem) => new X509Certificate(pem));
    return certificates.length > 0 ? undefined : "holds no certificate in PEM form";
  } catch {
    return "holds a certificate that cannot be read";
  }
}

/** A folder is known by its Chart.yaml. An archive is no text, so EILSEQ is what a good one answers. */
async function whyNotChart(path: string, files: ConfigFiles, platform: Platform): Promise<string | undefined> {
  if (/\.(?:tgz|tar\.gz)$/i.test(path)) {
    const read = await readOrCode(path, files);
    if (!("code" in read)) return "is no archive";
    return read.code === "EILSEQ" ? undefined : whyUnreadable(read.code);
  }
  const read = await readOrCode(platform.path.join(path, "Chart.yaml"), files);
  if (!("code" in read)) return undefined;
  return read.code === "ENOENT" ? "has no Chart.yaml" : whyUnreadable(read.code);
}

async function readOrCode(path: string, files: ConfigFiles): Promise<{ text: string } | { code: string }> {
  try {
    return { text: await files.readText(path) };
  } catch (error) {
    return { code: codeOf(error) };
  }
}

/** The system's short name for what went wrong, or nothing. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

const unreadable: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  ENOTDIR: "does not exist",
  EACCES: "may not be read by this user",
  EPERM: "may not be read by this user",
  EISDIR: "is a folder",
  EILSEQ: "is no text",
  ENOTSUP: "is no regular file",
  EFBIG: "is too large",
  ETIMEDOUT: "did not answer in time: is it on a network share that is down?",
};

/** Why the system did not hand over a file, in a clause. */
export function whyUnreadable(code: string): string {
  return unreadable[code] ?? (code === "" ? "cannot be read" : `cannot be read (${code})`);
}
