/** A version as tools print it: `v5.9.0`, `v4.2`, `v3.16.1+g5a5449d`, `v4.0.0-rc.1`. */
export type Version = {
  numbers: readonly [major: number, minor: number, patch: number];
  /** What comes before a release: `rc.1`. Of what is behind a plus, nothing is kept: it orders nothing. */
  before: string | undefined;
  /** As the tool wrote it, without the `v`. */
  text: string;
};

/**
 * The first version in what a tool printed (B34). A self-built helm says `v4.2` and is taken for 4.2.0. Undefined where
 * none is found, as in helm 2's `<no value>`.
 */
export function findVersion(printed: string): Version | undefined {
  const found = /(?:^|[^\w.])v?(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?(?:-([\dA-Za-z.-]+))?(\+[\dA-Za-z.-]+)?/.exec(
    printed,
  );
  if (found === null) return undefined;
  const [, major = "0", minor = "0", patch = "0", before, build = ""] = found;
  const numbers = [Number(major), Number(minor), Number(patch)] as const;
  const text = `${major}.${minor}${found[3] === undefined ? "" : `.${patch}`}${before === undefined ? "" : `-${before}`}${build}`;
  return { numbers, before: isPreRelease(before) ? before : undefined, text };
}

/** Below zero where `a` comes before `b`, zero where they are the same release, above zero otherwise. */
export function compareVersions(a: Version, b: Version): number {
  for (const place of [0, 1, 2] as const) {
    const difference = a.numbers[place] - b.numbers[place];
    if (difference !== 0) return difference;
  }
  return (a.before === undefined ? 1 : 0) - (b.before === undefined ? 1 : 0);
}

/** True for `-rc.1`, `-alpha`, `-beta.2`; false for a vendor's suffix as in `v3.14.2-vendor1`, which is that release and more. */
function isPreRelease(suffix: string | undefined): boolean {
  return suffix !== undefined && /^(alpha|beta|rc|pre|dev)/i.test(suffix);
}
