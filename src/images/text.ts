import { groups, type Group, type ImageList, type Listed } from "./list.ts";

const titles: Readonly<Record<Group, string>> = {
  rendered: "named by the chart",
  ingestor: "to take in a dataset, started at run time",
  training: "started at run time",
  cluster: "the node and what it starts",
};

/** For a person: counts first, then each group under its name. Every line that is no image begins with `#`. Pure. */
export function listText({ counts, clientEnv, list, mirror }: ImageList): string {
  const shown = groups.filter((group) => counts[group] > 0);
  const parts = shown.map((group) => `${group} ${counts[group]}`).join(", ");
  const copies = mirror === undefined ? "" : `; copy each to ${mirror}`;
  const sections = shown.map((group) => {
    const tag = group === "training" ? `; tag from CLIENT_ENV, ${clientEnv}` : "";
    const lines = list.filter((one) => one.group === group).map((one) => pair(one, " → "));
    return [`# --- ${group} (${counts[group]}): ${titles[group]}${tag}`, ...lines].join("\n");
  });
  return `${[`# ${counts.total} images: ${parts}${copies}`, ...sections].join("\n\n")}\n`;
}

/** For a program: an image on each line; with a mirror its target behind a tab. Pure. */
export function plainText({ list }: ImageList): string {
  return list.map((one) => `${pair(one, "\t")}\n`).join("");
}

function pair({ image, target }: Listed, between: string): string {
  return target === undefined ? image : `${image}${between}${target}`;
}
