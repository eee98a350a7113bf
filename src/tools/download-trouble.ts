import { errnoOf } from "../host/errno.ts";

/** Why a file did not come. The sentence is for a person and holds no credentials. */
export class DownloadTrouble extends Error {
  readonly kind: "transfer" | "mismatch";
  /** Another try may help. */
  readonly mayPass: boolean;
  /** What was received so far is good for going on with. */
  readonly keepsPart: boolean;
  /** What a person can do besides trying again. */
  readonly hint: string | undefined;

  constructor(
    says: string,
    is: { kind?: "mismatch"; mayPass: boolean; keepsPart?: boolean; hint?: string },
    cause?: unknown,
  ) {
    super(says, cause === undefined ? undefined : { cause });
    this.name = "DownloadTrouble";
    this.kind = is.kind ?? "transfer";
    this.mayPass = is.mayPass;
    this.keepsPart = is.keepsPart ?? false;
    this.hint = is.hint;
  }

  static stalled(url: URL, ms: number): DownloadTrouble {
    return new DownloadTrouble(`${url.host} sends next to nothing (for ${Math.round(ms / 1000)} s)`, {
      mayPass: true,
      keepsPart: true,
    });
  }

  static page(url: URL): DownloadTrouble {
    const hint = "sign in to the network, or have the proxy let this address through";
    return new DownloadTrouble(
      `a web page came from ${url.host} in place of the file, as from a sign-in page or a proxy`,
      { mayPass: false, hint },
    );
  }

  static tooSmall(url: URL, bytes: number): DownloadTrouble {
    return new DownloadTrouble(`${url.host} sent ${bytes} bytes only, which is not the whole file`, { mayPass: true });
  }

  static mismatch(url: URL, expected: string, found: string): DownloadTrouble {
    const says = `what ${url.host} sends is not the pinned file: expected sha256 ${expected}, found ${found}`;
    return new DownloadTrouble(says, { kind: "mismatch", mayPass: true });
  }
}

/** An answer that is no file. */
export function httpTrouble(status: number, url: URL, through: string | undefined): DownloadTrouble {
  if (status === 407) {
    const hint = "put user and password into HTTPS_PROXY: http://user:password@host:port";
    return new DownloadTrouble(`the proxy ${through ?? ""} wants a user and a password`, { mayPass: false, hint });
  }
  // 416: what we have is longer than the file; it is begun anew.
  const mayPass = status >= 500 || status === 416 || status === 408 || status === 429;
  const way = through === undefined ? "" : ` through the proxy ${through}`;
  return new DownloadTrouble(`${url.host} answers ${status} for ${url.pathname}${way}`, {
    mayPass,
    keepsPart: status >= 500 || status === 429,
  });
}

const untrusted = /^(SELF_SIGNED_CERT|DEPTH_ZERO|UNABLE_TO_|CERT_|ERR_TLS_CERT)/;

const network: Readonly<Record<string, string>> = {
  ENOTFOUND: "its name is not known here",
  EAI_AGAIN: "the name server does not answer",
  ECONNREFUSED: "it refuses connections",
  ECONNRESET: "the connection was cut",
  ETIMEDOUT: "it does not answer",
  EHOSTUNREACH: "there is no way to it",
  ENETUNREACH: "there is no way to it",
  EPIPE: "the connection was cut",
};

/** Something that was thrown on the way. */
export function networkTrouble(error: unknown, url: URL): DownloadTrouble {
  const unwritten = writeTrouble(error);
  if (unwritten !== undefined) return unwritten;
  const code = errnoOf(error) ?? "";
  if (untrusted.test(code)) {
    const hint = "where the network inspects TLS, give Node its certificate: NODE_EXTRA_CA_CERTS=/path/to/ca.pem";
    return new DownloadTrouble(
      `the certificate of ${url.host} is not trusted (${code})`,
      { mayPass: false, hint },
      error,
    );
  }
  const why = network[code] ?? messageOf(error);
  return new DownloadTrouble(`${url.host} could not be read: ${why}`, { mayPass: true, keepsPart: true }, error);
}

const disk: Readonly<Record<string, string>> = {
  ENOSPC: "no space left",
  EDQUOT: "the disk quota is used up",
  EACCES: "not allowed",
  EPERM: "not allowed",
  EROFS: "the file system is read-only",
  EBUSY: "the file is in use",
};

/** Our own disk; undefined for an error of another kind. */
export function writeTrouble(error: unknown): DownloadTrouble | undefined {
  const why = disk[errnoOf(error) ?? ""];
  return why === undefined
    ? undefined
    : new DownloadTrouble(`the file could not be written: ${why}`, { mayPass: false }, error);
}

/** The words of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
