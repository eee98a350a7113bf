import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { docker, runPod } from "./lab.ts";
import { actionsOf, callsOf, useProduct, type Ran } from "./product.ts";

const ingestion = 65534;
const teardown = 65532;

describe("a client from its first install to its last trace", () => {
  const product = useProduct("lab-install");
  const noCredentials = { TRACEBLOC_CLIENT_ID: undefined, TRACEBLOC_CLIENT_PASSWORD: undefined };
  const inData = (...parts: string[]) => join(product.data, "tracebloc", ...parts);
  let installed: Ran;

  const pod = (name: string, uid: number, claim: string, args: readonly string[]) =>
    runPod(product, { name, uid, claim, args, namespace: "tracebloc" });

  describe("before there is one", () => {
    const nothingWasMade = async () => {
      expect(existsSync(product.data)).toBe(false);
      expect(await docker("container", "ls", "--all", "--quiet", "--filter", `name=k3d-${product.cluster}-`)).toBe("");
    };

    test("a wrong password ends with exit 2 before anything is made", async () => {
      const ran = await product.run(["install", "--json"], { env: { TRACEBLOC_CLIENT_PASSWORD: "not-it" } });

      expect(ran.exit, ran.last).toBe(2);
      expect(ran.result().failures).toMatchObject([{ reason: "CREDENTIALS_REJECTED" }]);
      expect(actionsOf(ran.log())).toEqual(["release.credentials"]);
      await nothingWasMade();
    });

    test("so does a client that is not activated", async () => {
      const ran = await product.run(["install", "--json"], { env: { TRACEBLOC_CLIENT_ID: "inactive-client" } });

      expect(ran.exit, ran.last).toBe(2);
      expect(ran.result().failures).toMatchObject([{ reason: "CREDENTIALS_INACTIVE" }]);
      await nothingWasMade();
    });

    test("without credentials and without a terminal it says what is missing", async () => {
      const ran = await product.run(["install", "--json"], { env: noCredentials });

      expect(ran.exit, ran.last).toBe(2);
      expect(ran.result().failures).toMatchObject([{ reason: "CREDENTIALS_MISSING" }]);
      await nothingWasMade();
    });

    test("plan names each step and what is decided later, and makes nothing", async () => {
      const ran = await product.run(["plan", "--json"]);

      expect(ran.exit, ran.last).toBe(0);
      expect(ran.result()).toMatchObject({ state: "planned" });
      expect(ran.result().actions.map((action) => action.do)).toEqual([
        "release.credentials",
        "storage.folders",
        "cluster.create",
      ]);
      expect(ran.result().then).toEqual([
        "prepare the directories data and logs, and prove them in the node",
        "install chart client 2.0.0 in namespace tracebloc",
      ]);
      await nothingWasMade();
    });

    test("status says so with exit 3", async () => {
      const ran = await product.run(["status", "--json"]);

      expect(ran.exit, ran.last).toBe(3);
      expect(ran.result()).toMatchObject({ state: "not installed", failures: [{ reason: "NOT_INSTALLED" }] });
    });
  });

  describe("the first install", () => {
    beforeAll(async () => {
      installed = await product.run(["install", "--json"]);
    });

    test("ends healthy, each step in its order", () => {
      expect(installed.exit, installed.last).toBe(0);
      expect(installed.result()).toMatchObject({
        command: "install",
        ok: true,
        exit: 0,
        state: "healthy",
        failures: [],
      });
      expect(installed.result().actions.map((action) => action.do)).toEqual([
        "release.credentials",
        "storage.folders",
        "cluster.create",
        "storage.prepare",
        "release.apply",
        "release.await",
      ]);
      expect(actionsOf(installed.log())).toEqual(installed.result().actions.map((action) => action.do));
    });

    test("has the directories proven before Helm starts", () => {
      const log = installed.log();
      const proven = log.findIndex(
        (line) =>
          line.is === "event" &&
          line.event.type === "action" &&
          line.event.action.do === "storage.prepare" &&
          line.event.phase === "end" &&
          line.event.holds === true,
      );
      const helm = log.findIndex((line) => line.is === "child" && line.about === "helm upgrade");

      expect(proven).toBeGreaterThan(0);
      expect(helm).toBeGreaterThan(proven);
    });

    test("leaves the directories with owner and mode, in the node and on this machine", async () => {
      expect(installed.result().storage).toMatchObject([
        { volume: "data", path: "/tracebloc/tracebloc/data", result: "ready", mode: "2777", owner: "1000:1000" },
        { volume: "logs", path: "/tracebloc/tracebloc/logs", result: "ready", mode: "3777", owner: "1000:1000" },
      ]);
      expect(await product.inNode("stat -c '%a %u:%g' /tracebloc/tracebloc/data /tracebloc/tracebloc/logs")).toBe(
        "2777 1000:1000\n3777 1000:1000",
      );
      expect(statSync(inData("data")).mode & 0o7777).toBe(0o2777);
      expect(statSync(inData("logs")).mode & 0o7777).toBe(0o3777);
    });

    test("has all three workloads ready, as Kubernetes itself says", async () => {
      const names = ["mysql-client", "tracebloc-jobs-manager", "tracebloc-requests-proxy"];
      const format = "jsonpath={range .items[*]}{.metadata.name}={.status.availableReplicas} {end}";

      expect(installed.result().workloads).toEqual(names.map((name) => ({ name, state: "ready", says: "ready" })));
      expect(await product.kubectl(["get", "deployments", "--namespace", "tracebloc", "--output", format])).toBe(
        names.map((name) => `${name}=1 `).join(""),
      );
    });

    test("made one server without a load balancer, with our label and the folder at /tracebloc", async () => {
      const format = `{{index .Config.Labels "k3d.role"}} {{range .Mounts}}{{if eq .Destination "/tracebloc"}}{{.Source}}{{end}}{{end}}`;
      const members = await docker("container", "ls", "--quiet", "--filter", `label=k3d.cluster=${product.cluster}`);

      expect(members.split("\n")).toHaveLength(1);
      expect(await docker("container", "inspect", "--format", format, product.node)).toBe(`server ${product.data}`);
    });
  });

  describe("its volumes", () => {
    test("take a dataset of folders from uid 65534 and let uid 65532 remove it", async () => {
      const writer = await pod("writer", ingestion, "client-pvc", ["write", "/data/shared/cats"]);
      expect(writer).toMatchObject({ exitCode: 0 });
      expect(writer.log).toContain("as uid 65534");
      expect(existsSync(inData("data", "cats", "train", "images", "1.csv"))).toBe(true);

      const remover = await pod("remover", teardown, "client-pvc", ["remove", "/data/shared/cats"]);
      expect(remover).toMatchObject({ exitCode: 0 });
      expect(remover.log).toContain("as uid 65532");
      expect(existsSync(inData("data", "cats"))).toBe(false);
    });

    test("keep the logs of one uid from another", async () => {
      const writer = await pod("log-writer", ingestion, "client-logs-pvc", ["write", "/data/shared/run-1"]);
      expect(writer).toMatchObject({ exitCode: 0 });

      const remover = await pod("log-remover", teardown, "client-logs-pvc", ["remove", "/data/shared/run-1"]);
      expect(remover.exitCode).toBe(1);
      expect(remover.log).toContain("operation not permitted");
      expect(existsSync(inData("logs", "run-1"))).toBe(true);
    });
  });

  describe("a second install", () => {
    let again: Ran;
    beforeAll(async () => {
      again = await product.run(["install", "--json"], { env: noCredentials });
    });

    test("proves everything, finds nothing to do, and needs no credentials", () => {
      expect(again.exit, again.last).toBe(0);
      expect(again.result()).toMatchObject({ state: "healthy", actions: [], failures: [] });
      expect(again.result().release).toMatchObject({ name: "tracebloc", revision: 1, status: "deployed" });
      expect(again.result().storage?.map(({ result }) => result)).toEqual(["ready", "ready"]);
      expect(again.result().workloads?.map(({ state }) => state)).toEqual(["ready", "ready", "ready"]);
    });

    test("starts neither helm nor k3d, and at most six programs", () => {
      const programs = callsOf(again.log()).map(({ file }) => file);

      expect(programs).not.toEqual([]);
      expect(programs.filter((file) => !file.endsWith("docker"))).toEqual([]);
      expect(programs.length).toBeLessThanOrEqual(6);
    });

    test("tells a person so in its last line", async () => {
      const ran = await product.run(["install"], { env: noCredentials });

      expect(ran.stdout).toBe("");
      expect(ran.stderr.trim().split("\n").at(-1)).toMatch(/everything is in place, proven just now \([\d.]+ s\)$/);
    });
  });

  describe("its uninstall", () => {
    const bystander = "lab-install-bystander";
    const identity = () => docker("container", "inspect", "--format", "{{.Id}} {{.State.StartedAt}}", bystander);
    let before = "";

    beforeAll(async () => {
      const image = await docker("container", "inspect", "--format", "{{.Config.Image}}", product.node);
      await docker("container", "rm", "--force", bystander).catch(() => undefined);
      const alone = ["--detach", "--network", "none", "--entrypoint", "sleep"];
      await docker("container", "run", ...alone, "--name", bystander, image, "3600");
      before = await identity();
      mkdirSync(join(product.data, "another"));
      writeFileSync(join(product.data, "another", "kept"), "");
      writeFileSync(inData("notes"), "");
      appendFileSync(inData("mysql", "kept"), "a table\n");
      await pod("kept-writer", ingestion, "client-pvc", ["write", "/data/shared/dogs"]);
    });
    afterAll(async () => {
      await docker("container", "rm", "--force", bystander);
    });

    test("takes the cluster, and leaves data and other containers as they are", async () => {
      const ran = await product.run(["uninstall", "--json"]);

      expect(ran.exit, ran.last).toBe(0);
      expect(ran.result().actions.map((action) => action.do)).toEqual(["cluster.delete"]);
      const label = `label=k3d.cluster=${product.cluster}`;
      expect(await docker("container", "ls", "--all", "--quiet", "--filter", label)).toBe("");
      expect(await docker("volume", "ls", "--quiet", "--filter", label)).toBe("");
      expect(await docker("network", "ls", "--quiet", "--filter", `name=^k3d-${product.cluster}$`)).toBe("");
      expect(existsSync(inData("data", "dogs", "train", "1.csv"))).toBe(true);
      expect(readFileSync(inData("mysql", "kept"), "utf8")).toBe("a table\n");
      expect(await identity()).toBe(before);
    });

    test("leaves nothing that holds the password", () => {
      expect(existsSync(join(product.state, `cluster-${product.cluster}`, "values-tracebloc.yaml"))).toBe(false);
      expect(existsSync(join(product.state, `cluster-${product.cluster}`, "kubeconfig.yaml"))).toBe(false);
    });

    test("is followed by a status of exit 3", async () => {
      expect(await product.run(["status"])).toMatchObject({ exit: 3 });
    });

    test("lets a new install find the data again", async () => {
      const starts = () => readFileSync(inData("mysql", "lab-starts"), "utf8").trim().split("\n");
      const earlier = starts();
      const ran = await product.run(["install", "--json"]);

      expect(ran.exit, ran.last).toBe(0);
      expect(ran.result()).toMatchObject({ state: "healthy" });
      expect(starts()).toEqual([...earlier, expect.any(String)]);
      expect(readFileSync(inData("mysql", "kept"), "utf8")).toBe("a table\n");
      const remover = await pod("kept-remover", teardown, "client-pvc", ["remove", "/data/shared/dogs"]);
      expect(remover).toMatchObject({ exitCode: 0 });
    });

    test("deletes no data that was not confirmed", async () => {
      const ran = await product.run(["uninstall", "--delete-data", "--json"]);

      expect(ran.exit, ran.last).toBe(2);
      expect(ran.result().failures).toMatchObject([{ reason: "CONFIRMATION_MISSING" }]);
      expect(await product.run(["status"])).toMatchObject({ exit: 0 });
    });

    test("deletes, when told to, the folders of the release and nothing beside them", async () => {
      const ran = await product.run(["uninstall", "--delete-data", "--yes", "--json"]);

      expect(ran.exit, ran.last).toBe(0);
      expect(ran.result().actions.map((action) => action.do)).toEqual(["cluster.delete", "storage.delete"]);
      expect(["data", "logs", "mysql"].filter((name) => existsSync(inData(name)))).toEqual([]);
      expect(existsSync(inData("notes"))).toBe(true);
      expect(existsSync(join(product.data, "another", "kept"))).toBe(true);
      expect(await identity()).toBe(before);
    });

    test("has nothing to do the second time", async () => {
      const ran = await product.run(["uninstall", "--json"]);

      expect(ran.exit, ran.last).toBe(0);
      expect(ran.result().actions).toEqual([]);
    });
  });
});
