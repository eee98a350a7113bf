import { engineSays, recorded } from "./answers.ts";
import { say, type Rules, type Stubbed } from "./program.ts";

const gone = recorded("absent: docker container inspect, failed");

/** docker on a machine whose engine is well and has no cluster. */
export const emptyEngine: Rules = [
  ["'version '*", say(engineSays("ready", "docker version").stdout)],
  ["'info '*", say(engineSays("ready", "docker info").stdout)],
  ["'context inspect '*", say(engineSays("no context chosen", "docker context").stdout)],
  ["'container ls '*", ":"],
  ["'container inspect '*", `${say(gone.stderr, "stderr")}; exit 1`],
  ["'exec '*", `${say(gone.stderr, "stderr")}; exit 1`],
  ["'network ls '*|'volume ls '*|'container logs '*", ":"],
];

/** An engine without a cluster, and k3d and helm that are well; `create` is what k3d does when it is to make one. */
export function stubTools({ stub }: Stubbed, create = "exit 1"): void {
  stub("docker", emptyEngine);
  stub("k3d", [
    ["version", say(recorded("install: k3d version").stdout)],
    ["'cluster list '*", "echo '[]'"],
    ["'cluster create '*", create],
  ]);
  stub("helm", [["'version '*", say(recorded("install: helm version").stdout)]]);
}
