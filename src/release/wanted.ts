import type { Wishes } from "../config/wishes.ts";
import type { ReleaseRecord } from "./helm-records.ts";
import { generateValues, layerValues, secretsIn, wishesLabel, type ClusterShape, type Values } from "./values.ts";

/** All that the values of a release are made from. */
export type ReleaseWishes = {
  wishes: Wishes;
  /** The operator's own values file, read. */
  file: Values;
  /** The cluster that the release is or will be in. */
  shape: ClusterShape;
  /** Run Helm even where nothing differs. */
  force: boolean;
};

/**
 * The values of the next revision: what the release has, under what is generated, under the operator's file, under what
 * was asked for by name (a flag goes before the file, as it does before every default).
 */
export function wantedValues(record: ReleaseRecord | undefined, { wishes, shape, file }: ReleaseWishes): Values {
  const stored = record !== undefined && "values" in record.content ? record.content.values : {};
  const generated = generateValues(wishes, shape, record === undefined);
  return layerValues(stored, generated, file, generateValues(wishes, shape, false));
}

/** True where a password was given, and the release has another. */
export function passwordDiffers(record: ReleaseRecord | undefined, wishes: Wishes): boolean {
  const wished = wishes.clientPassword.value;
  if (wished === undefined || record === undefined || !("values" in record.content)) return false;
  return record.content.values["clientPassword"] !== wished;
}

/** True where what is asked for and what the release has differ in a password: the hash of wishes knows of none. */
export function secretsDiffer(record: ReleaseRecord, asked: ReleaseWishes): boolean {
  if (!("values" in record.content)) return false;
  const [stored, wanted] = [record.content.values, wantedValues(record, asked)].map((values) => secretsIn(values));
  return JSON.stringify(stored) !== JSON.stringify(wanted);
}

/** Made by another installer, or by plain Helm: it carries no hash of wishes. */
export function isAdopted({ labels }: ReleaseRecord): boolean {
  return labels[wishesLabel] === undefined;
}
