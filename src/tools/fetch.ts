import { request as plainRequest, type Agent, type IncomingMessage } from "node:http";
import { request as tlsRequest } from "node:https";

import type { Environment } from "../platform/environment.ts";
import { DownloadTrouble } from "./download-trouble.ts";
import { basicAuthorization, proxyFor, shownProxy } from "./proxy.ts";

export type FetchOptions = {
  headers: Readonly<Record<string, string>>;
  environment: Environment;
  /** Ends the request, and the response that came of it. */
  signal: AbortSignal;
  /** Certificates that are trusted besides Node's own, PEM. */
  ca?: readonly string[];
  /** Sent with a POST; such a request follows no redirect, since what it carries is meant for this host alone. */
  body?: string;
};

/** What came back, after redirects: the response is not read yet. `through` is the proxy, for messages. */
export type Fetched = { response: IncomingMessage; through: string | undefined };

const mostRedirects = 5;
const redirects = new Set([301, 302, 303, 307, 308]);

/**
 * Sends a GET (or, with a body, a POST), through a proxy where the environment names one, and follows redirects; never from https to http.
 * Rejects where no answer came: the error says why in a clause and holds no credentials.
 */
export async function fetchFile(from: URL, options: FetchOptions): Promise<Fetched> {
  let url = from;
  for (let hops = 0; hops <= mostRedirects; hops++) {
    const proxy = proxyFor(url, options.environment);
    const through = proxy === undefined ? undefined : shownProxy(proxy);
    const response = await send(url, proxy, options);
    const follows = options.body === undefined && redirects.has(response.statusCode ?? 0);
    const location = follows ? response.headers.location : undefined;
    if (location === undefined) return { response, through };
    response.destroy();
    const next = new URL(location, url);
    if (url.protocol === "https:" && next.protocol !== "https:") {
      throw new DownloadTrouble(`${url.host} redirects to plain http`, { mayPass: false });
    }
    url = next;
  }
  throw new DownloadTrouble(`${from.host} redirects more than ${mostRedirects} times`, { mayPass: false });
}

async function send(url: URL, proxy: URL | undefined, options: FetchOptions): Promise<IncomingMessage> {
  const request = {
    method: options.body === undefined ? "GET" : "POST",
    headers: options.headers,
    signal: options.signal,
    ...(options.ca && { ca: [...options.ca] }),
  };
  const secure = url.protocol === "https:";
  if (proxy === undefined) return answer(secure ? tlsRequest(url, request) : plainRequest(url, request), options);
  if (secure) return answer(tlsRequest(url, { ...request, agent: await tunnel(proxy, options.ca) }), options);

  // Plain http goes through a proxy as a whole URL: most proxies refuse CONNECT to anything but 443.
  return answer(
    (proxy.protocol === "https:" ? tlsRequest : plainRequest)(bare(proxy), {
      ...request,
      path: url.href,
      headers: { ...options.headers, host: url.host, ...credentials("proxy-authorization", proxy) },
    }),
    options,
  );
}

/** Loaded only where there is a proxy: few machines have one. Its URL goes in without the password, which DEBUG would print. */
async function tunnel(proxy: URL, ca: readonly string[] | undefined): Promise<Agent> {
  const { HttpsProxyAgent } = await import("https-proxy-agent");
  return new HttpsProxyAgent(bare(proxy), {
    headers: credentials("Proxy-Authorization", proxy),
    ...(ca !== undefined && { ca: [...ca] }),
  });
}

function answer(request: ReturnType<typeof plainRequest>, { body }: FetchOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once("response", resolve).once("error", reject).end(body);
  });
}

/** A header with the user and password of a URL; none where it has none. */
function credentials(header: string, url: URL): Record<string, string> {
  const authorization = basicAuthorization(url);
  return authorization === undefined ? {} : { [header]: authorization };
}

/** The URL without user and password. */
function bare(url: URL): URL {
  const copy = new URL(url);
  copy.username = "";
  copy.password = "";
  return copy;
}
