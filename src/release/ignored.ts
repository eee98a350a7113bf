import { wasAsked } from "../config/wishes.ts";
import type { Finding, Remedy } from "../engine/finding.ts";
import type { ReleaseRecord } from "./helm-records.ts";
import { hashWishes } from "./values.ts";
import { isAdopted, passwordDiffers, wantedValues, type ReleaseWishes } from "./wanted.ts";

/** What is asked for and not brought about, because the release is there already; that must not go unsaid. Pure. */
export function notBroughtAbout(
  record: ReleaseRecord,
  asked: ReleaseWishes,
  done: readonly { action: { do: string } }[],
): Finding[] {
  const { namespace, chart } = asked.wishes;
  const ran = done.some(({ action }) => action.do === "release.apply");
  const found: Finding[] = [];
  if (wasAsked(namespace) && namespace.value !== record.namespace) {
    const says = `the client is in namespace ${record.namespace}: ${namespace.origin.name} has no effect`;
    found.push(ignored(says, { says: `leave it out, or say ${record.namespace}` }));
  }
  if (chart.value !== undefined && !ran) {
    const says = `release ${record.name} stays with its chart: ${chart.origin.name} has no effect on one that is there`;
    found.push(ignored(says, { says: "to have it changed", command: "tracebloc install --force" }));
  }
  if (isAdopted(record) && "values" in record.content) {
    const differs = hashWishes(wantedValues(record, asked)) !== hashWishes(record.content.values);
    if (differs || passwordDiffers(record, asked.wishes)) {
      const says = `release ${record.name} was not made by this program: what is asked for now is not brought about`;
      found.push(ignored(says, { says: "to change it, and its chart with it", command: "tracebloc install --force" }));
    }
  }
  return found;
}

function ignored(says: string, remedy: Remedy): Finding {
  return { reason: "CONFIG_IGNORED", room: "release", says, remedies: [remedy] };
}
