import type { Finding } from "../engine/finding.ts";
import type { Environment } from "../platform/environment.ts";
import type { Platform } from "../platform/platform.ts";
import { unsetCommand } from "../platform/shell.ts";
import { didYouMean } from "./did-you-mean.ts";
import { finding } from "./findings.ts";
import { optionNames, settings } from "./names.ts";
import { obsolete } from "./obsolete.ts";
import { k3dToolsImage, k3sImage } from "./pins.ts";
import { wasAsked, type Wishes } from "./wishes.ts";

const variables = [...Object.values(settings), ...Object.values(optionNames)].flatMap((name) => name.variables);

/** Variables that someone set and nobody reads: those of older installers, with what does it now, and slips of the pen. */
export function ignoredVariables(environment: Environment, platform: Platform): readonly Finding[] {
  const isSet = (name: string) => (environment[name] ?? "").trim() !== "";
  const gone = obsolete.flatMap(({ variables: names, instead }) =>
    names.filter(isSet).map((name) => {
      const silence = { says: "to be rid of this line", command: unsetCommand(platform, name) };
      return finding(
        "CONFIG_IGNORED",
        `${name} has no effect in this version`,
        { says: `instead: ${instead}` },
        silence,
      );
    }),
  );
  const known = new Set([...variables, ...obsolete.flatMap((group) => group.variables)]);
  const slips = Object.keys(environment).flatMap((name) => {
    if (!/^(?:TRACEBLOC|TB|HOST)_/.test(name) || known.has(name) || !isSet(name)) return [];
    const meant = didYouMean(name, variables);
    const isNear = meant !== undefined && Math.abs(meant.length - name.length) <= 2;
    return isNear
      ? [finding("CONFIG_IGNORED", `${name} is no variable of this program`, { says: `did you mean ${meant}?` })]
      : [];
  });
  return [...gone, ...slips];
}

/** What runs is then no longer what this version was tried with: fine for a mirror, but it has to be said. */
export function changedPins({ k3sImage: node, k3dToolsImage: tools }: Wishes): readonly Finding[] {
  const images = [
    { key: "k3sImage", wish: node, pinned: k3sImage },
    { key: "k3dToolsImage", wish: tools, pinned: k3dToolsImage },
  ];
  return images
    .filter(
      ({ wish, pinned }) =>
        wasAsked(wish) && wish.value !== pinned && digestOf(wish.value) !== digestOf(pinned, "none"),
    )
    .map(({ key, wish, pinned }) => {
      const [made] = pinned.split("@");
      return finding(
        "PIN_CHANGED",
        `${key} is ${wish.value} (${wish.origin.name}); this version was made with ${made}`,
      );
    });
}

/** The same digest is the same image, from whatever registry it comes. */
function digestOf(image: string, otherwise?: string): string | undefined {
  return image.split("@")[1] ?? otherwise;
}
