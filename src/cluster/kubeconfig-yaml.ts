import { parse } from "yaml";

import { readDocument, type Kubeconfig } from "./kubeconfig.ts";

/** What `k3d kubeconfig get` prints. Apart from the rest, since loading a YAML parser costs every start that needs none. */
export function parseYaml(text: string): Kubeconfig {
  return readDocument(parse(text));
}
