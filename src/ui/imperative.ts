/** What performers say while they are at it, and what a plan says beforehand. */
const verbs: Readonly<Record<string, string>> = {
  asking: "ask",
  creating: "create",
  deleting: "delete",
  fetching: "fetch",
  installing: "install",
  making: "make",
  preparing: "prepare",
  removing: "remove",
  restarting: "restart",
  starting: "start",
  upgrading: "upgrade",
  waiting: "wait",
  waking: "wake",
};

/** "creating cluster tracebloc" becomes "create cluster tracebloc". A test holds the table against every performer. */
export function imperative(says: string): string {
  const [first = ""] = says.split(" ");
  return (verbs[first] ?? first) + says.slice(first.length);
}
