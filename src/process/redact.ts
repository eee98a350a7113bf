import { redactWithJson } from "./redact-json.ts";
import { secretPattern } from "./spellings.ts";

/** The one redactor: what it has gone over may be logged, shown and sent to others. */
export type Redactor = {
  /** Makes a value known as secret, from now on and in every spelling (`spellings.ts`). Empty ones are ignored. */
  add: (secret: string | undefined) => void;
  /** Takes out known secrets and whatever looks like one by its shape. Doing it twice changes nothing more. */
  redact: Redact;
};

export type Redact = (text: string) => string;

/** Stands for a secret. A plain string in JSON as well as in YAML, so that redacted output still parses. */
export const mark = "<redacted>";

/** One that knows no secret yet. Shapes of secrets it knows from the start. */
export function createRedactor(): Redactor {
  const secrets = new Set<string>();
  let known: RegExp | undefined;
  return {
    add(secret) {
      for (const value of worthHiding(secret ?? "")) secrets.add(value);
      known = undefined;
    },
    redact(text) {
      if (secrets.size > 0) known ??= secretPattern([...secrets], mark);
      const hideKnown = (plain: string) => (known === undefined ? plain : plain.replace(known, mark));
      const clean = redactWithJson(text, { redact: (plain) => redactShapes(hideKnown(plain)), isSecretName, mark });
      // Once more as it stands: what JSON spells otherwise may look like a secret all the same.
      return hideKnown(clean);
    },
  };
}

/** A secret of several lines (a key) may come apart into its lines; those are secret as well, but for the short and the telling ones. */
function worthHiding(secret: string): string[] {
  const whole = secret.trim();
  if (whole === "" || mark.includes(whole)) return [];
  const lines = whole.split(/\r?\n/).map((line) => line.trim());
  return lines.length === 1
    ? [whole]
    : [whole, ...lines.filter((line) => line.length >= 16 && !line.startsWith("-----"))];
}

/*
 * Shapes. Each rule leaves what it wrote alone when it comes by again. None begins with a repeated class without a
 * bound: on a megabyte of base64 such a rule takes minutes.
 */

/** What the last part of a name says when its value is a secret: K3S_TOKEN, clientPassword, --api-key, client-key-data. */
const secretName =
  "(?:password|passwd|passphrase|(?<=[_.-])(?:pass|pwd)|(?:client[_-]?)?secret(?:[_-](?:id|key|access[_-]key))?|token" +
  "|(?:api|access|private)[_-]?key|client[_-]?key[_-]?data|dockerconfigjson)";
/** Words and structure that stand where a value would, and are none. */
const noValue = "(?![ \\t]|(?:null|true|false|~|\\d{1,5})[ \\t]*(?:[,}\\]\\r\\n]|$)|[{[|>&*]|<redacted>)";
const quoted = `\\\\+"(?:(?!\\\\+")[^\\n])*\\\\+"|"(?:\\\\.|[^"\\\\])*"|'(?:''|[^'])*'`;
const yamlKey = `(?:"[\\w.-]{0,64}${secretName}"|[\\w.-]{0,64}${secretName}):`;
const scheme = "(?:basic|bearer|digest|negotiate|ntlm|token)";

/** What every secret name has in it. */
const named = /pass|pwd|secret|token|key|dockerconfig/i;

