// Whoever reads what a script prints may be gone (`| head`, a closed window): what it does is done to its end all the same.

for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error) => {
    if (error.code !== "EPIPE") throw error;
  });
}
