import type { Remedy } from "../engine/finding.ts";
import type { Reason } from "../engine/reasons.ts";
import type { Platform } from "../platform/platform.ts";
import { commandLine } from "../platform/shell.ts";

/** What a complaint of k3d, the engine or k3s means, and what to do about it. */
export type Explained = { reason: Reason; says: string; remedies: readonly Remedy[] };

type Known = { words: RegExp; means: (found: readonly string[], platform: Platform) => Explained };

/** What a pull says that failed, the engine's and the node's alike: registries have the words. */
export const pullWords = {
  IMAGE_PULL_TLS: /x509: |certificate signed by unknown authority|tls: failed to verify/i,
  IMAGE_PULL_DENIED:
    /unauthorized|authorization failed|no basic auth credentials|authentication required|incorrect username or password/i,
  IMAGE_PULL_LIMIT: /toomanyrequests|429 Too Many Requests|pull rate limit/i,
} as const satisfies Partial<Record<Reason, RegExp>>;

/**
 * Texts of real failures, and what they mean. The first that matches decides, so that the narrow ones come first: an
 * image that cannot be pulled for want of space is a matter of space.
 */
const known: readonly Known[] = [
  {
    // B28: another process, another container, and what Docker Desktop says.
    words:
      /listen tcp4? \S*:(\d+): bind: address already in use|Bind for \S*:(\d+) failed: port is already allocated|exposing port TCP \S*?:(\d+) ->/,
    means: ([, program, container, desktop]) => portTaken(program ?? container ?? desktop ?? ""),
  },
  {
    words: /no space left on device|disk quota exceeded/i,
    means: () => ({
      reason: "NO_SPACE",
      says: "the disk of the container engine is full",
      remedies: [
        { says: "see what takes the space", command: "docker system df" },
        { says: "free some, or enlarge the disk of Docker Desktop's machine; nothing is pruned for you" },
      ],
    }),
  },
  {
    // B06: the engine's own pull, with the trust of its machine, which is not the trust of this program or of the node.
    words: pullWords.IMAGE_PULL_TLS,
    means: (_, platform) => ({
      reason: "IMAGE_PULL_TLS",
      says: "the container engine does not trust the registry's certificate, as behind a proxy that inspects TLS",
      remedies: trustOn[platform.name],
    }),
  },
  {
    words: pullWords.IMAGE_PULL_DENIED,
    means: () => ({
      reason: "IMAGE_PULL_DENIED",
      says: "the registry refuses the user name and password, or wants some",
      remedies: [giveLogin],
    }),
  },
  {
    // B43.
    words: pullWords.IMAGE_PULL_LIMIT,
    means: () => ({
      reason: "IMAGE_PULL_LIMIT",
      says: "the registry's limit of pulls is reached",
      remedies: [
        {
          says: "wait an hour and run the same command again; or sign in, which raises the limit",
          command: "docker login",
        },
        { says: "or name an image on a mirror with the setting k3sImage" },
      ],
    }),
  },
  {
    // B30, both wordings; the path stands on the second line.
    words: /Mounts denied:\s+The path (\S.*?)\s+is not shared/,
    means: ([, path = ""]) => notShared(path),
  },
  {
    words: /Mounts denied: approving (\S.*?): (?:file does not exist|.*)/,
    means: ([, path = ""]) => ({
      reason: "DATA_DIR_UNUSABLE",
      says: `macOS keeps the container engine from ${path}`,
      remedies: [
        { says: "allow it in System Settings, Privacy & Security, Files and Folders; then restart the engine" },
      ],
    }),
  },
  {
    // B23 and B29: the engine, which may be confined or root on a squashed NFS, could not reach the folder.
    words: /error while creating mount source path '([^']+)': (.*)/,
    means: ([, path = "", why = ""], platform) => ({
      reason: "DATA_DIR_UNUSABLE",
      says: `the container engine cannot use ${path}: ${why.trim()}`,
      remedies: [
        {
          says: "a Docker from snap sees only folders of your home that are not hidden; let the data lie in one",
          command: elsewhere(platform),
        },
      ],
    }),
  },
  {
    // B48, both wordings.
    words:
      /all predefined address pools have been fully subnetted|could not find an available, non-overlapping IPv4 address pool/,
    means: () => ({
      reason: "CLUSTER_CREATE_FAILED",
      says: "the container engine has no addresses left for another network",
      remedies: [
        { says: "see which networks there are", command: "docker network ls" },
        { says: "remove those that nobody needs, by name, with docker network rm" },
      ],
    }),
  },
  {
    words: /The container name "\/?([^"]+)" is already in use/,
    means: ([, name = ""]) => ({
      reason: "CLUSTER_NOT_OURS",
      says: `a container that is not of this cluster has the name ${name}`,
      remedies: [{ says: "remove or rename it, if it is not needed", command: `docker container rm --force ${name}` }],
    }),
  },
  {
    words: /a cluster with that name already exists/,
    means: () => ({
      reason: "CLUSTER_CREATE_FAILED",
      says: "another program made a cluster of this name at the same moment",
      remedies: [{ says: "run the same command again: it looks at what is there now" }],
    }),
  },
  {
    // B39.
    words: /failed to find (cpuset|memory|cpu|pids) cgroup|cgroup_memory=1/,
    means: ([, controller = "memory"]) => ({
      reason: "CLUSTER_CREATE_FAILED",
      says: `the kernel does not give the node the cgroup controller ${controller}`,
      remedies: [
        {
          says: "with a rootless engine: delegate the controllers, then log out and in again",
          command:
            "sudo mkdir -p /etc/systemd/system/user@.service.d && printf '[Service]\\nDelegate=cpu cpuset io memory pids\\n' | sudo tee /etc/systemd/system/user@.service.d/delegate.conf && sudo systemctl daemon-reload",
        },
        {
          says: "on a Raspberry Pi: add cgroup_memory=1 cgroup_enable=memory to the kernel's command line, then reboot",
        },
      ],
    }),
  },
  {
    // B38: nothing that ulimit could mend.
    words: /fsnotify watcher: too many open files|limit \(\d+\) on the number of inotify instances/,
    means: () => ({
      reason: "CLUSTER_CREATE_FAILED",
      says: "the kernel's limit of inotify instances is reached",
      remedies: [
        {
          says: "raise it",
          command: "sudo sysctl fs.inotify.max_user_instances=512 fs.inotify.max_user_watches=524288",
        },
        { says: "and keep it so after a reboot, by a file in /etc/sysctl.d" },
      ],
    }),
  },
  {
    words: /no matching manifest for (\S+)|exec format error/,
    means: ([, built = "this kind of machine"]) => ({
      reason: "IMAGE_PULL_FAILED",
      says: `the image is not built for ${built}`,
      remedies: [{ says: "name one that is with the setting k3sImage" }],
    }),
  },
  {
    words: /failed to pull (?:the )?image '([^']+)':.*(?:manifest unknown|not found|pull access denied|denied: )/,
    means: ([, image = ""]) => ({
      reason: "IMAGE_PULL_FAILED",
      says: `the registry does not give ${image}`,
      remedies: [
        { says: "see what it says", command: `docker pull ${image}` },
        { says: "is the setting k3sImage or k3dToolsImage right?" },
      ],
    }),
  },
  {
    words: /.*failed to pull (?:the )?image '([^']+)': (?:Error response from daemon: )?(.*)/,
    means: ([, image = "", why = ""]) => ({
      reason: "IMAGE_PULL_FAILED",
      says: `the container engine could not pull ${image}: ${why.trim()}`,
      remedies: [
        { says: "try it by hand", command: `docker pull ${image}` },
        { says: "behind a proxy the engine needs to know it as well: https://docs.docker.com/engine/daemon/proxy/" },
      ],
    }),
  },
  {
    // Rules of a firewall that was loaded anew after the engine had written its own.
    words: /iptables: No chain\/target\/match by that name/,
    means: () => ({
      reason: "CLUSTER_CREATE_FAILED",
      says: "the engine's firewall rules are gone, as after a reload of the firewall",
      remedies: [{ says: "let the engine write them again", command: "sudo systemctl restart docker" }],
    }),
  },
];