const rules: readonly { when: RegExp; find: RegExp; put: string }[] = [
  // To its end, or to that of the text: it may have been cut off.
  {
    when: /PRIVATE KEY-----/,
    find: /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|$)/g,
    put: mark,
  },
  // scheme://user:password@host. A raw `@` in the password is common: the last one counts.
  { when: /:\/\//, find: /(:\/\/)([^\s/?#"'`<>\\:@]{0,256}):([^\s/?#"'`<>\\]*)@/g, put: `$1$2:${mark}@` },
  // A raw `/`, `?` or `#` in it as well: what follows the colon is no port number, so it is a password.
  {
    when: /:\/\//,
    find: /(:\/\/)([^\s/?#"'`<>\\:@]{1,256}):(?!\d+(?:[/?#]|$))([^\s"'`<>\\]{1,128})@/g,
    put: `$1$2:${mark}@`,
  },
  { when: /:\/\//, find: /\b(https?:\/\/)([^\s/?#"'`<>\\:@]{1,512})@/gi, put: `$1${mark}@` },
  // NAME=two words, where that is all there is: an argument, a string of a JSON list.
  { when: named, find: new RegExp(`^((?:--?)?[\\w.-]{0,64}${secretName}=)[^\\r\\n]+$`, "gi"), put: `$1${mark}` },
  // "NAME=two words" in a list of quoted strings, as `docker inspect` prints an environment.
  {
    when: named,
    find: new RegExp(`(["'])((?:--?)?[\\w.-]{0,64}${secretName}=)(?!${mark}\\1)(?:\\\\.|(?!\\1)[^\\\\\\n])+\\1`, "gi"),
    put: `$1$2${mark}$1`,
  },
  // A block of YAML under such a name: all that is indented deeper.
  {
    when: named,
    find: new RegExp(`^([ \\t-]*)(${yamlKey}[ \\t]*)[|>][-+0-9]{0,2}[ \\t]*(?:\\r?\\n\\1[ \\t]+[^\\n]*)+`, "gim"),
    put: `$1$2${mark}`,
  },
  // name: "value", name='value', \"name\":\"value\"
  {
    when: named,
    find: new RegExp(`(${secretName}(?:\\\\*["'])?[ \\t]*[:=][ \\t]*)(?:${quoted})`, "gi"),
    put: `$1"${mark}"`,
  },
  // name: any words, alone on a line, as in YAML
  {
    when: named,
    find: new RegExp(`^([ \\t-]*${yamlKey}[ \\t]+)${noValue}(?!["'])[^\\r\\n]+`, "gim"),
    put: `$1${mark}`,
  },
  // name=value and name: value anywhere
  {
    when: named,
    find: new RegExp(`(${secretName}(?:\\\\*["'])?[ \\t]*[:=][ \\t]*)${noValue}[^\\s"'<>\\\\]+`, "gi"),
    put: `$1${mark}`,
  },
  // --name value; not "--token is required"
  {
    when: named,
    find: new RegExp(
      `(\\B--?[\\w-]{0,64}${secretName}[ \\t]+)(?!(?:is|are|was|and|or|to|for|from|in|needs?|must|requires?|flag|option)\\b|-|<)(?:${quoted}|[^\\s"']+)`,
      "gi",
    ),
    put: `$1${mark}`,
  },
  {
    when: /authorization/i,
    find: new RegExp(
      `\\b(authorization["']?[ \\t]*[:=][ \\t]*${noValue}["']?(?:${scheme}[ \\t]+)?)(?!${scheme}\\b)[^\\s"',<>]+`,
      "gi",
    ),
    put: `$1${mark}`,
  },
  { when: /bearer/i, find: /\b(bearer[ \t]+)(?=[\w.~+/-]{0,80}\d)[\w.~+/-]{8,}=*/gi, put: `$1${mark}` },
  // "auth": base64 of user:password, in Docker's configuration
  { when: /"auth"/, find: /("auth"[ \t]*:[ \t]*")[A-Za-z0-9+/]{8,}={0,2}(?=")/g, put: `$1${mark}` },
  // Tokens that are known by how they begin: JSON web tokens, k3s, GitHub, GitLab, Docker Hub.
  { when: /eyJ/, find: /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, put: mark },
  { when: /K10/, find: /\bK10[0-9a-f]{16,}::[\w-]+:[^\s"',]+/g, put: mark },
  { when: /gh[pousr]_|_pat_|glpat-/, find: /\b(?:gh[pousr]_|github_pat_|glpat-|dckr_pat_)[\w-]{16,}/g, put: mark },
];

/** Most text has nothing of the kind, or nothing that a value could stand after, and is spared the rules. */
const telling = new RegExp(rules.map(({ when }) => when.source).join("|"), "i");
const valued = /[:=@ \t_-]|eyJ/;

function redactShapes(text: string): string {
  if (!telling.test(text) || !valued.test(text)) return text;
  let clean = text;
  for (const { when, find, put } of rules) {
    if (when.test(clean)) clean = clean.replace(find, put);
  }
  return clean.includes("PRIVATE KEY-----") ? withoutTailsOfKeys(clean) : clean;
}

/** The end of a private key whose beginning was cut off, with the lines above it that belong to it. */
function withoutTailsOfKeys(text: string): string {
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    const clean = line.replace(/^.*-----END [A-Z0-9 ]*PRIVATE KEY-----/, mark);
    if (clean !== line) while (/^[ \t]*[A-Za-z0-9+/=]{1,80}\r?$/.test(lines.at(-1) ?? "")) lines.pop();
    lines.push(clean);
  }
  return lines.join("\n");
}

/** Arguments of a program, each by itself, and the one that follows a flag whose value is a secret. */
export function redactArgs(args: readonly string[], redact: Redact): string[] {
  return args.map((arg, index) =>
    secretFlag.test(args[index - 1] ?? "") && !arg.startsWith("-") ? mark : redact(arg),
  );
}

const secretFlag = new RegExp(`^--?[\\w-]*${secretName}$`, "i");

/** Any data that is about to be written as JSON: every string in it, names included, and what a telling name holds. */
export function redactData(data: unknown, redact: Redact): unknown {
  if (typeof data === "string") return redact(data);
  if (Array.isArray(data)) return data.map((item) => redactData(item, redact));
  if (data === null || typeof data !== "object") return data;
  return Object.fromEntries(
    Object.entries(data).map(([name, value]: [string, unknown]) => [
      redact(name),
      typeof value === "string" && value !== "" && isSecretName(name) ? mark : redactData(value, redact),
    ]),
  );
}

function isSecretName(name: string): boolean {
  return secretKey.test(name);
}

const secretKey = new RegExp(`(?:${secretName}|authorization|^auth)$`, "i");

/** For a stream that comes line by line: nothing on the lines of a private key tells what they are. */
export function lineRedactor(redact: Redact): Redact {
  let inKey = false;
  return (line) => {
    const ends = /-----END [A-Z0-9 ]*PRIVATE KEY-----/.test(line);
    if (inKey) {
      inKey = !ends;
      return mark;
    }
    inKey = !ends && /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/.test(line);
    return redact(line);
  };
}
