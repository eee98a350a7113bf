import { parsed } from "../config/yaml-file.ts";

/**
 * The objects of what Helm printed that say anything of images, as data, or a clause that says why they cannot be read.
 * Those without the word are not parsed: that is half of the text, and of the time. Text of the manifests never comes
 * back: they hold the client's password.
 */
export function readManifests(text: string): { objects: readonly unknown[] } | { why: string } {
  // YAML allows `---` at the start of a line nowhere but between documents, block texts included.
  const parts = text.split(/^---(?=\s|$)/m).filter((part) => /image/i.test(part));
  const documents = parts.map((part) => parsed(part, { merge: true }));
  if (documents.some(({ flaws }) => flaws.length > 0)) return { why: "an object of the chart is not valid YAML" };
  try {
    return { objects: documents.map(({ document }): unknown => document?.toJS()) };
  } catch {
    return { why: "an object of the chart cannot be read" };
  }
}
