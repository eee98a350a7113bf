/* oxlint-disable no-control-regex -- control characters are what is taken out here */
import type { Wishes } from "./wishes.ts";

/** ESC [, parameters, a final byte: bracketed paste (200~ and 201~), colours, arrow keys. */
const controlSequence = /\u001b\[[0-?]*[ -/]*[@-~]/g;
/** ESC O and one byte: the arrow keys of some terminals. */
const singleShift = /\u001bO[ -~]/g;
/** Bracketed paste whose ESC was eaten on the way. */
const pasteMark = /\[20[01]~/g;
const controlButEscape = /[\u0000-\u001a\u001c-\u001f\u007f-\u009f]/g;
/** What may be left of a sequence that none of the above knows. */
const unknownSequence = /\u001b.{0,2}/gsu;

/**
 * What a person meant to paste: without the escape sequences that terminals put around it, and without control
 * characters (cli#516). Letters of every script stay, and so do blanks. Where nothing but noise came, the text is empty.
 * `removed` is true where something was taken out, which a person should be told.
 */
export function cleanPasted(pasted: string): { text: string; removed: boolean } {
  const known = [controlSequence, singleShift, pasteMark, controlButEscape];
  const cleaned = known.reduce((text, noise) => text.replace(noise, ""), pasted);
  const isNoise = cleaned.includes("\u001b") && !/[\p{L}\p{N}]/u.test(cleaned.replace(unknownSequence, ""));
  const text = isNoise ? "" : cleaned.replaceAll("\u001b", "");
  return { text, removed: text !== pasted };
}

/** The same wishes with what a person typed or piped in, which goes before everything configured. `name` says where. */
export function withTyped(wishes: Wishes, typed: { clientId?: string; clientPassword?: string }, name: string): Wishes {
  const origin = { from: "prompt", name } as const;
  return {
    ...wishes,
    ...(typed.clientId !== undefined && { clientId: { value: typed.clientId, origin } }),
    ...(typed.clientPassword !== undefined && { clientPassword: { value: typed.clientPassword, origin } }),
  };
}
