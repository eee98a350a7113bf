import { describe, expect, test } from "vitest";

import { settingKeys, settings } from "../../../src/config/names.ts";
import { k3sImage } from "../../../src/config/pins.ts";
import { hasControlCharacter } from "../../../src/platform/characters.ts";
import { platformNames } from "../platform/personalities.ts";
import { load, refusals, wished } from "./loading.ts";

const digest = `sha256:${"a".repeat(64)}`;

describe("precedence", () => {
  const file = "namespace: from-file\n";
  const environment = { TB_NAMESPACE: "from-variable" };
  const flags = { namespace: "from-flag" };

  test("a flag goes before a variable, a variable before the file, the file before the default", async () => {
    expect(await wished("namespace", { flags, environment, file })).toBe("from-flag (--namespace)");
    expect(await wished("namespace", { environment, file })).toBe("from-variable (TB_NAMESPACE)");
    expect(await wished("namespace", { file: `# ours\n${file}` })).toBe("from-file (tracebloc.yaml:2)");
    expect(await wished("namespace", {})).toBe("tracebloc (default)");
  });

  test("a flag gets past a variable or a line that will not do", async () => {
    expect(await wished("namespace", { flags, environment: { TB_NAMESPACE: "No!" }, file: "namespace: 7\n" })).toBe(
      "from-flag (--namespace)",
    );
  });

  test("two names of one setting that say the same are fine, and that differ are a conflict", async () => {
    const same = { TRACEBLOC_K3D_TOOLS_IMAGE: "lab/tools:1", K3D_IMAGE_TOOLS: " lab/tools:1" };
    expect(await wished("k3dToolsImage", { environment: same })).toBe("lab/tools:1 (TRACEBLOC_K3D_TOOLS_IMAGE)");
    const [finding, ...others] = await refusals({ environment: { ...same, K3D_IMAGE_TOOLS: "lab/tools:2" } });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      reason: "CONFIG_CONFLICT",
      says: "TRACEBLOC_K3D_TOOLS_IMAGE and K3D_IMAGE_TOOLS both set k3dToolsImage, and differ",
    });
  });
});

describe("defaults", () => {
  test.each([
    ["linux", "/home/mia/.tracebloc", "/home/mia/.local/state/tracebloc"],
    ["macos", "/Users/mia/.tracebloc", "/Users/mia/Library/Application Support/tracebloc"],
    ["windows", "C:\\Users\\mia\\.tracebloc", "C:\\Users\\mia\\AppData\\Local\\tracebloc"],
    ["wsl2", "/home/mia/.tracebloc", "/home/mia/.local/state/tracebloc"],
  ] as const)("on %s nothing has to be set", async (platform, dataDir, stateDir) => {
    const loaded = await load({ platform });
    expect(loaded).toMatchObject({
      ok: true,
      warnings: [],
      options: { stateDir: { value: stateDir } },
      wishes: {
        cluster: { value: "tracebloc" },
        namespace: { value: "tracebloc" },
        dataDir: { value: dataDir, origin: { from: "default" } },
        storageMode: { value: "hostpath" },
        clientEnv: { value: "prod" },
        backendUrl: { value: "https://api.tracebloc.io" },
        k3sImage: { value: k3sImage },
        apiPort: { value: 6550 },
      },
    });
  });

  test.each(platformNames)(
    "on %s without a home both places are asked for, and nothing is guessed",
    async (platform) => {
      const says = (await refusals({ platform, bare: true })).map((finding) => finding.says);
      expect(says).toEqual([
        "stateDir (default) cannot be placed: there is no home directory",
        "dataDir (default) cannot be placed: there is no home directory",
      ]);
    },
  );

  test("without a home, places that are named will do", async () => {
    const environment = { HOST_DATA_DIR: "/srv/tracebloc", TRACEBLOC_STATE_DIR: "/var/lib/tracebloc" };
    expect(await load({ bare: true, environment })).toMatchObject({ ok: true });
  });
});

