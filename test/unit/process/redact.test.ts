import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { createRedactor, lineRedactor, redactArgs, redactData } from "../../../src/process/redact.ts";

const { redact } = createRedactor();

function redactorOf(...secrets: string[]) {
  const redactor = createRedactor();
  for (const secret of secrets) redactor.add(secret);
  return redactor;
}

/** What a password generator, a person and a proxy's administrator come up with. `*<>` stay out: the mark is made of such. */
const secret = fc
  .string({
    minLength: 4,
    maxLength: 40,
    unit: fc.constantFrom(...Array.from("abcdefgh0123456789ABCXYZ!\"#$%&'()+,-./:;=?@[\\]^_`{|}~ äß漢🙂")),
  })
  .filter((text) => text.trim() === text && text.length >= 4 && !"<redacted>".includes(text));

/** How a secret may be spelled by what prints it. */
const spellings: Record<string, (secret: string) => string> = {
  plain: (text) => text,
  "in a URL": encodeURIComponent,
  "in a URL, small hex": (text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
  "in a URL, all of it": (text) =>
    [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  "in a URL, twice": (text) => encodeURIComponent(encodeURIComponent(text)),
  "in a form": (text) => new URLSearchParams({ x: text }).toString().slice(2),
  "in JSON": (text) => JSON.stringify(text).slice(1, -1),
  "in JSON in JSON": (text) => JSON.stringify(JSON.stringify(text)).slice(1, -1),
  "in Go's JSON": (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replace(/[<>&]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`),
  "in ASCII JSON": (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  "in YAML's single quotes": (text) => text.replaceAll("'", "''"),
  "in a shell's single quotes": (text) => text.replaceAll("'", "'\\''"),
  "in PowerShell's double quotes": (text) => text.replaceAll('"', '""'),
  base64: (text) => Buffer.from(text).toString("base64"),
  "base64 for URLs": (text) => Buffer.from(text).toString("base64url"),
};

describe("a known secret", () => {
  test.for(Object.entries(spellings))("does not survive %s", ([, spell]) => {
    fc.assert(
      fc.property(secret, fc.constantFrom("", "x", "word ", '"', "\n"), (canary, around) => {
        const clean = redactorOf(canary).redact(`${around}${spell(canary)}${around}`);
        expect(clean).not.toContain(spell(canary));
        expect(clean).toContain("<redacted>");
      }),
      { numRuns: 50 },
    );
  });

  test("does not survive inside a longer base64 text, such as user:password", () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 5 }),
        secret.filter((text) => text.length >= 8),
        fc.string({ maxLength: 5 }),
        (before, canary, after) => {
          const clean = redactorOf(canary).redact(Buffer.from(before + canary + after).toString("base64"));
          const left = Buffer.from(clean.replaceAll("<redacted>", "|"), "base64").toString("latin1");
          expect(left).not.toContain(Buffer.from(canary).toString("latin1").slice(2, -2));
          expect(clean).toContain("<redacted>");
        },
      ),
    );
  });

  test("of several lines does not survive, whole, indented or line by line", () => {
    const key = "first-line-of-a-key-0001\nsecond-line-of-a-key-002\nend";
    const { redact: clean } = redactorOf(key);
    expect(clean(`a\n${key}\nb`)).toBe("a\n<redacted>\nb");
    expect(clean(`ca: |\n  ${key.replaceAll("\n", "\n  ")}\nb`)).toBe("ca: |\n  <redacted>\nb");
    expect(clean(JSON.stringify({ ca: key }))).toBe('{"ca":"<redacted>"}');
    expect(clean("x second-line-of-a-key-002 y")).toBe("x <redacted> y");
  });

  test("of up to three characters goes only where it is all there is, or all there is between quotes", () => {
    const { redact: clean } = redactorOf("abc");
    expect(clean("abc")).toBe("<redacted>");
    expect(clean('{"x":"abc"}')).toBe('{"x":"<redacted>"}');
    expect(clean("abcdef xabc abc.")).toBe("abcdef xabc abc.");
  });

  test("that is empty, or nothing, changes nothing", () => {
    const redactor = redactorOf("", "  ", "\n");
    redactor.add(undefined);
    expect(redactor.redact("a b\n\nc")).toBe("a b\n\nc");
  });

  test("that begins like the mark ends does not eat into a mark", () => {
    const redactor = redactorOf("hunter22", "redacted> hunter33");
    const once = redactor.redact("hunter22 hunter33");
    expect([once, redactor.redact(once)]).toEqual(["<redacted> hunter33", "<redacted> hunter33"]);
  });

  test("that contains another goes whole", () => {
    expect(redactorOf("hunter", "hunter-and-more").redact("say hunter-and-more")).toBe("say <redacted>");
  });

  test("goes from text that was redacted before, which changes no more", () => {
    fc.assert(
      fc.property(
        fc.array(secret, { maxLength: 3 }),
        fc.array(fc.oneof(secret, fc.string()), { maxLength: 6 }),
        (secrets, parts) => {
          const redactor = redactorOf(...secrets);
          const once = redactor.redact([...parts, ...secrets].join(" "));
          expect(redactor.redact(once)).toBe(once);
        },
      ),
    );
  });
});

describe("what looks like a secret", () => {
  test.for([
    ["K3S_TOKEN=abc123", "K3S_TOKEN=<redacted>"],
    ["run -e K3S_TOKEN=abc123 -e OTHER=1", "run -e K3S_TOKEN=<redacted> -e OTHER=1"],
    ['["PATH=/bin","DB_PASSWORD=two words","X=1"]', '["PATH=/bin","DB_PASSWORD=<redacted>","X=1"]'],
    ["password: hunter2", "password: <redacted>"],
    ["  clientPassword: two words, and more", "  clientPassword: <redacted>"],
    ['  password: "hun\\"ter2"', '  password: "<redacted>"'],
    ["secret: 'it''s'", 'secret: "<redacted>"'],
    ['{"clientPassword":"hun\\"ter","namespace":"a"}', '{"clientPassword":"<redacted>","namespace":"a"}'],
    ['{"values":"{\\"token\\":\\"abc\\",\\"a\\":1}"}', '{"values":"{\\"token\\":\\"<redacted>\\",\\"a\\":1}"}'],
    ['said {"values":"{\\"token\\":\\"abc\\",\\"a\\":1}"}', 'said {"values":"{\\"token\\":"<redacted>",\\"a\\":1}"}'],
    ['{"password":12345678,"max_token":5}', '{"password":"<redacted>","max_token":5}'],
    ['{"a":1}\n{"token":"x"}\ntoken: y', '{"a":1}\n{"token":"<redacted>"}\ntoken: <redacted>'],
    ["password: 12345678", "password: <redacted>"],
    ["--token abc123 --name x", "--token <redacted> --name x"],
    ["--client-password=abc123", "--client-password=<redacted>"],
    ["--api-key 'a b' x", "--api-key <redacted> x"],
    ["https://example.com/?token=abc&x=1", "https://example.com/?token=<redacted>"],
    ["DB_PASS=abc", "DB_PASS=<redacted>"],
    ["aws_secret_access_key = abc/def", "aws_secret_access_key = <redacted>"],
    ["    client-key-data: LS0tLS1CRUdJTg==", "    client-key-data: <redacted>"],
    ["token: |\n  line one\n  line two\nnext: x", "token: <redacted>\nnext: x"],
    ["http://user:pa:ss@proxy.example.com:3128/", "http://user:<redacted>@proxy.example.com:3128/"],
    ["http://user:p@ss@proxy.example.com", "http://user:<redacted>@proxy.example.com"],
    ["http://user:pa/s?s#x@proxy.example.com:3128", "http://user:<redacted>@proxy.example.com:3128"],
    ["https://sometoken@example.com/x", "https://<redacted>@example.com/x"],
    ["Authorization: Bearer abc.def", "Authorization: Bearer <redacted>"],
    ["authorization: Basic dXNlcjpwYXNz", "authorization: Basic <redacted>"],
    ["got bearer abcdef12345 back", "got bearer <redacted> back"],
    ['{"auths":{"x":{"auth":"dXNlcjpwYXNz"}}}', '{"auths":{"x":{"auth":"<redacted>"}}}'],
    ["jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl!", "jwt <redacted>!"],
    [`K10${"0".repeat(64)}::server:abcdef`, "<redacted>"],
    [`x ghp_${"a".repeat(36)} y`, "x <redacted> y"],
    [`glpat-${"a".repeat(20)}`, "<redacted>"],
    ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "<redacted>"],
  ])("goes: %s", ([text, clean]) => {
    expect(redact(text ?? "")).toBe(clean);
    expect(redact(clean ?? "")).toBe(clean);
  });

  const body = Array.from(
    { length: 20 },
    () => "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
  ).join("\n");
  const pem = `-----BEGIN RSA PRIVATE KEY-----\n${body}\n-----END RSA PRIVATE KEY-----`;

  test.for([
    ["whole", `a\n${pem}\nb`, "a\n<redacted>\nb"],
    ["cut off at its end", `a\n${pem.slice(0, 200)}`, "a\n<redacted>"],
    ["cut off at its start", `a line\n${pem.slice(200)}\nb`, "a line\n<redacted>\nb"],
    ["on one line of JSON", JSON.stringify({ x: pem }), '{"x":"<redacted>"}'],
  ])("a private key goes, %s", ([, text, clean]) => {
    expect(redact(text ?? "").replace(/<redacted>(?:\n<redacted>)+/g, "<redacted>")).toBe(clean);
  });

  test("a private key goes from a stream of lines", () => {
    const clean = lineRedactor(redact);
    const lines = `before\n${pem}\nafter`.split("\n").map(clean);
    expect(lines[0]).toBe("before");
    expect(lines.at(-1)).toBe("after");
    expect(new Set(lines.slice(1, -1))).toEqual(new Set(["<redacted>"]));
  });

  test.for([
    'time="2026-11-30T12:00:00Z" level=info msg="Starting node \'k3d-tracebloc-server-0\'"',
    "image rancher/k3s:v1.29.4-k3s1@sha256:0e3f8c1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6 pulled",
    'Error: INSTALLATION FAILED: secrets "tracebloc-secrets" not found',
    '{"volumes":[{"name":"x","secret":{"secretName":"client-secret","defaultMode":420}}],"automountServiceAccountToken":false}',
    '{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"},"max_token":5,"password":null,"token":true}',
    "use --client-password-stdin, or set TRACEBLOC_CLIENT_PASSWORD",
    "--token is required; --password-stdin reads it",
    "drwxrwsrwx 2 1000 1000 4096 Nov 30 12:00 /tracebloc-data/tracebloc/data",
    "https://ghcr.io/v2/tracebloc/client@sha256:abcdef and https://registry.example.com:5000/a/b@c",
    "git@github.com:example/example.git and ssh://git@github.com/example",
    "unix:///var/run/docker.sock npipe:////./pipe/docker_engine tcp://127.0.0.1:2375",
    "password:\n  minLength: 8\nsecret:\n  name: x\n",
    "imagePullSecrets: []\nsecretKeyRef: {name: a, key: b}\ntoken: null\n",
    "PWD=/home/example OLDPWD=/root COMPASS=north bypass: yes",
    "Bearer authentication is not supported; the bearer token is missing",
  ])("is not: %s", (text) => {
    expect(redact(text)).toBe(text);
  });

  test("words, numbers and punctuation stay as they are", () => {
    const word = fc.constantFrom(
      "pod",
      "mysql-client-0",
      "is",
      "not ready:",
      "3/3",
      "12:00",
      "{",
      "}",
      '"name": "x",',
      "[info]",
      "a=b",
      "/data",
      "🙂",
    );
    fc.assert(
      fc.property(fc.array(word), fc.constantFrom(" ", "\n", "\t"), (words, between) => {
        expect(redact(words.join(between))).toBe(words.join(between));
      }),
    );
  });

  test("doing it twice changes nothing more", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "password",
        "token",
        "--secret",
        "Authorization",
        "http://u",
        "bearer",
        "-----BEGIN PRIVATE KEY-----",
        "K3S_TOKEN",
        "client-key-data",
      ),
      fc.constantFrom(":", "=", " ", "@", '"', "'", "\\", "|", "\n", "  ", ",", "}", "<redacted>", "/", "?"),
      fc.string({ maxLength: 8 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const once = redact(pieces.join(""));
        expect(redact(once)).toBe(once);
      }),
      { numRuns: 1500 },
    );
  });

  test("JSON stays JSON, whatever stands in it and however it is laid out", () => {
    const key = fc.oneof(
      fc.constantFrom(
        "password",
        "token",
        "K3S_TOKEN",
        "Authorization",
        "auth",
        "secret",
        "client-key-data",
        "a",
        "api_key",
      ),
      fc.string({ maxLength: 5 }),
    );
    const text = fc.oneof(
      fc.constantFrom(
        "password: a b",
        "--token x",
        "http://u:p@h/",
        "TOKEN=a",
        '{"token":"x","b":1}',
        "Bearer abc123def",
        "\\",
        '"',
      ),
      fc.string({ maxLength: 8 }),
    );
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        text,
        fc.constantFrom(null, true, false, 0, 1.5, -3e21),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(key, tie("value"), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(
        value,
        fc.constantFrom(undefined, 2, "\t"),
        fc.constantFrom("", "Pulled: x\ntoken: abc\n"),
        (data, layout, noise) => {
          const clean = redact(noise + JSON.stringify(data, null, layout)).slice(noise === "" ? 0 : noise.length + 7);
          expect(() => JSON.parse(clean) as unknown, clean).not.toThrow();
          expect(clean).not.toMatch(/"(?:password|token|K3S_TOKEN)": ?"(?!<redacted>|")/);
        },
      ),
      { numRuns: 1000 },
    );
  });

  test("redacted JSON and YAML still parse", () => {
    const json = JSON.stringify({
      a: 1,
      clientPassword: "x",
      list: ["TOKEN=a b"],
      nested: { token: 'q"uote', n: null },
    });
    expect(JSON.parse(redact(json))).toEqual({
      a: 1,
      clientPassword: "<redacted>",
      list: ["TOKEN=<redacted>"],
      nested: { token: "<redacted>", n: null },
    });
  });

  test("long lines of any kind take no time to speak of", () => {
    const pieces = [
      "A",
      "a@",
      "\\",
      "token",
      "x://",
      "http://a:",
      "password: ",
      '"',
      "PRIVATE KEY-----\nQUJD\n",
      "bearer ",
    ];
    const redactor = redactorOf("canary-7f3a", "another one");
    for (const piece of pieces) {
      const text = piece.repeat(200_000 / piece.length);
      const began = performance.now();
      redactor.redact(text);
      expect(performance.now() - began, piece).toBeLessThan(2_000);
    }
  });
});

test("of arguments, also the value that follows a telling flag goes", () => {
  const args = [
    "login",
    "--password",
    "a b",
    "-token",
    "x",
    "--password-stdin",
    "--token",
    "--name",
    "y",
    "http://u:p@example.com",
  ];
  expect(redactArgs(args, redact)).toEqual([
    "login",
    "--password",
    "<redacted>",
    "-token",
    "<redacted>",
    "--password-stdin",
    "--token",
    "--name",
    "y",
    "http://u:<redacted>@example.com",
  ]);
});

test("of data every string is looked at, and what a telling name holds goes", () => {
  const data = {
    says: "token: abc",
    clientPassword: "x y",
    secretName: "z",
    list: [{ token: "a" }, 1, null, true],
    empty: { password: "" },
    "password: q": 1,
  };
  expect(redactData(data, redact)).toEqual({
    says: "token: <redacted>",
    clientPassword: "<redacted>",
    secretName: "z",
    list: [{ token: "<redacted>" }, 1, null, true],
    empty: { password: "" },
    "password: <redacted>": 1,
  });
});

test('an engine\'s own description stays JSON: `"Authorization":null` is a plugin list, and no secret', () => {
  const info = '{"Plugins":{"Network":["bridge"],"Authorization":null,"Log":["journald"]},"NCPU":2}';
  expect(createRedactor().redact(info)).toBe(info);
  expect(createRedactor().redact("Authorization: Basic bGFiOmNhbmFyeS0wMDAz")).not.toContain("bGFi");
});
