import type { Wishes } from "../config/wishes.ts";
import { known, type Fact } from "../engine/fact.ts";
import { Failure, type Finding } from "../engine/finding.ts";
import type { Machine } from "../engine/machine.ts";
import type { Proof } from "../engine/plan.ts";
import { withLimit } from "../engine/wait.ts";
import { fetchFile } from "../tools/fetch.ts";

const answerLimitMs = 60_000;

/**
 * Asks the backend whether it knows the wished client: `POST /api-token-auth/`, of whose answer only the status counts.
 * 200 is a yes; 400 and 401 throw `Failure`; anything else leaves the question open, with a warning, since a site
 * whose proxy guards the backend must still be able to install.
 */
export async function verifyCredentials(wishes: Wishes, on: Machine): Promise<Fact<Proof>> {
  const backend = new URL("/api-token-auth/", wishes.backendUrl.value);
  const start = on.now();
  const body = new URLSearchParams({
    username: wishes.clientId.value ?? "",
    password: wishes.clientPassword.value ?? "",
  }).toString();
  const answer = await post(backend, body, on);
  const ms = on.now() - start;
  if (answer === 400) throw new Failure(rejected(wishes));
  if (answer === 401) throw new Failure(inactive(backend));
  if (answer === 200) return known({ holds: true, says: `${backend.host} knows the client` }, "sign-in", ms);
  const why = typeof answer === "number" ? `answered ${answer}` : answer;
  return known(
    { holds: undefined, says: `client not verified: ${backend.host} ${why}`, warnings: [unverified(backend, why)] },
    "sign-in",
    ms,
  );
}

/** The status of the answer, or why there was none. The password goes in the body and nowhere else. */
async function post(url: URL, body: string, on: Machine): Promise<number | string> {
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    "content-length": String(Buffer.byteLength(body)),
  };
  return withLimit(on, answerLimitMs, async (signal) => {
    try {
      const { response } = await fetchFile(url, { headers, body, environment: on.environment, signal });
      response.destroy();
      return response.statusCode ?? "gave no status";
    } catch (error) {
      const why = (error as NodeJS.ErrnoException).code ?? (error instanceof Error ? error.message : String(error));
      return signal.aborted ? "did not answer" : `could not be reached (${why})`;
    }
  });
}

function rejected({ clientId, backendUrl }: Wishes): Finding {
  return {
    reason: "CREDENTIALS_REJECTED",
    room: "release",
    says: `${new URL(backendUrl.value).host} does not know client ${clientId.value ?? ""} with this password`,
    remedies: [{ says: "check both and run again; nothing was changed", command: "tracebloc install" }],
  };
}

function inactive(backend: URL): Finding {
  return {
    reason: "CREDENTIALS_INACTIVE",
    room: "release",
    says: `${backend.host} knows the client, but it is not activated`,
    remedies: [{ says: "have it activated, then run again; nothing was changed", command: "tracebloc install" }],
  };
}

function unverified(backend: URL, why: string): Finding {
  return {
    reason: "CREDENTIALS_UNVERIFIED",
    room: "release",
    says: `client id and password could not be verified: ${backend.host} ${why}`,
    remedies: [{ says: "if the client stays offline, check both and run again", command: "tracebloc install --force" }],
  };
}
