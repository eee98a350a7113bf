// execa as the runner uses it: one program, its arguments and options, asynchronously. What else the package can do
// (synchronous calls, templates, scripts, messages between processes, pipes between programs, its own log) is a tenth of
// ours, and is left out with `unused` in scripts/build.mjs.
import { execaCoreAsync } from "../../node_modules/execa/lib/methods/main-async.js";

export const execa = (file, args, options) => execaCoreAsync(file, args, options);
