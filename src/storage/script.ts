import { quote } from "../platform/shell.ts";
import { owner, stepsOf, type Directory } from "./layout.ts";

/** Seconds that one command in the node may take. A dead file server holds `ls` as well as `chmod`. */
export const patience = 5;

/** What kill -9 by our own watchdog leaves as exit code. */
export const killed = 137;

/**
 * Looks at directories and changes nothing. Answers one line each, then an end marker; `report.ts` reads them.
 * Goes to the stdin of `sh`, which needs no more than ls, sleep and grep beside its own words.
 */
export function inspectScript(directories: readonly Directory[], seconds = patience): string {
  return script(seconds, [
    ...directories.map((directory) => call("inspect", directory)),
    ...mountLines(directories),
    `printf 'end seen ${directories.length}\\n'`,
  ]);
}

/**
 * Brings directories to their owner and mode, each independently of the others, and reads them back. Refuses symlinks
 * and what is no directory. Nothing is recursive: the files below keep what they have.
 */
export function prepareScript(directories: readonly Directory[], seconds = patience): string {
  return script(seconds, [
    ...directories.map((directory) => call("prepare", directory)),
    ...mountLines(directories),
    `printf 'end prepared ${directories.length}\\n'`,
  ]);
}

/** One word of the node's shell, whatever the text holds. */
export function word(text: string): string {
  return quote("sh", text);
}

/** A path as one word of a report line: bytes that are not plain are percent-encoded, so that no name can imitate a line. */
export function label(path: string): string {
  const bytes = [...Buffer.from(path)];
  return bytes.map((byte) => asIs(byte) ?? `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
}

function asIs(byte: number): string | undefined {
  const character = String.fromCharCode(byte);
  return /[\w/.-]/.test(character) ? character : undefined;
}

function call(name: "inspect" | "prepare", directory: Directory): string {
  return [name, label(directory.path), directory.mode, ...stepsOf(directory).map(word)].join(" ");
}

function mountLines(directories: readonly Directory[]): string[] {
  return [...new Set(directories.map(({ base }) => base))].map((base) => `mount ${label(base)} ${word(base)}`);
}

/**
 * One `{ …; }` group without a final newline, so that the last byte is the one that makes it a command: `sh` runs the
 * beginning of a script that was cut off on its way, but not the beginning of a group. Throws on a NUL.
 */
export function group(lines: readonly string[]): string {
  const text = ["{", ...lines, "}"].join("\n");
  if (text.includes("\0")) throw new RangeError("no path holds a NUL, and no shell reads one");
  return text;
}

function script(seconds: number, calls: readonly string[]): string {
  return group([bounds(seconds), functions, ...calls]);
}

/**
 * Shell functions that keep every command short and quiet. The node has no `timeout` (k3s leaves it out of its busybox),
 * and ending `docker exec` ends nothing inside: so a watchdog beside each command kills it. `$(answer COMMAND…)` has its
 * output and exit code, 137 where it was killed. The watchdog takes its own `sleep` along, so that nothing is left behind.
 * Standard input is the script itself: no command may read it.
 */
export function bounds(seconds: number): string {
  return String.raw`exec 2>/dev/null
LC_ALL=C
export LC_ALL
set -f
answer() {
  "$@" </dev/null 2>&1 &
  child=$!
  {
    trap '[ "$!" = "$child" ] || kill -KILL "$!"; wait; exit' TERM
    sleep ${seconds} &
    wait "$!" && kill -KILL "$child"
  } </dev/null >/dev/null 2>&1 &
  guard=$!
  wait "$child"
  code=$?
  kill "$guard"
  wait "$guard"
  return "$code"
}`;
}

/**
 * `inspect` and `prepare` for one directory: NAME MODE, then each folder from the mount to it. A command that hangs ends
 * its directory's turn; one that fails gates nothing (client#672); each looks at what is in the way before it changes
 * anything. chmod gets five digits: given four, GNU's keeps a setuid bit on a directory.
 */
const functions = String.raw`umask 022
plain() { for step do [ -d "$step" ] && [ ! -L "$step" ] || return; done; }
free() { plain "$1" && for step do [ ! -L "$step" ] && { [ -d "$step" ] || [ ! -e "$step" ]; } || return; done; }
make() { free "$@" && exec mkdir -p "$step"; }
own() { plain "$@" && exec chown ${owner.uid}:${owner.gid} "$step"; }
allow() { plain "$@" && exec chmod "0$mode" "$step"; }
look() {
  depth=0
  for step do
    depth=$((depth + 1))
    plain "$step" || break
  done
  printf '%s ' "$depth"
  exec ls -ldn "$step"
}
attempt() {
  [ "$code" = ${killed} ] && codes="$codes -" && return
  said=$(answer "$@")
  code=$?
  codes="$codes $code"
}
inspect() {
  name=$1 mode=$2 code=0 codes= errors=
  shift 2
  attempt look "$@"
  tell seen
}
prepare() {
  name=$1 mode=$2 code=0 codes= errors=
  shift 2
  for verb in make own allow; do
    attempt "$verb" "$@"
    errors="$errors $said"
    said=
  done
  attempt look "$@"
  tell prepared
}
tell() {
  line="$1 $name$codes"
  set -- $said
  if [ "$code" = 0 ]; then
    line="$line $1 $2 $4 $5"
    set --
  elif [ "$#" = 0 ]; then
    line="$line - - - -"
  else
    line="$line $1 - - -"
    shift
  fi
  set -- $errors "$@"
  printf '%s %.600s\n' "$line" "$*"
}
mount() {
  grep -F " $2 " /proc/mounts </dev/null | while read -r device target kind options rest; do
    [ "$target" = "$2" ] && printf 'mount %s %s %s %s\n' "$1" "$device" "$kind" "$options"
  done
}`;
