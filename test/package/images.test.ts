import { dirname, join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { interleaved, median } from "../../scripts/bench/measure.mjs";
import { describeChart, helm } from "../chart/helm.ts";
import { pack, type Packed } from "./packed.ts";

let packed: Packed;
beforeAll(async () => {
  packed = await pack();
});
afterAll(() => packed.remove());

/**
 * Beyond the start of the program, in renderings of both charts side by side. What comes on top is two starts from a
 * large process and YAML that is parsed cold: about as long again as Helm takes.
 */
const most = 3;

describeChart("the time of `tracebloc images`", () => {
  // Other work on the machine can spoil one measurement, hardly two.
  test(`is, once the settings are read, at most ${most} times that of rendering both charts`, { retry: 3 }, () => {
    const bin = join(packed.unpacked, "dist", "bin.cjs");
    const chart = (name: string) => join(packed.unpacked, "charts", name);
    const values = join(chart("client"), "ci", "bm-values.yaml");
    const client = `helm template t '${chart("client")}' --values '${values}'`;
    const config = "apiVersion: tracebloc.io/v1\nkind: IngestConfig\n";
    const ingestor = `printf '%b' '${JSON.stringify({ ingestConfig: config })}' | helm template t '${chart("ingestor")}' --values -`;
    const env = {
      PATH: `${dirname(helm ?? "")}:${process.env["PATH"] ?? ""}`,
      HOME: packed.directory,
      KUBECONFIG: "/dev/null",
    };
    const times = interleaved(
      {
        images: [process.execPath, bin, "images", "--values", values],
        start: [process.execPath, bin, "config", "show"],
        one: ["sh", "-c", client],
        both: ["sh", "-c", `${client} & ${ingestor}; wait`],
      },
      7,
      env,
    );
    const ms = Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)]));
    const { images = 0, start = 0, one = 0, both = 0 } = ms;
    const own = images - start;
    const text = (value: number) => value.toFixed(value > 10 ? 0 : 2);
    console.info(
      `images ${text(images)} ms, of which ${text(start)} are the program's start; helm template ${text(one)} ms, both charts ${text(both)} ms; ` +
        `whole/one ${text(images / one)}, without start/one ${text(own / one)}, without start/both ${text(own / both)}`,
    );
    expect(own / both).toBeLessThanOrEqual(most);
  });
});
