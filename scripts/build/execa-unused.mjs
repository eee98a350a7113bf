// In place of parts of execa that the runner does not ask for: its ipc, convert, pipe and verbose folders. Each does
// what the part does where it was not asked for; what cannot be done without it says so.

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

function leftOut() {
  throw new Error("this part of execa is not in the bundle: see scripts/build.mjs");
}
