import { mirrorOf } from "./image-reference.ts";
import type { Objection } from "./release-names.ts";

const image = /^(?<name>[^@]*?)(?::(?<tag>[^:/@]+))?(?:@(?<digest>.*))?$/;
const imageHost = /^(?:[a-z0-9-]+\.)*[a-z0-9-]+(?::\d+)?$/i;
const imagePart = /^[a-z0-9]+(?:[._-]+[a-z0-9]+)*$/i;

/** Why a text cannot be the image of a container: `[host[:port]/]path[:tag][@sha256:digest]`, pinned to something. */
export function objectionToImage(text: string): Objection | undefined {
  if (/^\w+:\/\//.test(text)) return { why: "has a scheme in front" };
  const { name = "", tag, digest } = image.exec(text)?.groups ?? {};
  const [first = "", ...rest] = name.split("/");
  const hasHost = rest.length > 0 && (/[.:]/.test(first) || first === "localhost");
  const parts = hasHost ? rest : [first, ...rest];
  if ((hasHost && !imageHost.test(first)) || !parts.every((part) => imagePart.test(part))) {
    return { why: "is not the name of an image" };
  }
  const capitals = parts.some((part) => part !== part.toLowerCase());
  if (capitals) return { why: "has capital letters", instead: text.toLowerCase() };
  if (digest !== undefined && !/^sha256:[0-9a-f]{64}$/.test(digest)) return { why: "has a digest that is none" };
  if (tag !== undefined && !/^\w[\w.-]{0,127}$/.test(tag)) return { why: "has a tag that is none" };
  const pinned = digest !== undefined || (tag !== undefined && tag !== "latest");
  return pinned ? undefined : { why: "is not pinned to a version" };
}

/** Why a text cannot be the backend's address: plain HTTP would send the password in the clear to anyone but this machine. */
export function objectionToBackend(address: string): Objection | undefined {
  return objectionToUrl(address, (url) => url.protocol === "https:" || isLoopback(url.hostname));
}

/** Why a text cannot be that of a mirror. What comes from it is held against a digest, so plain HTTP will do. */
export function objectionToMirror(address: string): Objection | undefined {
  return objectionToUrl(address, () => true);
}

function objectionToUrl(address: string, isSafe: (url: URL) => boolean): Objection | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:\/\//i.test(address) || url.hostname === "") {
    const near = /^[\w.-]+\.\w+(?::\d+)?(?:\/[\w./-]*)?$/.test(address) ? { instead: `https://${address}` } : {};
    return { why: "is not a web address", ...near };
  }
  if (url.username !== "" || url.password !== "") return { why: "has a user name or password in it" };
  if (url.search !== "" || url.hash !== "") return { why: "has a query or a fragment in it" };
  return isSafe(url) ? undefined : { why: "is not encrypted", instead: address.replace(/^http:/i, "https:") };
}

/** The names and addresses of this machine itself. URL has made 127.1 and the like into four numbers already. */
function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** Why a text cannot be a client's id. The message never shows it: where a password stands in the wrong place, it stands here. */
export function objectionToClientId(id: string): Objection | undefined {
  if (/\s/.test(id)) return { why: "has a blank in it" };
  if (id.length > 200) return { why: "is too long" };
  return undefined;
}

/** Why a text cannot be a registry that images come from. A password in it would end up in names of images. */
export function objectionToRegistry(text: string): Objection | undefined {
  if (text.includes("@")) return { why: "has a user name or password in it" };
  if (/^(?!https?:)\w+:\/\//i.test(text)) return { why: "has a scheme other than https:// and http://" };
  return mirrorOf(text) === undefined ? { why: "names no registry" } : undefined;
}

/** Why a text cannot be a user of a registry: basic authentication ends the name at the first colon. */
export function objectionToUser(name: string): Objection | undefined {
  return name.includes(":") ? { why: "has a colon in it" } : undefined;
}

/** Why a text cannot be a password. */
export function objectionToPassword(password: string): Objection | undefined {
  return password.length > 1000 ? { why: "is too long" } : undefined;
}
