/* oxlint-disable no-control-regex -- control characters are what this file takes out */
import { stripVTControlCharacters } from "node:util";

const steering = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

/**
 * Somebody else's words, fit to be shown among ours: on one line, so that they pass for no line of ours, and with nothing
 * in them that steers a terminal or turns the direction of writing.
 */
export function onOneLine(text: string): string {
  if (!steering.test(text)) return text;
  return stripVTControlCharacters(text)
    .replaceAll(/\s*[\n\r\u2028\u2029]\s*/g, " ")
    .replaceAll("\t", " ")
    .replaceAll(new RegExp(steering, "g"), "?")
    .trim();
}

/** The last net: a line that comes here may be folded and, where we colour, coloured, and holds nothing else that a terminal obeys. */
export function unsteered(line: string, hasColour: boolean): string {
  const others = line.replaceAll(/[\u0000-\u0009\u000b-\u001a\u001c-\u001f\u007f-\u009f]/g, "?");
  return others.replaceAll(hasColour ? /\u001b(?!\[\d{1,2}m)/g : "\u001b", "?");
}