/** What to do where a registry lets nobody in. */
export const giveLogin: Remedy = {
  says: "set TRACEBLOC_REGISTRY_USERNAME and TRACEBLOC_REGISTRY_PASSWORD to what the registry knows, then run this again",
  command: "tracebloc install",
};

/** What a `docker pull` that failed means; k3d tells a pull of its own in these words. Pure. */
export function complaintOfPull(image: string, stderr: string, platform: Platform): Explained {
  const why = stderr.trim().split("\n").at(-1) || "it does not say why";
  const explained = meaningOf(`failed to pull the image '${image}': ${why}`, platform);
  return (
    explained ?? {
      reason: "IMAGE_PULL_FAILED",
      says: `${image} could not be pulled: ${why}`,
      remedies: [{ says: "try it by hand", command: `docker pull ${image}` }],
    }
  );
}

/** What a text means that k3d printed, or undefined where none of the known failures is in it. */
export function meaningOf(text: string, platform: Platform): Explained | undefined {
  for (const { words, means } of known) {
    const found = words.exec(text);
    if (found !== null) return means(found, platform);
  }
  return undefined;
}

/** Lines after which waiting longer mends nothing: k3d would go on until its timeout (B20, B39). */
export function isHopeless(line: string): boolean {
  return /is restarting for more than|encountered fatal log from node .*(cgroup|fsnotify|inotify)/.test(line);
}

