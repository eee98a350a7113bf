/*
 * One secret has many spellings: in a URL, in JSON (within JSON), in YAML, in a shell's quotes, in base64. The pattern
 * is built character by character, so that each may be spelled in its own way: no two encoders agree on which to escape.
 */

/** Shorter secrets are found only where they are all there is between quotes, or all there is: else half of all text would go. */
const shortest = 4;
/** From here on also inside a longer base64 text, such as `user:password`. */
const shortestInside = 8;

/** Finds any of the secrets in any spelling. Matches `mark` as well, so that what was redacted is passed over whole. */
export function secretPattern(secrets: readonly string[], mark: string): RegExp {
  // The longest first: a secret may be part of another.
  const longestFirst = [...secrets].sort((a, b) => b.length - a.length);
  return new RegExp([escaped(mark), ...longestFirst.flatMap(spellings)].join("|"), "gu");
}

function spellings(secret: string): string[] {
  const plain = Array.from(secret)
    .map((character, index) => (index === 0 ? "" : "\\\\{0,8}") + spelled(character))
    .join("");
  if (secret.length < shortest) return [`(?<=^|["'])${plain}(?=$|["'])`];
  return [plain, ...base64Cores(secret).map(base64Pattern)];
}

/** One character: as it is, percent-encoded (twice, too), as \u escape, and what YAML, JSON and shells make of it. */
function spelled(character: string): string {
  const percent = [...Buffer.from(character)]
    .map((byte) => `%(?:25){0,8}${eitherCase(byte.toString(16).padStart(2, "0"))}`)
    .join("");
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  const unicode = units.map((unit) => `\\\\{1,8}u${eitherCase(unit.toString(16).padStart(4, "0"))}`).join("");
  return `(?:${[escaped(character), percent, unicode, ...(special[character] ?? [])].join("|")})`;
}

const special: Readonly<Record<string, readonly string[]>> = {
  "\n": ["\\r?\\n[ \\t]*", "\\\\{1,8}n"],
  "\r": ["\\\\{1,8}r"],
  "\t": ["\\\\{1,8}t"],
  " ": ["\\+"],
  "'": [`'(?:\\\\{1,8}'|"'")?'`],
  '"': ['""'],
};

/**
 * The part of the base64 text that depends on the secret alone, for each of the three places in a group of three bytes
 * at which it may begin.
 */
function base64Cores(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const offsets = bytes.length >= shortestInside ? [0, 1, 2] : [0];
  return offsets.map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
  });
}

/** The remaining one or two characters and the padding go as well; the URL alphabet counts as the same. */
function base64Pattern(core: string): string {
  const either = core
    .split("")
    .map((letter) => (letter === "+" ? "[+\\-]" : letter === "/" ? "[\\/_]" : letter))
    .join("");
  return `${either}[\\w+\\/\\-]?={0,2}`;
}

function eitherCase(hex: string): string {
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
