import { expect, test } from "vitest";

import { claims as freed } from "../../src/release/volumes.ts";
import { owner, volumes } from "../../src/storage/layout.ts";
import { container, containers, describeChart, find, hostpath, nodeLocal, refusal, render } from "./helm.ts";
import type { Claim, Manifest, Volume } from "./manifests.ts";

const claims = { "client-pvc": "50Gi", "client-logs-pvc": "10Gi", "mysql-pvc": "2Gi" };

function ofKind<T extends Manifest>(objects: readonly Manifest[], kind: string): T[] {
  return objects.filter((object): object is T => object.kind === kind);
}

const paths = (objects: readonly Manifest[]) =>
  Object.fromEntries(
    ofKind<Volume>(objects, "PersistentVolume").map(({ metadata, spec }) => [metadata.name, spec.hostPath.path]),
  );

describeChart("volumes in directories of the node", () => {
  test("are the contract's: names, directories, and one claim each", async () => {
    const objects = await render(hostpath, { name: "ward-7", namespace: "hospital" });
    expect(paths(objects)).toEqual({
      "ward-7-data-pv": "/tracebloc/ward-7/data",
      "ward-7-logs-pv": "/tracebloc/ward-7/logs",
      "ward-7-mysql-pv": "/tracebloc/ward-7/mysql",
    });
    for (const { metadata, spec } of ofKind<Volume>(objects, "PersistentVolume")) {
      // The names by which the installer frees one that a claim has left.
      const [, volume = ""] = /^ward-7-(.*)-pv$/.exec(metadata.name) ?? [];
      expect(spec.claimRef.name).toBe(freed[volume as keyof typeof freed]);
      expect(spec).toEqual({
        capacity: { storage: claims[spec.claimRef.name as keyof typeof claims] },
        accessModes: ["ReadWriteOnce"],
        persistentVolumeReclaimPolicy: "Retain",
        storageClassName: "ward-7-storage-class",
        claimRef: { name: spec.claimRef.name, namespace: "hospital" },
        hostPath: { path: spec.hostPath.path, type: "DirectoryOrCreate" },
      });
    }
    expect(
      Object.fromEntries(
        ofKind<Claim>(objects, "PersistentVolumeClaim").map(({ metadata, spec }) => [metadata.name, spec]),
      ),
    ).toEqual(
      Object.fromEntries(
        Object.entries(claims).map(([name, storage]) => [
          name,
          {
            accessModes: ["ReadWriteOnce"],
            storageClassName: "ward-7-storage-class",
            resources: { requests: { storage } },
          },
        ]),
      ),
    );
    expect(find(objects, "StorageClass", "ward-7-storage-class")).toMatchObject({
      provisioner: "manual",
      allowVolumeExpansion: true,
    });
  });

  test("take data alone elsewhere: MySQL and logs stay off network file systems", async () => {
    for (const datasetPath of ["/tracebloc-data", "/tracebloc-data/"]) {
      expect(paths(await render({ ...hostpath, hostPath: { enabled: true, datasetPath } }))).toEqual({
        "tracebloc-data-pv": "/tracebloc-data/tracebloc/data",
        "tracebloc-logs-pv": "/tracebloc/tracebloc/logs",
        "tracebloc-mysql-pv": "/tracebloc/tracebloc/mysql",
      });
    }
  });

  test("have the size that is asked for, and so have their claims", async () => {
    const objects = await render({ ...hostpath, pvc: { data: "1Ti" } });
    expect((find(objects, "PersistentVolume", "tracebloc-data-pv") as Volume).spec.capacity.storage).toBe("1Ti");
    expect((find(objects, "PersistentVolumeClaim", "client-pvc") as Claim).spec.resources.requests.storage).toBe("1Ti");
    expect((find(objects, "PersistentVolume", "tracebloc-logs-pv") as Volume).spec.capacity.storage).toBe("10Gi");
  });

  test("refuse a claim that could never be bound to them", async () => {
    expect(await refusal({ ...hostpath, pvcAccessMode: "ReadWriteMany" })).toContain("/pvcAccessMode");
  });

  test("are prepared with the modes and the owner that the program proves, from one table each", async () => {
    const prepare = container(await render(hostpath), "init-writable-data");
    const mounts = Object.fromEntries((prepare.volumeMounts ?? []).map(({ name, mountPath }) => [name, mountPath]));
    const [, name, ...words] = prepare.args ?? [];
    expect(name).toBe("init-writable-data");
    expect(words).toEqual([
      `${owner.uid}:${owner.gid}`,
      `${mounts["shared-volume"]}:${volumes.data.mode}`,
      `${mounts["logs-volume"]}:${volumes.logs.mode}`,
    ]);
    expect(prepare.securityContext).toEqual({
      runAsUser: 0,
      runAsNonRoot: false,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"], add: ["CHOWN", "FOWNER", "FSETID"] },
    });
  });
});

describeChart("volumes of a storage class", () => {
  test("leave the node alone: no volume, no class, nothing to prepare", async () => {
    const objects = await render(nodeLocal);
    expect([...new Set(objects.map(({ kind }) => kind))]).not.toEqual(expect.arrayContaining(["PersistentVolume"]));
    expect(objects.filter(({ kind }) => kind === "StorageClass")).toEqual([]);
    expect(containers(objects).map(({ name }) => name)).not.toContain("init-writable-data");
    for (const { spec } of ofKind<Claim>(objects, "PersistentVolumeClaim")) {
      expect(spec).toMatchObject({ accessModes: ["ReadWriteOnce"], storageClassName: "local-path" });
    }
  });

  test("are shared by the nodes unless told otherwise", async () => {
    const objects = await render({ storageClass: { create: false, name: "efs" } });
    for (const { spec } of ofKind<Claim>(objects, "PersistentVolumeClaim")) {
      expect(spec.accessModes).toEqual(["ReadWriteMany"]);
    }
  });

  test("may come from a class that the release makes", async () => {
    const storageClass = {
      create: true,
      name: "unused",
      provisioner: "efs.csi.aws.com",
      allowVolumeExpansion: false,
      volumeBindingMode: "WaitForFirstConsumer",
      reclaimPolicy: "Retain",
      mountOptions: ["tls"],
      parameters: { provisioningMode: "efs-ap" },
    };
    const { create, name, ...rest } = storageClass;
    const objects = await render({ storageClass });
    expect(find(objects, "StorageClass", "tracebloc-storage-class")).toMatchObject(rest);
    expect([create, name]).toEqual([true, "unused"]);
  });

  test("need a provisioner or a name", async () => {
    expect(await refusal({})).toContain("storageClass.provisioner");
    expect(await refusal({ storageClass: { create: false, name: "" } })).toContain("/storageClass/name");
    expect(await refusal({ storageClass: null })).toContain("storageClass.name");
  });
});
