/** The CLI behind its entry: takes the arguments after the program's name, gives the exit code. */
export async function main(_argv: string[]): Promise<number> {
  return 0;
}
