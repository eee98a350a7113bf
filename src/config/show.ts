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

/** The same as lines of text: name, value, origin, in columns. */
export function showText(shown: readonly ShownSetting[]): string {
  const rows = shown.map(({ key, value, origin }) => [key, value === null ? "-" : String(value), origin.name] as const);
  const width = (column: 0 | 1) => Math.max(...rows.map((row) => row[column].length));
  // One long value (an image with its digest) must not push every origin off the screen.
  const [first, second] = [width(0), Math.min(width(1), 40)];
  return rows.map(([key, value, name]) => `${key.padEnd(first)}  ${value.padEnd(second)}  ${name}\n`).join("");
}
