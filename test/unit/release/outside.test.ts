import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { withOutside } from "../../../src/release/outside.ts";
import { generateValues } from "../../../src/release/values.ts";
import { asking } from "../cluster/stand-in.ts";

const pem = "-----BEGIN CERTIFICATE-----";

describe("what workloads are told of the world outside", () => {
  test("is nothing where there is nothing to say", () => {
    expect(withOutside({ HTTPS_PROXY: " " }, undefined, { a: 1 })).toEqual({ a: 1 });
  });

  test("is the proxy in the parts that the chart takes", () => {
    const environment = { HTTPS_PROXY: "http://ada:p%40ss@proxy.example.com", NO_PROXY: "example.com" };
    expect(withOutside(environment, undefined, {})).toEqual({
      env: {
        HTTP_PROXY_HOST: "proxy.example.com",
        HTTP_PROXY_PORT: "80",
        HTTP_PROXY_USERNAME: "ada",
        HTTP_PROXY_PASSWORD: "p@ss",
        NO_PROXY: "example.com",
      },
    });
  });

  test("has any user and password as they are, however they had to be written in the variable", () => {
    const words = fc.string({ minLength: 1, unit: "binary" }).filter((text) => !/[\0:\r\n]/.test(text));
    fc.assert(
      fc.property(words, words, (user, password) => {
        const url = `http://${encodeURIComponent(user)}:${encodeURIComponent(password)}@proxy.example.com:3128`;
        expect(withOutside({ http_proxy: url }, undefined, {})["env"]).toMatchObject({
          HTTP_PROXY_USERNAME: user,
          HTTP_PROXY_PASSWORD: password,
        });
      }),
    );
  });

  test.each(["http://127.0.0.1:3128", "localhost:3128", "socks5://proxy.example.com", "http://"])(
    "is not a proxy that no pod could use: %s",
    (proxy) => {
      expect(withOutside({ HTTPS_PROXY: proxy }, undefined, {})).toEqual({});
    },
  );

  test("gives way to the operator's own values", () => {
    const file = { env: { HTTP_PROXY_HOST: "other.example.com" }, caBundle: { configMap: "ours" } };
    expect(withOutside({ HTTPS_PROXY: "proxy.example.com:3128" }, pem, file)).toEqual({
      env: { HTTP_PROXY_HOST: "other.example.com", HTTP_PROXY_PORT: "3128" },
      caBundle: { configMap: "ours" },
    });
    expect(withOutside({}, pem, {})).toEqual({ caBundle: { pem } });
  });
});

describe("the values for a mirror", () => {
  const shape = { storageMode: "hostpath", datasetPath: undefined } as const;
  const login = { registryUsername: "ada", registryPassword: "word" };
  const valuesOf = (wishes: Parameters<typeof asking>[0]) => generateValues(asking(wishes), shape, false);

  test("are its name without a scheme, and a pull secret for its host", () => {
    expect(valuesOf({ imageRegistry: "http://mirror.example.com:5000/team", ...login })).toEqual({
      global: { imageRegistry: "mirror.example.com:5000/team" },
      dockerRegistry: {
        create: true,
        server: "https://mirror.example.com:5000",
        username: "ada",
        password: "word",
        email: "",
        existingSecret: "",
      },
    });
  });

  test("without one are a pull secret for Docker Hub", () => {
    expect(valuesOf(login)).toMatchObject({ dockerRegistry: { server: "https://index.docker.io/v1/" } });
  });

  test("name a secret that is there in place of one that is made", () => {
    const dockerRegistry = { create: false, existingSecret: "mirror-login" };
    expect(valuesOf({ ...login, pullSecret: "mirror-login" })).toEqual({ dockerRegistry });
  });

  test("are none where none was asked for", () => {
    expect(valuesOf({})).toEqual({});
  });
});
