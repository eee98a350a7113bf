import { fine, skipped, warning, type Check } from "./check.ts";

/**
 * Most systems come with 128 instances, which one cluster lives with; below that k3s does not start, with words about
 * open files that raising `ulimit` does not help (B38).
 */
const fewest = { instances: 128, watches: 8192 };

/** Are the kernel's inotify limits high enough? */
export const inotifyCheck: Check = {
  about: "inotify",
  check({ facts: { inotify } }) {
    if (inotify === undefined) return fine("no such limits here");
    if (inotify.state === "unknown") return skipped(inotify.why);
    const { instances, watches } = inotify.value;
    if (instances >= fewest.instances && watches >= fewest.watches) {
      return fine(`${instances} instances, ${watches} watches`);
    }
    const raise = "fs.inotify.max_user_instances=512 fs.inotify.max_user_watches=524288";
    return warning(
      "KERNEL_LIMIT_LOW",
      `the kernel allows each user ${instances} inotify instances and ${watches} watches, which a cluster uses up`,
      [
        { says: "raise them until the next restart", command: `sudo sysctl -w ${raise}` },
        { says: "and for good", command: `printf '%s\\n' ${raise} | sudo tee /etc/sysctl.d/60-tracebloc.conf` },
      ],
    );
  },
};
