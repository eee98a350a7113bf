import type { Wishes } from "../config/wishes.ts";
import { Failure, type Finding } from "../engine/finding.ts";
import type { Machine } from "../engine/machine.ts";
import { atSource, clusterImages } from "./cluster.ts";
import { groups, listImages, oddImage, type ImageList } from "./list.ts";
import { readQuestion, type Question, type Typed } from "./question.ts";
import { renderCharts, untold, type Asked } from "./render.ts";
import { imagesOf, startedLater, type Found } from "./rendered.ts";
import { listText, plainText } from "./text.ts";

/** The list, and how it is printed; or all that keeps it from being made. */
type Answer = { list: ImageList; text: string } | { findings: readonly Finding[] };

/**
 * The complete list of what a new installation with these settings and values pulls, or no list: where the charts do not
 * render, do not say what is started later, or say another CLIENT_ENV than was asked for.
 */
export async function collectImages(asked: Asked, typed: Typed, on: Machine): Promise<Answer> {
  const question = readQuestion(typed);
  if ("findings" in question) return question;
  try {
    const list = await collect(asked, question, on);
    return { list, text: typed.flags["plain"] === true ? plainText(list) : listText(list) };
  } catch (error) {
    if (error instanceof Failure) return { findings: [error.finding] };
    throw error;
  }
}

async function collect(asked: Asked, question: Question, on: Machine): Promise<ImageList> {
  const { client, ingestor } = await renderCharts(asked, question, on);
  return decide({ objects: client, submission: imagesOf(ingestor), wishes: asked.wishes }, question);
}

/** What the objects, the settings and the question come to. Throws `Failure` where that is no whole list; asks nobody. */
export function decide(
  seen: { objects: readonly unknown[]; submission: readonly Found[]; wishes: Wishes },
  question: Question,
): ImageList {
  const later = startedLater(seen.objects);
  if ("why" in later) throw new Failure(untold(`what is started at run time is not known: ${later.why}`));
  if (question.clientEnv !== undefined && question.clientEnv !== later.clientEnv) {
    throw new Failure(contradiction(question.clientEnv, later.clientEnv));
  }
  const wishes = question.mirror === undefined ? seen.wishes : atSource(seen.wishes);
  const cluster = question.only.includes("cluster") ? clusterImages(wishes) : [];
  if ("why" in cluster) throw new Failure(unknownCluster(cluster));
  const { categories, only, mirror } = question;
  const rendered = imagesOf(seen.objects);
  const list = listImages({ rendered, submission: seen.submission, later, categories, cluster, only, mirror });
  const odd = oddImage(list.list.map(({ image, by }) => ({ image, by: by.join(", ") })));
  if (odd !== undefined) throw new Failure(untold(`${odd.by} names ${JSON.stringify(odd.image)}, which is no image`));
  return list;
}

function contradiction(asked: string, rendered: string): Finding {
  return {
    reason: "CONFIG_CONFLICT",
    room: "config",
    says: `--env ${asked} contradicts the values, whose CLIENT_ENV is ${rendered}`,
    remedies: [
      { says: "leave --env out", command: "tracebloc images" },
      { says: `or set env.CLIENT_ENV to ${asked} in the values` },
    ],
  };
}

function unknownCluster({ why, version }: { why: string; version: string | undefined }): Finding {
  const rest = groups.filter((group) => group !== "cluster");
  const where =
    version === undefined
      ? "k3s publishes it"
      : `its list: https://github.com/k3s-io/k3s/releases/download/${version.replace("-", "%2B")}/k3s-images.txt`;
  return untold(why, {
    says: `list the rest, and add what that k3s brings; ${where}`,
    command: `tracebloc images --only ${rest.join(",")}`,
  });
}
