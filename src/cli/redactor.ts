import { createRedactor } from "../process/redact.ts";

/** The one redactor of this process: what any part of it learns to be secret, no other part shows. */
export const redactor = createRedactor();
