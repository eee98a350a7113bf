import { fine, skipped, warning, type Check } from "./check.ts";

/**
 * Are the credential helpers of Docker's configuration there (B47)? No more than a hint: k3d 5.9 pulls without
 * credentials and docker pull goes on without the helper; only `docker run` of a missing image fails.
 */
export const credentialHelperCheck: Check = {
  about: "Credential helper",
  check({ facts: { missingHelpers } }) {
    if (missingHelpers.state === "unknown") return skipped(missingHelpers.why);
    const [first, ...more] = missingHelpers.value;
    if (first === undefined) return fine("none missing");
    const others = more.length === 0 ? "" : `, and ${more.length} more`;
    return warning(
      "CREDENTIAL_HELPER_MISSING",
      `docker-credential-${first.helper} is not on PATH${others}; ${first.file} names it (${first.key})`,
      [{ says: `if Docker asks for it: install it, or take ${first.key} out of ${first.file}` }],
    );
  },
};
