import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "vitest";

import { chart, container, containers, describeChart, find, hostpath, render } from "./helm.ts";
import type { CronJob, Manifest, Role } from "./manifests.ts";
import { execute, folder, lines, shells } from "./shells.ts";

const on = { ...hostpath, imageRefresh: { enabled: true } };
const digest = (letter: string) => `sha256:${letter.repeat(64)}`;
const named = (objects: readonly Manifest[]) => objects.filter(({ metadata }) => /image-refresh/.test(metadata.name));

describeChart("refreshing images", () => {
  test("is off unless asked for, and has nothing to do where nothing follows a tag of Docker Hub", async () => {
    const pinned = { jobsManager: { digest: digest("a") }, podsMonitor: { digest: digest("b") } };
    const off = [
      hostpath,
      { ...on, imageRefresh: null },
      { ...on, global: { imageRegistry: "mirror.example.com" } },
      { ...on, images: { ...pinned, resourceMonitor: { digest: digest("c") } } },
      { ...on, images: pinned, resourceMonitor: false },
    ];
    for (const values of off) expect(named(await render(values))).toEqual([]);
  });

  test("tells its job which images to look at, by their own tags, and where they run", async () => {
    const words = async (values: object) => container(await render({ ...on, ...values }), "image-refresh").args;
    const monitor = [
      "tracebloc/resource-monitor:dev",
      "tracebloc-node-agents/daemonset/tracebloc-resource-monitor=tracebloc-resource-monitor",
    ];
    const env = { CLIENT_ENV: "dev" };
    expect(await words({ env })).toEqual([
      "tracebloc/jobs-manager:dev",
      "tracebloc/deployment/tracebloc-jobs-manager=api,tracebloc/deployment/tracebloc-requests-proxy=proxy",
      "tracebloc/pods-monitor:dev",
      "tracebloc/deployment/tracebloc-jobs-manager=pods-monitor-container",
      ...monitor,
    ]);
    const images = {
      podsMonitor: { digest: digest("b") },
      requestsProxy: { digest: digest("c") },
      jobsManager: { tag: "7" },
    };
    expect(await words({ env, images })).toEqual([
      "tracebloc/jobs-manager:7",
      "tracebloc/deployment/tracebloc-jobs-manager=api",
      ...monitor,
    ]);
  });

  test("comes four times an hour, one at a time, with time for every rollout", async () => {
    const spec = async (imageRefresh: object) =>
      (find(await render({ ...hostpath, imageRefresh }), "CronJob", "tracebloc-image-refresh") as CronJob).spec;
    expect(await spec({ enabled: true })).toMatchObject({
      schedule: "7,22,37,52 * * * *",
      concurrencyPolicy: "Forbid",
      jobTemplate: { spec: { activeDeadlineSeconds: 3600 } },
    });
    expect(await spec({ enabled: true, rolloutTimeout: "30m" })).toMatchObject({
      jobTemplate: { spec: { activeDeadlineSeconds: 5700 } },
    });
  });

  test("may change the workloads that it rolls and no other", async () => {
    const objects = await render(on);
    const rules = (name: string) => (find(objects, "Role", name) as Role).rules;
    const look = ["list", "watch"];
    expect(rules("tracebloc-image-refresh")).toEqual([
      {
        apiGroups: ["apps"],
        resources: ["deployments"],
        resourceNames: ["tracebloc-jobs-manager", "tracebloc-requests-proxy"],
        verbs: ["get", "patch"],
      },
      { apiGroups: ["apps"], resources: ["deployments"], verbs: look },
    ]);
    expect(rules("tracebloc-image-refresh-node-agents")).toMatchObject([
      { resourceNames: ["tracebloc-resource-monitor"], verbs: ["get", "patch"] },
      { verbs: look },
    ]);
  });

  test("lets a restart do without the network, since tags are followed elsewhere (client#569)", async () => {
    const policies = async (values: object) =>
      [...new Set(containers(await render({ ...hostpath, ...values })).map((each) => each.imagePullPolicy))].sort();
    expect(await policies({ imageRefresh: { enabled: true } })).toEqual(["IfNotPresent"]);
    expect(await policies({})).toEqual(["Always", "IfNotPresent"]);
    // Behind a mirror nothing follows them.
    const global = { imageRegistry: "mirror.example.com" };
    expect(await policies({ imageRefresh: { enabled: true }, global })).toEqual(["Always", "IfNotPresent"]);
  });
});

type World = {
  /** What Docker Hub has; undefined where it does not answer. */
  hub: string | undefined;
  notes?: Record<string, string>;
  /** How `kubectl rollout status` ends. */
  rollout?: number;
};

