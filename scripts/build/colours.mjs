// In place of `chalk` in ora: the colour of its spinner. Whether there is to be any was decided before one was started.
import { styleText } from "node:util";

export default { cyan: (text) => styleText("cyan", text, { validateStream: false }) };
