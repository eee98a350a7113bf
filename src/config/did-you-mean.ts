/**
 * The word that was probably meant, or undefined where none is near: at most one slip in three letters, and at most
 * three. Upper and lower case, hyphens and underscores make no difference.
 */
export function didYouMean(word: string, candidates: readonly string[]): string | undefined {
  const typed = plain(word);
  const near = candidates
    .map((candidate) => ({ candidate, slips: slipsBetween(typed, plain(candidate)) }))
    .filter(({ candidate, slips }) => slips <= Math.min(3, Math.floor(Math.max(typed.length, candidate.length) / 3)));
  return near.sort((one, other) => one.slips - other.slips)[0]?.candidate;
}

function plain(word: string): string {
  return word.toLowerCase().replace(/[-_\s]/g, "");
}

/** Letters to add, drop, change or swap with the next: the optimal string alignment distance. */
function slipsBetween(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 3) return Infinity;
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const changed = at(last, column - 1) + (one[row - 1] === other[column - 1] ? 0 : 1);
      const swapped =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
          ? at(beforeLast, column - 2) + 1
          : Infinity;
      current.push(Math.min(changed, swapped, at(last, column) + 1, at(current, column - 1) + 1));
    }
    beforeLast = last;
    last = current;
  }
  return at(last, other.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
