import { describe, expect, test } from "vitest";

import { helmApply, helmUninstall } from "../../../src/release/helm.ts";

const access = { helm: "helm", kubeconfig: "/state/kubeconfig.yaml", context: "k3d-lab" };

function valuesOf(path: string): string | undefined {
  const release = { name: "clinic", namespace: "clinic", chart: "/charts/client", values: path, labels: {} };
  const { args } = helmApply(access, release, 1_000);
  return args[args.indexOf("--values") + 1];
}

describe("a call of Helm", () => {
  // Tried with Helm 4.2.3: `/a,b` is two files to it, and `/a"b` an error in column 3.
  test.each([
    ["/state/values.yaml", "/state/values.yaml"],
    ["/my state/values.yaml", "/my state/values.yaml"],
    ["/a,b/values.yaml", '"/a,b/values.yaml"'],
    ['/a"b/values.yaml', '"/a""b/values.yaml"'],
    ["C:\\Users\\ann\\values.yaml", "C:\\Users\\ann\\values.yaml"],
  ])("names one values file, whatever its path: %s", (path, argument) => {
    expect(valuesOf(path)).toBe(argument);
  });

  test("goes where its kubeconfig leads, whatever the shell carries for other clusters", () => {
    const release = { name: "clinic", namespace: "clinic", chart: "/charts/client", values: "/v", labels: {} };
    for (const { args, env } of [helmApply(access, release, 1_000), helmUninstall(access, release, 1_000)]) {
      expect(args.join(" ")).toContain("--kubeconfig /state/kubeconfig.yaml --kube-context k3d-lab");
      expect(env).toMatchObject({ HELM_DRIVER: "secret" });
      const removed = Object.entries(env ?? {}).flatMap(([name, value]) => (value === undefined ? [name] : []));
      expect(removed).toEqual(
        expect.arrayContaining([
          "KUBECONFIG",
          "HELM_KUBEAPISERVER",
          "HELM_KUBETOKEN",
          "HELM_KUBECAFILE",
          "HELM_KUBEASUSER",
        ]),
      );
    }
  });
});
