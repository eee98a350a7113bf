import type { Platform, Shell } from "./platform.ts";

/** A word as it is typed into a shell so that exactly this text arrives. Text with NUL cannot be typed at all. */
export function quote(shell: Shell, word: string): string {
  return quoting[shell].plain.test(word) ? word : quoting[shell].quoted(word);
}

/** A command line to paste: program and arguments, each as the shell needs it. */
export function commandLine(platform: Platform, program: string, ...args: readonly string[]): string {
  const first = quote(platform.shell, program);
  // A quoted word at the start is a mere string to PowerShell, and `NAME=x` an assignment to sh.
  const start =
    platform.shell === "powershell" && first !== program
      ? `& ${first}`
      : program.includes("=")
        ? quoting.sh.quoted(program)
        : first;
  return [start, ...args.map((arg) => quote(platform.shell, arg))].join(" ");
}

/** What a person types to take a variable out of the environment of the shell at hand. */
export function unsetCommand(platform: Platform, variable: string): string {
  return platform.shell === "powershell" ? `Remove-Item Env:${variable}` : `unset ${variable}`;
}

/** What a person types to set a variable for the commands that follow. */
export function setCommand(platform: Platform, variable: string, value: string): string {
  return platform.shell === "powershell"
    ? `$env:${variable} = ${quoting.powershell.quoted(value)}`
    : `export ${variable}=${quote("sh", value)}`;
}

const quoting: Readonly<Record<Shell, { plain: RegExp; quoted(word: string): string }>> = {
  sh: {
    // No `=` and no `~` in front: zsh, which macOS starts, expands both.
    plain: /^[A-Za-z0-9_./:@%+,-][A-Za-z0-9_./:@%+,=-]*$/,
    quoted: (word) => `'${word.replaceAll("'", "'\\''")}'`,
  },
  powershell: {
    // `-a.b` and `-a:b` are cut in two by PowerShell; a comma makes a list, `@` and `%` mean something.
    plain: /^(?:[A-Za-z0-9_./\\][A-Za-z0-9_./\\:=+-]*|--?[A-Za-z0-9-]+)$/,
    // Its single quotes may be straight or curly, and each of the five ends the text.
    quoted: (word) => `'${word.replace(/['‘’‚‛]/g, (mark) => mark + mark)}'`,
  },
};
