import { ingestorChart, render, type Release } from "./helm.ts";
import type { Container, Job, Manifest } from "./manifests.ts";

/** An IngestConfig with everything in it that YAML, JSON or a shell could trip over. */
export const ingestConfig = `# cats "and" <dogs> & 'quotes' \\n $HOME
apiVersion: tracebloc.io/v1
kind: IngestConfig
category: image_classification
table: cats_dogs_train
intent: train
csv: /data/shared/cats-dogs/labels.csv
images: /data/shared/cats-dogs/images/
label: "Körper: größe"
`;

const here: Release = { name: "cats-dogs", namespace: "hospital", chart: ingestorChart };

/** What the ingestor's chart renders to as release cats-dogs in namespace hospital. */
export function renderIngestor(values: object = {}, release: Release = {}): Promise<Manifest[]> {
  return render({ ingestConfig, ...values }, { ...here, ...release });
}

export function jobOf(objects: readonly Manifest[]): Job {
  const job = objects.find((object): object is Job => object.kind === "Job");
  if (job === undefined) throw new Error("no Job");
  return job;
}

export function submitOf(objects: readonly Manifest[]): Container {
  const [container] = jobOf(objects).spec.template.spec.containers;
  if (container === undefined) throw new Error("no container");
  return container;
}
