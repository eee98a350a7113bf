// In place of `figures` and `pretty-ms` in execa: its own verbose output, which nothing here turns on.
export default Object.assign((ms) => `${Math.round(ms)} ms`, {
  tick: "+",
  cross: "x",
  warning: "!",
  pointer: ">",
  arrowRight: ">",
});
