/* oxlint-disable no-control-regex -- control characters are what this file looks for */

/** Whether a text holds something that steers a terminal rather than being seen: no path, name or address of ours may. */
export function hasControlCharacter(text: string): boolean {
  return /[\u0000-\u001f\u007f-\u009f]/.test(text);
}

/** Cuts a text that is to stay within so many characters. */
export function clip(text: string, room: number): string {
  return text.length <= room ? text : `${text.slice(0, Math.max(room - 1, 0)).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** A text on one line and in quotes, with everything that cannot be seen, or turns a line around, spelled out. */
export function visible(text: string): string {
  const invisible = /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
  return JSON.stringify(text).replace(
    invisible,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