describe("backend#1723: the aliases of CLIENT_ENV are reduced in one place", () => {
  test.each([
    ["prod", "prod", "https://api.tracebloc.io"],
    ["production", "prod", "https://api.tracebloc.io"],
    ["stg", "stg", "https://stg-api.tracebloc.io"],
    ["staging", "stg", "https://stg-api.tracebloc.io"],
    ["dev", "dev", "https://dev-api.tracebloc.io"],
    ["development", "dev", "https://dev-api.tracebloc.io"],
  ])("%s is %s at %s", async (written, clientEnv, backendUrl) => {
    const loaded = await load({ environment: { CLIENT_ENV: written } });
    expect(loaded).toMatchObject({
      ok: true,
      wishes: { clientEnv: { value: clientEnv }, backendUrl: { value: backendUrl } },
    });
  });

  test("an unknown one is refused, where the installer before took it for prod", async () => {
    const [finding] = await refusals({ environment: { CLIENT_ENV: "test" } });
    expect(finding?.says).toBe('clientEnv "test" (CLIENT_ENV) is not one of the choices');
  });

  test("an address of its own goes before the one that it names", async () => {
    const environment = { CLIENT_ENV: "stg", TRACEBLOC_BACKEND_URL: "http://127.0.0.1:8080/" };
    expect(await wished("backendUrl", { environment })).toBe("http://127.0.0.1:8080 (TRACEBLOC_BACKEND_URL)");
  });
});

/** Each line: setting, what is written, and what is said about it. */
const wrong = [
  ["namespace", "", "is empty"],
  ["namespace", "  \t ", "is empty"],
  ["namespace", '"tracebloc"', "has quotes around it"],
  ["namespace", "'tracebloc'", "has quotes around it"],
  ["namespace", "trace\nbloc", "has a line break or another control character in it"],
  ["namespace", "a\u001b[31mb", "has a line break or another control character in it"],
  ["namespace", "My Edge", "has a blank in it"],
  ["namespace", "Edge", "has capital letters"],
  ["namespace", "edge_1", 'has "_" in it'],
  ["namespace", "a.b", 'has "." in it'],
  ["namespace", "-edge", "begins or ends with a hyphen"],
  ["namespace", "ünï", 'has "ü" in it'],
  ["namespace", "e".repeat(38), "has 38 characters, 1 too many"],
  ["namespace", "logs", "is a name with another meaning here"],
  ["namespace", "kube-system", "is a name with another meaning here"],
  ["cluster", "c".repeat(33), "has 33 characters, 1 too many"],
  ["cluster", "my_cluster", 'has "_" in it'],
  ["dataDir", "~mia/x", "names another user's home, which is not looked up here"],
  ["dataDir", "$HOME/x", "begins with a variable, which is not replaced here"],
  ["dataDir", "${DATA}/x", "begins with a variable, which is not replaced here"],
  ["dataDir", "\\\\nas\\share", "is a network path, which a container engine cannot mount"],
  ["dataDir", "//nas/share", "is a network path, which a container engine cannot mount"],
  ["dataDir", "C:\\data", "begins with a drive letter, which is for Windows"],
  ["dataDir", "/", "is the root of a file system"],
  ["dataDir", "~", "is your home directory"],
  ["dataDir", "~/x/..", "is your home directory"],
  ["dataDir", "~/", "is your home directory"],
  ["dataDir", "~/..", "contains your home directory"],
  ["dataDir", "/etc/x", "is in /etc, which belongs to the system"],
  ["dataDir", "/srv/co:lon", "has a colon in it, which no container engine can mount"],
  ["dataDir", "/srv/a\nb", "has a line break or another control character in it"],
  ["datasetDir", "/usr/share", "is in /usr, which belongs to the system"],
  ["storageMode", "HostPath", "is not one of the choices"],
  ["clientEnv", "live", "is not one of the choices"],
  ["imagePullPolicy", "always", "is not one of the choices"],
  ["backendUrl", "api.example.com", "is not a web address"],
  ["backendUrl", "ftp://api.example.com", "is not a web address"],
  ["backendUrl", "http://api.example.com", "is not encrypted"],
  ["backendUrl", "https://api.example.com/?a=1", "has a query or a fragment in it"],
  ["downloadBase", "mirror", "is not a web address"],
  ["k3sImage", "rancher/k3s", "is not pinned to a version"],
  ["k3sImage", "rancher/k3s:latest", "is not pinned to a version"],
  ["k3sImage", "https://mirror.example.com/k3s:v1", "has a scheme in front"],
  ["k3sImage", "Rancher/k3s:v1", "has capital letters"],
  ["k3sImage", "rancher/k3s:v1@sha256:abc", "has a digest that is none"],
  ["k3sImage", "rancher k3s:v1", "is not the name of an image"],
  ["apiPort", "0x1000", "is not a whole number"],
  ["apiPort", "6550.5", "is not a whole number"],
  ["apiPort", "80", "is out of range"],
  ["apiPort", "65536", "is out of range"],
  ["apiPort", "99999999999999999999", "is not a whole number"],
] as const;

