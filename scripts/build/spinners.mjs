// In place of `cli-spinners` in ora: the two of its ninety spinners that are used.
const dots = { interval: 80, frames: ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] };
const line = { interval: 130, frames: ["-", "\\", "|", "/"] };
export default { dots, line };
