/** What goes over a text that is no JSON, over names, and what stands for a secret. */
export type JsonRedaction = { redact: (text: string) => string; isSecretName: (name: string) => boolean; mark: string };

/**
 * Redacts the JSON in a text where it stands, string by string: so it stays JSON, with its layout and its numbers, and
 * a secret that is no more than a number in it goes as well. Tools print it alone, one document a line, or after some
 * lines of noise (B15); the rest of the text is handed to `redact`.
 */
export function redactWithJson(text: string, redaction: JsonRedaction): string {
  const start = text.search(/^[ \t]*[{["]/m);
  if (start < 0) return redaction.redact(text);
  const document = redactDocument(text.slice(start), redaction);
  if (document !== undefined) return (start === 0 ? "" : redaction.redact(text.slice(0, start))) + document;
  if (!text.trimEnd().includes("\n")) return redaction.redact(text);
  return redactLines(text, redaction);
}

/** Lines that are a document each, and what lies between them as a whole: a key or a block of YAML spans lines. */
function redactLines(text: string, redaction: JsonRedaction): string {
  const parts: string[] = [];
  let plain: string[] = [];
  const flush = () => {
    if (plain.length > 0) parts.push(redaction.redact(plain.join("\n")));
    plain = [];
  };
  for (const line of text.split("\n")) {
    const document = /^[ \t]*[{[]/.test(line) ? redactDocument(line, redaction) : undefined;
    if (document === undefined) {
      plain.push(line);
    } else {
      flush();
      parts.push(document);
    }
  }
  flush();
  return parts.join("\n");
}

/** Undefined for what is no JSON: only then would going from quote to quote hit the wrong ones. */
function redactDocument(text: string, { redact, isSecretName, mark }: JsonRedaction): string | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const masked = JSON.stringify(mark);
  let name = "";
  let valueAt = -1;
  return text.replace(token, (whole: string, quoted: string | undefined, colon: string | undefined, offset: number) => {
    const isSecret = offset === valueAt && isSecretName(name);
    if (quoted === undefined) {
      return (isSecret && whole.length >= shortestNumber) || redact(whole) !== whole ? masked : whole;
    }
    const content = JSON.parse(quoted) as string;
    if (colon !== undefined) {
      name = content;
      valueAt = offset + whole.length;
    } else if (isSecret && content !== "") {
      return masked;
    }
    const clean = redact(content);
    return clean === content ? whole : JSON.stringify(clean) + (colon ?? "");
  });
}

/** A string, with the colon after it where it is a name; or a number. */
const token = /("(?:\\.|[^"\\])*")(\s*:\s*)?|-?\d[\d.eE+-]*/g;

/** Under a telling name, such as `max_token`, a short number is a setting. */
const shortestNumber = 6;