describe("a value that will not do is told with key, origin and what is allowed", () => {
  test.each(wrong)("%s %j as a variable %s", async (key, value, why) => {
    const variable = settings[key].variables[0] ?? "";
    const [finding, ...others] = await refusals({ environment: { [variable]: value } });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ reason: "CONFIG_INVALID", room: "config" });
    expect(finding?.says).toMatch(new RegExp(`^${key} .*\\(${variable}\\) `));
    expect(finding?.says.endsWith(why)).toBe(true);
    expect(finding?.remedies[0]?.says).toBe(`allowed: ${settings[key].allowed}`);
    expect(hasControlCharacter(finding?.says ?? "")).toBe(false);
  });

  const withFlag = wrong.filter(([key]) => settings[key].flag !== undefined);
  test.each(withFlag)("%s %j as a flag %s", async (key, value, why) => {
    const [finding, ...others] = await refusals({ flags: { [key]: value } });
    expect(others).toEqual([]);
    expect(finding?.says).toContain(`(--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}) `);
    expect(finding?.says.endsWith(why)).toBe(true);
  });

  test.each(wrong)("%s %j in the file %s", async (key, value, why) => {
    const [finding, ...others] = await refusals({ file: `\n${key}: ${JSON.stringify(value)}\n` });
    expect(others).toEqual([]);
    expect(finding?.says).toContain(`(tracebloc.yaml:2) `);
    expect(finding?.says.endsWith(why)).toBe(true);
  });

  test.each([
    ["namespace: 5", "namespace 5 (tracebloc.yaml:1) is a number, not a text"],
    ["namespace: true", "namespace true (tracebloc.yaml:1) is a boolean, not a text"],
    ["namespace:", "namespace (tracebloc.yaml:1) has no value"],
    ["namespace: ~", "namespace (tracebloc.yaml:1) has no value"],
    ["namespace: [a]", "namespace (tracebloc.yaml:1) is a group of keys, not a text"],
    ["namespace: {a: b}", "namespace (tracebloc.yaml:1) is a group of keys, not a text"],
    ["apiPort: yes", 'apiPort "yes" (tracebloc.yaml:1) is not a whole number'],
    ["storageMode: 1", "storageMode 1 (tracebloc.yaml:1) is not one of the choices"],
  ])("%s in the file is a wrong type", async (file, says) => {
    expect((await refusals({ file })).map((finding) => finding.says)).toEqual([says]);
  });

  test("the command that sets it right is for the shell at hand", async () => {
    const environment = { TB_NAMESPACE: "My Edge" };
    const remedies = async (platform: "linux" | "windows") =>
      (await refusals({ platform, environment }))[0]?.remedies[1];
    expect(await remedies("linux")).toEqual({ says: "for example", command: "export TB_NAMESPACE=my-edge" });
    expect(await remedies("windows")).toEqual({ says: "for example", command: "$env:TB_NAMESPACE = 'my-edge'" });
  });

  test("an empty variable can be taken away", async () => {
    const [finding] = await refusals({ environment: { HOST_DATASET_DIR: "" } });
    expect(finding?.remedies[1]?.command).toBe("unset HOST_DATASET_DIR");
  });
});

describe("a value that is merely odd does", () => {
  test.each([
    ["namespace", " tracebloc\r\n", "tracebloc"],
    ["namespace", "7", "7"],
    ["cluster", "my.cluster-1", "my.cluster-1"],
    ["dataDir", "/srv/mia's data/ünï 1", "/srv/mia's data/ünï 1"],
    ["dataDir", "/srv/a,b", "/srv/a,b"],
    ["dataDir", "/srv/me@work", "/srv/me@work"],
    ["dataDir", "/srv/x/../tracebloc/", "/srv/tracebloc"],
    ["dataDir", "/var/lib/tracebloc", "/var/lib/tracebloc"],
    ["dataDir", "/srv", "/srv"],
    ["dataDir", "~/data", "/home/mia/data"],
    ["apiPort", "06551", "6551"],
    ["k3sImage", `mirror.example.com:5000/rancher/k3s@${digest}`, `mirror.example.com:5000/rancher/k3s@${digest}`],
    ["k3sImage", "localhost/k3s:v1.35.5-k3s1", "localhost/k3s:v1.35.5-k3s1"],
    ["backendUrl", "http://localhost:9000", "http://localhost:9000"],
    ["backendUrl", "http://[::1]:9000/api/", "http://[::1]:9000/api"],
    ["downloadBase", "http://mirror.example.com/tools/", "http://mirror.example.com/tools"],
  ] as const)("%s %j is %s", async (key, value, expected) => {
    const variable = settings[key].variables[0] ?? "";
    expect(await wished(key, { environment: { [variable]: value } })).toBe(`${expected} (${variable})`);
  });
});

