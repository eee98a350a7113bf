/* oxlint-disable no-control-regex -- control characters are what this file looks for */

/** Whether a text holds something that steers a terminal rather than being seen: no path, name or address of ours may. */
export function hasControlCharacter(text: string): boolean {
  return /[\u0000-\u001f\u007f-\u009f]/.test(text);
}

/** Cuts a text that is to stay within so many characters. */
export function clip(text: string, room: number): string {
  return text.length <= room ? text : `${text.slice(0, Math.max(room - 1, 0)).replace(/[\ud800-\udbff]$/, "")}…`;
}

/**
 * Breaks a sentence between words so that no line is wider than `room` columns. A longer word stays whole: it may be there
 * to be copied. So does a command in it, where the sentence is given as words of which the command is one.
 */
export function fold(text: string | readonly string[], room: number): string[] {
  const lines: string[] = [];
  for (const word of typeof text === "string" ? text.split(" ") : text) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= room) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** A text on one line and in quotes, with everything that cannot be seen, or turns a line around, spelled out. */
export function visible(text: string): string {
  const invisible = /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
  return JSON.stringify(text).replace(
    invisible,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
