// The process of the stand-in backend: tells its URL to who started it, then serves until it is ended.

import { start } from "../lab/backend.mjs";

const backend = await listen(Number(process.argv[2]));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => void backend.stop());
process.send?.(backend.url, () => process.disconnect?.());

async function listen(port) {
  try {
    return await start({ port });
  } catch (error) {
    // Another program took the port meanwhile: any other will do.
    if (port !== 0 && error.code === "EADDRINUSE") return start();
    throw error;
  }
}
