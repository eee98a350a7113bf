import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** How a secret may be written where it must not be: as it is, in JSON, in a URL, in base64. */
function spellings(secret: string): string[] {
  const base64 = Buffer.from(secret).toString("base64").replace(/=+$/, "");
  const form = new URLSearchParams({ x: secret }).toString().slice(2);
  return [...new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), form, base64])];
}

/** True where any spelling of the secret is in the text. */
export function betrays(text: string, secret: string): boolean {
  return spellings(secret).some((spelling) => text.includes(spelling));
}

/** The files below a folder that hold the secret, with their modes in octal. */
export function filesWith(folder: string, secret: string): { path: string; mode: string }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => betrays(readFileSync(path, "utf8"), secret))
    .map((path) => ({ path, mode: (statSync(path).mode & 0o7777).toString(8) }));
}

/** Looks at the arguments of every process of this machine, those in containers included, again and again. */
export function watchArguments(secret: string): { stop: () => { processes: number; betraying: string[] } } {
  const betraying = new Set<string>();
  const known = new Set<string>();
  const look = () => {
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      const args = read(`/proc/${pid}/cmdline`).replaceAll("\0", " ");
      known.add(`${pid} ${args}`);
      if (betrays(args, secret)) betraying.add(args.slice(0, 100));
    }
  };
  look();
  const again = setInterval(look, 20);
  return {
    stop: () => {
      clearInterval(again);
      look();
      return { processes: known.size, betraying: [...betraying] };
    },
  };
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // It has ended in the meantime.
    return "";
  }
}