/** What k3d printed that says more than its progress, without colours and its own time stamps. */
export function complaintsOf(text: string): string[] {
  return plainLines(text).flatMap((line) => {
    const parts = /^(?:WARN|ERRO|FATA|PANI)\[\d+\] (.*)$/.exec(line);
    return parts === null ? [] : [(parts[1] ?? "").trim()];
  });
}

/** What k3d says it is doing, from one of its lines; undefined where the line is none of its log. */
export function progressOf(line: string): string | undefined {
  return /^(?:INFO|WARN)\[\d+\] (.*)$/.exec(plainLines(line)[0] ?? "")?.[1]?.trim();
}

/** k3d writes colours into pipes as well. */
function plainLines(text: string): string[] {
  // oxlint-disable-next-line no-control-regex -- the escape sequences are what is removed
  const plain = text.replaceAll(/\u001b\[[0-9;]*m/g, "");
  return plain
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function portTaken(port: string): Explained {
  return {
    reason: "PORT_TAKEN",
    says: `port ${port} of this machine, which the cluster needs, is in use`,
    remedies: [
      { says: "see which container has it", command: `docker container ls --filter publish=${port}` },
      { says: "end what uses it, or name another port with the setting apiPort; then run the same command again" },
    ],
  };
}

function notShared(path: string): Explained {
  return {
    reason: "DATA_DIR_UNUSABLE",
    says: `the container engine's machine does not see ${path}`,
    remedies: [
      {
        says: "share the folder in Docker Desktop: Settings, Resources, File sharing; or let the data lie below your home",
      },
    ],
  };
}

function elsewhere(platform: Platform): string {
  return commandLine(platform, "tracebloc", "install", "--data-dir", "tracebloc-data");
}

const certificates = "/usr/local/share/ca-certificates/company.crt";
const onDebian: readonly Remedy[] = [
  {
    says: "give the engine's machine your company's certificate (Debian, Ubuntu)",
    command: `sudo cp company.crt ${certificates} && sudo update-ca-certificates && sudo systemctl restart docker`,
  },
  {
    says: "or (Fedora, Red Hat)",
    command:
      "sudo cp company.crt /etc/pki/ca-trust/source/anchors/ && sudo update-ca-trust && sudo systemctl restart docker",
  },
];

/** How an engine is made to trust a certificate: it follows its own machine, never this program. */
const trustOn: Readonly<Record<Platform["name"], readonly Remedy[]>> = {
  linux: onDebian,
  wsl2: [
    { says: "with Docker Desktop: add your company's certificate to Windows, then restart Docker Desktop; else" },
    ...onDebian,
  ],
  macos: [
    {
      says: "add your company's certificate to the keychain, then restart Docker Desktop",
      command: "sudo security add-trusted-cert -d -r trustRoot -k /Library/Keychains/System.keychain company.crt",
    },
    { says: "with Colima the machine inside needs it too", command: "colima ssh -- sudo update-ca-certificates" },
  ],
  windows: [
    {
      says: "add your company's certificate to Windows (as an administrator), then restart Docker Desktop",
      command: "Import-Certificate -FilePath company.cer -CertStoreLocation Cert:\\LocalMachine\\Root",
    },
  ],
};
