import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { basicAuthorization, proxyFor, shownProxy } from "../../../src/tools/proxy.ts";

const https = new URL("https://get.helm.sh/helm.tar.gz");
const http = new URL("http://mirror.example.com:8080/k3d");

function shown(url: URL, environment: Record<string, string>): string | undefined {
  const proxy = proxyFor(url, environment);
  return proxy === undefined ? undefined : shownProxy(proxy);
}

describe("which proxy", () => {
  test.each<[string, URL, Record<string, string>, string | undefined]>([
    ["none is set", https, {}, undefined],
    ["https", https, { HTTPS_PROXY: "http://proxy.example.com:3128" }, "proxy.example.com:3128"],
    ["lower case comes first", https, { HTTPS_PROXY: "http://a:1", https_proxy: "http://b:2" }, "b:2"],
    ["an empty variable says nothing", https, { https_proxy: "", HTTPS_PROXY: "http://a:1" }, "a:1"],
    ["http has a variable of its own", http, { HTTPS_PROXY: "http://a:1" }, undefined],
    ["http", http, { HTTP_PROXY: "http://a:1" }, "a:1"],
    ["without a scheme", https, { HTTPS_PROXY: "proxy.example.com:3128" }, "proxy.example.com:3128"],
    ["blanks around it", https, { HTTPS_PROXY: " http://a:1 " }, "a:1"],
    ["this machine needs none", new URL("http://localhost:5000/x"), { HTTP_PROXY: "http://a:1" }, undefined],
    ["nor by its numbers", new URL("http://127.0.0.1:5000/x"), { HTTP_PROXY: "http://a:1" }, undefined],
    ["nor by IPv6", new URL("http://[::1]:5000/x"), { HTTP_PROXY: "http://a:1" }, undefined],
  ])("%s", (_, url, environment, expected) => {
    expect(shown(url, environment)).toBe(expected);
  });

  test.each([
    ["*", true],
    ["helm.sh", true],
    [".helm.sh", true],
    ["*.helm.sh", true],
    ["get.helm.sh", true],
    ["GET.HELM.SH", true],
    ["get.helm.sh:443", true],
    ["get.helm.sh:8443", false],
    [".get.helm.sh", false],
    ["elm.sh", false],
    ["sh", true],
    ["example.com, helm.sh", true],
    ["example.com helm.sh", true],
    ["", false],
    [",,", false],
  ])("NO_PROXY=%j spares get.helm.sh: %s", (noProxy, spared) => {
    expect(shown(https, { HTTPS_PROXY: "http://a:1", NO_PROXY: noProxy }) === undefined).toBe(spared);
  });

  test.each([
    ["10.0.0.0/8", "http://10.1.2.3/x", true],
    ["10.0.0.0/8", "http://11.1.2.3/x", false],
    ["10.1.2.3", "http://10.1.2.3/x", true],
    ["10.1.2.3:80", "http://10.1.2.3/x", true],
    ["10.1.2.3:81", "http://10.1.2.3/x", false],
    ["2001:db8::/32", "http://[2001:db8::7]/x", true],
    ["2001:db8::7", "http://[2001:db8::7]/x", true],
    ["10.0.0.0/99", "http://10.1.2.3/x", false],
    ["2.3", "http://10.1.2.3/x", false],
  ])("NO_PROXY=%s, %s: %s", (noProxy, url, spared) => {
    expect(shown(new URL(url), { HTTP_PROXY: "http://a:1", no_proxy: noProxy }) === undefined).toBe(spared);
  });

  test("no list makes it throw", () => {
    fc.assert(
      fc.property(fc.string(), (noProxy) => {
        expect([undefined, "a:1"]).toContain(shown(https, { HTTPS_PROXY: "http://a:1", NO_PROXY: noProxy }));
      }),
    );
  });

  test("what is no proxy is refused without repeating it", () => {
    for (const value of ["socks5://ann:hunter2@proxy:1080", "http://ann:hunter2@:x"]) {
      expect(() => proxyFor(https, { HTTPS_PROXY: value })).toThrow(/^HTTPS_PROXY does not name a proxy/);
      expect(() => proxyFor(https, { HTTPS_PROXY: value })).not.toThrow(/hunter2/);
    }
  });
});

describe("B33: user and password of a proxy", () => {
  function sent(url: string): string | undefined {
    const proxy = proxyFor(https, { HTTPS_PROXY: url });
    const header = proxy === undefined ? undefined : basicAuthorization(proxy);
    return header === undefined ? undefined : Buffer.from(header.replace("Basic ", ""), "base64").toString();
  }

  test.each([
    ["http://ann:p%40ss@proxy:1", "ann:p@ss"],
    ["http://ann:p@ss@proxy:1", "ann:p@ss"],
    ["http://ann:50%@proxy:1", "ann:50%"],
    ["http://ann:p#s/s@proxy:1", "ann:p#s/s"],
    ["http://ann:a:b@proxy:1", "ann:a:b"],
    ["http://ann@proxy:1", "ann:"],
    ["http://proxy:1", undefined],
  ])("%s", (url, pair) => {
    expect(sent(url)).toBe(pair);
  });

  test("any password arrives, percent-encoded", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: "binary-ascii" }), (password) => {
        expect(sent(`http://ann:${encodeURIComponent(password)}@proxy:1`)).toBe(`ann:${password}`);
      }),
    );
  });

  test("what is shown of a proxy is host and port", () => {
    expect(shownProxy(new URL("http://ann:hunter2@proxy.example.com:3128"))).toBe("proxy.example.com:3128");
  });
});