describe("all problems are told at once", () => {
  test("one of every setting, of the options and of the file, in the order of the table", async () => {
    const environment = Object.fromEntries(settingKeys.map((key) => [settings[key].variables[0] ?? "", " "]));
    const findings = await refusals({ environment, flags: { timeout: "soon" }, file: "dataDri: x\n" });
    expect(findings.map(({ says }) => says.split(" ")[0])).toEqual(["timeout", '"dataDri"', ...settingKeys]);
  });

  test("the options that say how to tell it are there all the same", async () => {
    const loaded = await load({ flags: { json: true, color: false, namespace: "No!" } });
    expect(loaded).toMatchObject({ ok: false, options: { json: { value: true }, color: { value: false } } });
  });
});

describe("secrets", () => {
  const canary = "canary-7f3a91";

  test("a password is taken from its variable, and shown by no finding", async () => {
    expect(await wished("clientPassword", { environment: { TRACEBLOC_CLIENT_PASSWORD: canary } })).toContain(canary);
    for (const value of [`"${canary}"`, `${canary}\n${canary}`, canary.repeat(100)]) {
      const environment = { TRACEBLOC_CLIENT_PASSWORD: value, TRACEBLOC_CLIENT_ID: `${value} x` };
      const findings = await refusals({ environment });
      expect(findings.length).toBeGreaterThan(0);
      expect(JSON.stringify(findings)).not.toContain("canary");
    }
  });

  test.each([
    ["clientPassword", "is a secret, which this file must not hold"],
    ["password", "is a secret, which this file must not hold"],
    ["client_password", "is a secret, which this file must not hold"],
    ["TRACEBLOC_CLIENT_PASSWORD", "is a secret, which this file must not hold"],
    ["registrySecret", "is a secret, which this file must not hold"],
    ["something", "is no setting"],
  ])("in the file, %s is refused and not shown", async (key, why) => {
    const findings = await refusals({ file: `${key}: ${canary}\n` });
    expect(findings[0]?.says).toContain(why);
    expect(JSON.stringify(findings)).not.toContain("canary");
  });

  test.each([
    [`clientPassword: "${canary}`],
    [`clientPassword: ${canary}: x`],
    [`- ${canary}`],
    [canary],
    [`clientPassword: [${canary}`],
    [`\tclientPassword: ${canary}`],
    [`? ${canary}\n: [`],
    [`a: @${canary}`],
  ])("a file that cannot be read is not quoted (%#)", async (file) => {
    const findings = await refusals({ file });
    expect(findings.length).toBeGreaterThan(0);
    expect(JSON.stringify(findings)).not.toContain("canary");
  });

  test("an address with a password in it is refused, and neither is shown", async () => {
    const findings = await refusals({
      environment: { TRACEBLOC_BACKEND_URL: `https://mia:${canary}@api.example.com` },
    });
    expect(findings[0]?.says).toContain("has a user name or password in it");
    expect(JSON.stringify(findings)).not.toContain("canary");
  });

  test("cli#516: escape sequences pasted along are taken out, and that is said", async () => {
    const environment = { TRACEBLOC_CLIENT_PASSWORD: `\u001b[200~${canary}\u001b[201~\r\n` };
    const loaded = await load({ environment });
    expect(loaded).toMatchObject({ ok: true, wishes: { clientPassword: { value: canary } } });
    expect(loaded.warnings.map(({ reason }) => reason)).toEqual(["CREDENTIALS_CLEANED"]);
    expect(JSON.stringify(loaded.warnings)).not.toContain("canary");
  });

  test("a password keeps its blanks and its quotes inside", async () => {
    const odd = ` pa"ss 'wörd' `;
    expect(await wished("clientPassword", { environment: { TRACEBLOC_CLIENT_PASSWORD: odd } })).toBe(
      `${odd} (TRACEBLOC_CLIENT_PASSWORD)`,
    );
  });
});
