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

/** The widest value that shares a line with its origin. */
const valueRoom = 40;

/** The same as lines of text: name, value, origin, in columns. Behind a longer value (an image with its digest) the origin stands below, in its column. */
export function showText(shown: readonly ShownSetting[]): string {
  const rows = shown.map(({ key, value, origin }) => [key, value === null ? "-" : String(value), origin.name] as const);
  const widest = (texts: readonly string[]) => Math.max(0, ...texts.map((text) => text.length));
  const first = widest(rows.map(([key]) => key));
  const second = widest(rows.map(([, value]) => value).filter((value) => value.length <= valueRoom));
  return rows
    .map(([key, value, name]) => {
      const start = `${key.padEnd(first)}  `;
      return value.length <= second
        ? `${start}${value.padEnd(second)}  ${name}\n`
        : `${start}${value}\n${" ".repeat(first + second + 4)}${name}\n`;
    })
    .join("");
}
