import type { Environment } from "./environment.ts";
import { fill } from "./places.ts";
import type { Platform, PlatformName } from "./platform.ts";

/** What a person does: a few words, and a command for this platform's shell. The same shape as a finding's remedy. */
export type Hint = { says: string; command?: string };

/** A container engine as it is found on one platform; `$NAME` in the endpoint is a variable. */
export type EngineTemplate = { product: string; endpoint: string; start: Hint };

/** Where an engine's API is reached, as DOCKER_HOST would name it. */
export type Engine = { product: string; endpoint: string; start: Hint };

/** The engines that may be on this machine: those whose endpoint can be spelled out here. Pure; nothing is asked. */
export function knownEngines(platform: Platform, environment: Environment): readonly Engine[] {
  return platform.engines.flatMap((engine) => {
    const endpoint = fill(engine.endpoint, environment);
    return endpoint === undefined ? [] : [{ ...engine, endpoint }];
  });
}

const colima: EngineTemplate = {
  product: "Colima",
  endpoint: "unix://$HOME/.colima/default/docker.sock",
  start: { says: "start it", command: "colima start" },
};
const rancherDesktop: EngineTemplate = {
  product: "Rancher Desktop",
  endpoint: "unix://$HOME/.rd/docker.sock",
  start: { says: "start Rancher Desktop", command: "rdctl start" },
};

const onLinux: readonly EngineTemplate[] = [
  {
    product: "Docker",
    endpoint: "unix:///var/run/docker.sock",
    start: { says: "start it", command: "sudo systemctl start docker" },
  },
  {
    product: "rootless Docker",
    endpoint: "unix://$XDG_RUNTIME_DIR/docker.sock",
    start: { says: "start it", command: "systemctl --user start docker" },
  },
  {
    product: "Docker Desktop",
    endpoint: "unix://$HOME/.docker/desktop/docker.sock",
    start: { says: "start Docker Desktop", command: "systemctl --user start docker-desktop" },
  },
  rancherDesktop,
  colima,
];

const startDockerDesktop = 'Start-Process "$env:ProgramFiles\\Docker\\Docker\\Docker Desktop.exe"';

/** The engines of each platform. Docker Desktop comes first where it is what most people have. */
export const enginesOn: Readonly<Record<PlatformName, readonly EngineTemplate[]>> = {
  linux: onLinux,
  wsl2: [
    {
      product: "Docker",
      endpoint: "unix:///var/run/docker.sock",
      start: {
        // With Docker Desktop the socket is a loan from Windows; `service` works with and without systemd in the distribution.
        says: "start Docker Desktop in Windows, with its WSL integration on for this distribution; or the distribution's own Docker",
        command: "sudo service docker start",
      },
    },
    ...onLinux.slice(1),
  ],
  macos: [
    {
      product: "Docker Desktop",
      endpoint: "unix://$HOME/.docker/run/docker.sock",
      start: { says: "start Docker Desktop", command: "open -a Docker" },
    },
    colima,
    {
      product: "OrbStack",
      endpoint: "unix://$HOME/.orbstack/run/docker.sock",
      start: { says: "start OrbStack", command: "open -a OrbStack" },
    },
    rancherDesktop,
    // A link that one of the above puts there, if a person let it.
    {
      product: "Docker",
      endpoint: "unix:///var/run/docker.sock",
      start: { says: "start Docker Desktop", command: "open -a Docker" },
    },
  ],
  windows: [
    {
      product: "Docker Desktop",
      endpoint: "npipe:////./pipe/dockerDesktopLinuxEngine",
      start: { says: "start Docker Desktop", command: startDockerDesktop },
    },
    {
      product: "Docker",
      endpoint: "npipe:////./pipe/docker_engine",
      start: { says: "start Docker Desktop", command: startDockerDesktop },
    },
  ],
};

/** How to get an engine, per platform. Nothing here is run by this program. */
export const installEngineOn: Readonly<Record<PlatformName, readonly Hint[]>> = {
  linux: [{ says: "install Docker Engine: https://docs.docker.com/engine/install/" }],
  wsl2: [
    {
      says: "turn on Docker Desktop's WSL integration for this distribution: https://docs.docker.com/desktop/features/wsl/",
    },
    { says: "or install Docker Engine in the distribution: https://docs.docker.com/engine/install/" },
  ],
  macos: [
    { says: "install Docker Desktop: https://docs.docker.com/desktop/setup/install/mac-install/" },
    { says: "or Colima", command: "brew install colima docker && colima start --cpu 4 --memory 8" },
  ],
  windows: [
    {
      says: "install Docker Desktop",
      command: "winget install --exact --id Docker.DockerDesktop",
    },
  ],
};
