/** One mounted file system, as the kernel lists it. */
export type Mount = { at: string; type: string; source: string; options: string };

/**
 * How far a file system can be trusted with a database: `network` ones damage MySQL, `shared` ones are another system's
 * folders (modes may not hold), `memory` ones are empty after a restart, and of a FUSE driver that is not known nothing can be told.
 */
export type MountKind = "local" | "network" | "shared" | "memory" | "unknown FUSE";

const network = new Set(
  (
    "nfs nfs3 nfs4 nfsd cifs smb smbfs smb2 smb3 afpfs 9p ncpfs gfs gfs2 ocfs2 lustre glusterfs ceph beegfs " +
    "sshfs s3fs gcsfuse blobfuse blobfuse2 davfs webdav rclone"
  ).split(" "),
);
const shared = new Set(["drvfs", "virtiofs", "vboxsf", "prl_fs", "vmhgfs"]);
const memory = new Set(["tmpfs", "ramfs"]);
const fuse = new Set(["fuse", "fuseblk", "macfuse", "osxfuse", "osxfusefs"]);

/** Sorts a mount by its type. */
export function kindOfMount(mount: Mount): MountKind {
  const type = mount.type.toLowerCase();
  const driver = type.replace(/^fuse\./, "");
  // WSL shows Windows drives as 9p (`aname=drvfs`) or virtiofs: not a network, and not a Linux file system either.
  if (type === "9p" && mount.options.includes("aname=drvfs")) return "shared";
  if (network.has(driver)) return "network";
  if (shared.has(driver)) return "shared";
  if (memory.has(type)) return "memory";
  return type.startsWith("fuse.") || fuse.has(type) ? "unknown FUSE" : "local";
}

/** Reads /proc/self/mountinfo. Lines that are none are left out. */
export function parseMountinfo(text: string): readonly Mount[] {
  return text.split("\n").flatMap((line) => {
    const [place, system] = halves(line, " - ");
    const at = place.split(" ")[4];
    const [type, source = "", options = ""] = (system ?? "").split(" ");
    if (at === undefined || type === undefined || type === "") return [];
    return [{ at: unescaped(at), type, source: unescaped(source), options }];
  });
}

/** Reads what macOS's `mount` prints: `/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled)`. */
export function parseMountOutput(text: string): readonly Mount[] {
  return text.split("\n").flatMap((line) => {
    const found = /^(.+?) on (\/.*) \(([^,()]+)(?:, )?([^()]*)\)$/.exec(line);
    if (found === null) return [];
    const [, source = "", at = "", type = "", options = ""] = found;
    return [{ at, type, source, options }];
  });
}

/** The mount that holds an absolute POSIX path: the longest that leads to it; of several at one place the last, which hides the others. */
export function mountOf(path: string, mounts: readonly Mount[]): Mount | undefined {
  return mounts.reduce<Mount | undefined>((best, mount) => {
    const holds = mount.at === "/" || path === mount.at || path.startsWith(`${mount.at}/`);
    return holds && (best === undefined || mount.at.length >= best.at.length) ? mount : best;
  }, undefined);
}

function halves(text: string, at: string): [string, string | undefined] {
  const index = text.indexOf(at);
  return index === -1 ? [text, undefined] : [text.slice(0, index), text.slice(index + at.length)];
}

/** The kernel writes blank, tab, newline and backslash as three octal digits, byte by byte. */
function unescaped(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCodePoint(Number.parseInt(digits, 8)));
}
