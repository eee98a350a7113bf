import { BlockList, isIP } from "node:net";

import type { Environment } from "../platform/environment.ts";
import { DownloadTrouble } from "./download-trouble.ts";

/**
 * The proxy that a URL is to be fetched through, as the environment's variables say; undefined for none. Read as the
 * tools we fetch read them (Go's rules): lower or upper case, a proxy without a scheme is http, this machine's own
 * addresses never go through one. Throws where the variable that counts is no URL; its value is not repeated, since it
 * may hold a password.
 */
export function proxyFor(url: URL, environment: Environment): URL | undefined {
  const variable = url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const value = either(environment, variable);
  if (value === undefined || spared(url, sparedFrom(environment) ?? "")) return undefined;
  const proxy = asUrl(/^[a-z0-9+]+:\/\//i.test(value) ? value : `http://${value}`);
  if (proxy === undefined || !/^https?:$/.test(proxy.protocol)) {
    throw new DownloadTrouble(`${variable} does not name a proxy with http:// or https://`, { mayPass: false });
  }
  return proxy;
}

/** Host and port of a proxy, without its user and password. */
export function shownProxy(proxy: URL): string {
  return proxy.port === "" ? proxy.hostname : `${proxy.hostname}:${proxy.port}`;
}

/** What is to be reached without a proxy: NO_PROXY, as it is written. */
export function sparedFrom(environment: Environment): string | undefined {
  return either(environment, "NO_PROXY");
}

/** User and password of a URL, percent-decoded once; undefined for one without (B33). */
export function userOf(url: URL): { name: string; password: string } | undefined {
  if (url.username === "" && url.password === "") return undefined;
  return { name: decoded(url.username), password: decoded(url.password) };
}

/** What a URL with a user and password asks to be sent; undefined for one without. */
export function basicAuthorization(url: URL): string | undefined {
  const user = userOf(url);
  return user && `Basic ${Buffer.from(`${user.name}:${user.password}`).toString("base64")}`;
}

/** True for this machine itself, by any of its names: within a pod that would be the pod. */
export function isThisMachine({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, "").toLowerCase();
  return host === "localhost" || host.endsWith(".localhost") || isIn(host, "127.0.0.0/8") || host === "::1";
}

/** True where NO_PROXY, or being this machine, keeps a URL from the proxy. */
function spared(url: URL, noProxy: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, "").toLowerCase();
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  if (isThisMachine(url)) return true;
  return noProxy
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .some((entry) => covers(entry.toLowerCase(), host, port));
}

/** One entry of NO_PROXY: `*`, `example.com` (and all below it), `.example.com`, `*.example.com`, `192.0.2.0/24`, any with a port. */
function covers(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  if (entry.includes("/")) return isIn(host, entry);
  const [, name = entry, onPort] = /^\[?([^\]]*?)\]?(?::(\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? [];
  if (onPort !== undefined && onPort !== port) return false;
  const domain = name.replace(/^\*?\./, "");
  const belowOnly = domain !== name;
  return (!belowOnly && host === domain) || (isIP(host) === 0 && host.endsWith(`.${domain}`));
}

function isIn(host: string, range: string): boolean {
  const [network = "", bits = ""] = range.split("/");
  const family = isIP(host);
  if (family === 0 || isIP(network) !== family || !/^\d+$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128)) {
    return false;
  }
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family === 4 ? "ipv4" : "ipv6");
  return list.check(host, family === 4 ? "ipv4" : "ipv6");
}

/** Lower case first, as curl and Go take it; an empty variable says nothing. */
function either(environment: Environment, name: string): string | undefined {
  return [environment[name.toLowerCase()], environment[name]]
    .map((value) => value?.trim())
    .find((value) => value !== undefined && value !== "");
}

function asUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return asUrlWithRawPassword(text);
  }
}

/** A password is often written as it is, with `#`, `/` or `@` in it: all up to the last `@` is the user (B33). */
function asUrlWithRawPassword(text: string): URL | undefined {
  const found = /^(\w+:\/\/)([^:@/]*):(.*)@([^@]*)$/s.exec(text);
  if (found === null) return undefined;
  const [, scheme = "", user = "", password = "", rest = ""] = found;
  try {
    return new URL(`${scheme}${encodeURIComponent(user)}:${encodeURIComponent(password)}@${rest}`);
  } catch {
    return undefined;
  }
}

/** A stray `%` is itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