/** Docker Hub and the cluster in files: curl answers with the registry's header, kubectl keeps annotations and what was set. */
async function refresh(shell: (typeof shells)[number], { hub, notes = {}, rollout = 0 }: World) {
  const at = await folder();
  const store = join(at, "notes");
  await mkdir(store);
  for (const [name, value] of Object.entries(notes)) await writeFile(join(store, name), value);
  const curl = `#!/bin/sh
for last do :; done
case $last in
  *auth.docker.io*) ${hub === undefined ? "exit 6" : `echo '{"token":"t0ken","expires_in":300}'`} ;;
  *) read -r header; [ "$header" = 'header = "Authorization: Bearer t0ken"' ] || exit 22
     printf 'HTTP/2 200\\r\\ncontent-type: application/vnd.oci.image.index.v1+json\\r\\ndocker-content-digest: ${hub}\\r\\n\\r\\n' ;;
esac
`;
  const kubectl = `#!/bin/sh
shift 2
case "$1 $2" in
  "get deployment") key=\${5##*tracebloc.io/}; cat '${store}'/"\${key%%\\"*}" 2>/dev/null || true ;;
  "annotate --overwrite")
    shift 4
    for pair do
      key=\${pair#tracebloc.io/}
      case $key in *=*) printf %s "\${key#*=}" >'${store}'/"\${key%%=*}" ;; *-) rm -f '${store}'/"\${key%-}" ;; esac
    done ;;
  "set image") echo "$3 $4" >>'${at}/set' ;;
  "rollout status") exit ${rollout} ;;
  *) exit 64 ;;
esac
`;
  for (const [name, body] of Object.entries({ curl, kubectl })) await writeFile(join(at, name), body, { mode: 0o755 });
  const script = await readFile(join(chart, "files", "image-refresh.sh"), "utf8");
  const env = {
    NAMESPACE: "hospital",
    DEPLOYMENT: "w-jobs-manager",
    ROLLOUT_TIMEOUT: "1m",
    MAX_ATTEMPTS: "3",
    MAX_SKIPS: "2",
  };
  const words = [
    "tracebloc/jobs-manager:prod",
    "hospital/deployment/w-jobs-manager=api,hospital/deployment/w-requests-proxy=proxy",
  ];
  const ran = await execute({ ...shell, path: `${at}:${shell.path}` }, script, ["image-refresh", ...words], { env });
  const kept = await readdir(store);
  const after = await Promise.all(kept.map(async (name) => [name, await readFile(join(store, name), "utf8")]));
  const set = await readFile(join(at, "set"), "utf8").catch(() => "");
  return {
    code: ran.code,
    said: lines(ran),
    notes: Object.fromEntries(after) as Record<string, string>,
    set: set.split("\n").filter(Boolean),
  };
}

const [old, fresh] = [digest("a"), digest("b")] as const;
const recorded = "last-refreshed-jobs-manager-digest";
const attempt = "refresh-attempt-jobs-manager";
const rolled = [
  `deployment/w-jobs-manager api=docker.io/tracebloc/jobs-manager@${fresh}`,
  `deployment/w-requests-proxy proxy=docker.io/tracebloc/jobs-manager@${fresh}`,
];

describeChart.each(shells)("image-refresh under $name", (shell) => {
  test("notes what it sees first, and restarts nothing for it", async () => {
    expect(await refresh(shell, { hub: fresh })).toMatchObject({ code: 0, set: [], notes: { [recorded]: fresh } });
  });

  test("leaves what has not changed alone", async () => {
    expect(await refresh(shell, { hub: fresh, notes: { [recorded]: fresh } })).toMatchObject({ code: 0, set: [] });
  });

  test("moves every container of a changed image on, and notes it when they are up", async () => {
    const ran = await refresh(shell, { hub: fresh, notes: { [recorded]: old, [attempt]: `${digest("c")} 3` } });
    expect(ran).toMatchObject({ code: 0, set: rolled });
    expect(ran.notes).toEqual({ [recorded]: fresh });
  });

  test("tries an image that does not come up three times, then leaves it and says so", async () => {
    const first = await refresh(shell, { hub: fresh, notes: { [recorded]: old }, rollout: 1 });
    expect(first).toMatchObject({ code: 1, set: rolled, notes: { [recorded]: old, [attempt]: `${fresh} 1` } });
    const last = await refresh(shell, { hub: fresh, notes: { [recorded]: old, [attempt]: `${fresh} 3` } });
    expect(last).toMatchObject({ code: 1, set: [], notes: { "refresh-flap-detected": `jobs-manager ${fresh}` } });
    expect(last.said.join()).toContain("annotate deployment w-jobs-manager tracebloc.io/refresh-attempt-jobs-manager-");
  });

  test("bears with a registry that is away, until it is away too often (#563)", async () => {
    const once = await refresh(shell, { hub: undefined, notes: { [recorded]: old } });
    expect(once).toMatchObject({ code: 0, set: [], notes: { "refresh-skip-streak": "1" } });
    const again = await refresh(shell, { hub: undefined, notes: { [recorded]: old, "refresh-skip-streak": "1" } });
    expect(again).toMatchObject({ code: 1, notes: { "refresh-skip-streak": "2" } });
    const back = await refresh(shell, { hub: old, notes: { [recorded]: old, "refresh-skip-streak": "7" } });
    expect(back).toMatchObject({ code: 0, notes: { [recorded]: old } });
    expect(back.notes).not.toHaveProperty("refresh-skip-streak");
  });
});
