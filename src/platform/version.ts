import manifest from "../../package.json" with { type: "json" };

/** This program's version, as package.json states it. The bundle holds the text, not the file. */
export const version: string = manifest.version;

/** The oldest Node that this program runs on, as `engines` states it: `20.19`. */
export const oldestNode: string = manifest.engines.node.replace(">=", "");
