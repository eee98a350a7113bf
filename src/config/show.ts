import { settingKeys, settings } from "./names.ts";
import type { Origin, Settings, Wishes } from "./wishes.ts";

/** One setting as it stands, fit to be shown to anyone: a secret says only whether it is there. */
export type ShownSetting = { key: keyof Settings; value: string | number | null; secret: boolean; origin: Origin };

/** Every setting with its value and where that comes from, in the order of the table. */
export function shownSettings(wishes: Wishes): readonly ShownSetting[] {
  return settingKeys.map((key) => {
    const { value, origin } = wishes[key];
    const secret = settings[key].secret === true;
    return { key, value: value === undefined ? null : secret ? "(hidden)" : value, secret, origin };
  });
}

/**
 * The same as lines of text, no wider than `width` columns but for a value that is: name, origin and value in columns. The
 * value comes last, since an image with its digest is wider than most terminals; where it has no room it stands below.
 */
export function showText(shown: readonly ShownSetting[], width = Number.POSITIVE_INFINITY): string {
  const widest = (texts: readonly string[]) => Math.max(0, ...texts.map((text) => text.length));
  const first = widest(shown.map(({ key }) => key));
  const second = widest(shown.map(({ origin }) => origin.name).filter((name) => name.length <= originRoom));
  return shown
    .map(({ key, value, origin }) => {
      const start = `${key.padEnd(first)}  ${origin.name.padEnd(second)}  `;
      const text = value === null ? "-" : String(value);
      return start.length + text.length <= width ? `${start}${text}\n` : `${start.trimEnd()}\n    ${text}\n`;
    })
    .join("");
}

/** The longest names of variables; the path of a settings file is longer, and may push its value aside. */
const originRoom = 27;
