// In place of parts of execa that the runner does not ask for: `unused` in scripts/build.mjs. Each does what the part
// does where it was not asked for; what cannot be done without it says so.
import { setImmediate } from "node:timers/promises";

// ipc: no messages between us and what we start.
export const addIpcMethods = () => {};
export const validateIpcInputOption = () => {};
export const sendIpcInput = async () => {};
export const waitForIpcOutput = async ({ ipcOutput }) => ipcOutput;
export const getBufferedIpcOutput = async (_, ipcOutput) => ipcOutput;
export const normalizeIpcStdioArray = (stdio) => stdio;
export const sendAbort = leftOut;

// convert and pipe: streams are read as they are.
export const addConvertedStreams = () => {};
export const pipeToSubprocess = leftOut;

// verbose: what is called stands in the run's log, redacted; NODE_DEBUG=execa would print it as it is.
export const getVerboseInfo = () => ({});
export const isFullVerbose = () => false;
export const shouldLogOutput = () => false;
export const logLines = () => {};
export const logCommand = () => {};
export const logResult = () => {};

// transform: what a program writes is read as it is.
export const normalizeTransforms = (stdioItems) => stdioItems;
export const getFdObjectMode = () => false;
export const generatorToStream = leftOut;

// io and `all`: the runner listens itself (`buffer: false`). A stream that nobody reads must flow, or it would never end.
export const getStreamOutput = async ({ stream }) => {
  await setImmediate();
  if (stream.readableFlowing === null) stream.resume();
};
export const getBufferedData = async (output) => await output;
export class MaxBufferError extends Error {}
export const makeAllStream = () => {};
export const waitForAllStream = async () => {};

// return and stdio: what failed is read from `cause`; no two streams are one.
export const createMessages = ({ originalError }) => ({ originalMessage: originalError?.message, message: "" });
export const filterDuplicates = (stdioItems) => stdioItems;
export const getDuplicateStream = () => {};

function leftOut() {
  throw new Error("this part of execa is not in the bundle: see scripts/build.mjs");
}
